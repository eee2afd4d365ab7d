// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
import Synchronization

/// The configuration files, read once for all that share this object, and again when one has changed.
package final class ConfigurationFiles: Sendable {
    private let environment: ResolverEnvironment
    private let contents: Lock<ConfigurationContents>
    private let notifiers = Lock(WeakTable<ObjectIdentifier, ConfigurationNotifier>())

    package init(_ environment: ResolverEnvironment) {
        self.environment = environment
        contents = Lock(ConfigurationContents(reading: environment, after: nil))
    }

    /// What the files said when they were last read.
    package var known: ConfigurationContents { contents.withLock(\.self) }

    /// What the files say now.
    package var current: ConfigurationContents {
        let known = known
        if known.isCurrent { return known }
        let fresh = ConfigurationContents(reading: environment, after: known)
        return contents.withLock { contents in
            // Two threads may have noticed. The later reading has the more recent contents.
            if fresh.generation > contents.generation { contents = fresh }
            return contents
        }
    }

    package var time: any TimeSource { environment.time }

    /// The notifier on a loop.
    ///
    /// - Parameter usesEvents: whether a change has to wake the loop. Otherwise `lookWithoutEvents` notices it.
    package func notifier(on loop: EventLoop, usesEvents: Bool = true) -> ConfigurationNotifier {
        notifiers.withLock { notifiers in
            if let known = notifiers[ObjectIdentifier(loop)] { return known }
            let notifier = ConfigurationNotifier(self, loop, usesEvents: usesEvents)
            notifiers.insert(notifier, for: ObjectIdentifier(loop))
            return notifier
        }
    }
}

/// What the configuration files said at one moment, and a watch that tells whether they have changed since.
package final class ConfigurationContents: Sendable {
    /// Unique for every reading in the whole process.
    package let generation: UInt64
    /// When the files were found to have changed. Nil for the first reading.
    package let changed: BootTime?
    package let resolvConf: FileReading<ResolvConf>
    package let hosts: FileReading<HostsFile>
    package let sources: FileReading<NameSources>
    let watch: FileWatch

    private let time: any TimeSource
    /// When earlier contents of a file have counted for long enough.
    let heldUntil: BootTime?
    private static let generations = Atomic<UInt64>(0)

    /// - Parameter old: used for a file that cannot be read for lack of descriptors.
    fileprivate init(reading environment: ResolverEnvironment, after old: ConfigurationContents?) {
        generation = Self.generations.wrappingAdd(1, ordering: .relaxed).newValue
        // Watched first and read then, so that a change in between counts as a later one.
        watch = FileWatch(paths: environment.watchedPaths)
        time = environment.time
        changed = old.map { _ in environment.time.now() }
        func read<Contents>(
            _ path: String, after old: FileReading<Contents>?, _ parse: ([UInt8]) -> Contents
        ) -> FileReading<Contents> {
            let read = FileReading(of: environment.present(path), after: old, parse)
            return read.isEmpty ? old?.held(at: environment.time.now()) ?? read : read
        }
        resolvConf = read(environment.resolvConfPath, after: old?.resolvConf, environment.parseResolvConf)
        hosts = read(environment.hostsPath, after: old?.hosts, HostsFile.init)
        sources = read(environment.nsswitchPath, after: old?.sources) { text in
            NameSources(parsing: String(decoding: text, as: UTF8.self))
        }
        heldUntil = [resolvConf.heldUntil, hosts.heldUntil, sources.heldUntil].compactMap(\.self).min()
    }

    /// What resolv.conf says. Fails if it could never be opened for lack of descriptors or memory.
    package var knownResolvConf: ResolvConf {
        get throws(Errno) {
            if let failure = resolvConf.failure { throw failure }
            return resolvConf.contents ?? ResolvConf()
        }
    }

    /// Whether every file was read. If one was not, it has to be tried again, as no event will tell when it can be
    /// read.
    var isWhole: Bool { resolvConf.isPresent && hosts.isPresent && sources.isPresent }

    /// Whether the files are unchanged since they were read, and no earlier contents have counted for long enough.
    package var isCurrent: Bool { isWhole && !(heldUntil.map { $0 <= time.now() } ?? false) && watch.isUnchanged }
}

extension ResolverEnvironment {
    /// What resolv.conf says now, read once. It is not watched: the kernel takes some milliseconds to close an inotify
    /// instance that has watches (fsnotify_wait_marks_destroyed in fs/notify/mark.c).
    package func readResolvConf() throws(Errno) -> ResolvConf {
        let reading = FileReading(of: present(resolvConfPath), after: nil, parseResolvConf)
        if let failure = reading.failure { throw failure }
        return reading.contents ?? ResolvConf()
    }

    fileprivate func parseResolvConf(_ text: [UInt8]) -> ResolvConf {
        var parsed = ResolvConf(parsing: String(decoding: text, as: UTF8.self), hostName: hostName())
        parsed.amend(localDomain: localDomain, options: resolverOptions)
        return parsed
    }
}

/// What is known of one file.
package struct FileReading<Contents: Sendable>: Sendable {
    /// The present contents, or earlier ones after a shortage. Nil if the file was never read. A file that is missing or must not
    /// be read counts as empty, as in libc. So does a pipe, a folder, a device, and what is too large to be such a file.
    package let contents: Contents?
    /// Why the file could not be opened: descriptors or memory were lacking.
    private let shortage: Errno?
    /// Whether there is nothing in the file.
    let isEmpty: Bool
    /// Until when these contents count for a file that was found empty since.
    private(set) var heldUntil: BootTime?

    /// Who writes a file in place empties it first.
    private static var holdTime: Duration { .milliseconds(100) }

    init(of path: String, after old: Self?, _ parse: ([UInt8]) -> Contents) {
        do throws(Errno) {
            let text = try Files.contents(of: path, limit: 256 << 20)
            (contents, shortage, isEmpty) = (parse(text), nil, text.isEmpty)
        } catch {
            (contents, shortage, isEmpty) = error.isShortage ? (old?.contents, error, false) : (parse([]), nil, false)
        }
    }

    private init(_ contents: Contents, heldUntil: BootTime) {
        (self.contents, self.heldUntil, shortage, isEmpty) = (contents, heldUntil, nil, false)
    }

    /// These contents for the file, which is empty now. Nil if there are none, or if they have been held for long enough.
    func held(at now: BootTime) -> Self? {
        guard !isEmpty, let contents else { return nil }
        let end = heldUntil ?? now.advanced(by: Self.holdTime)
        return now < end ? Self(contents, heldUntil: end) : nil
    }

    var isPresent: Bool { shortage == nil }

    /// Why the file was never read.
    package var failure: Errno? { contents == nil ? shortage : nil }
}

/// Tells listeners on an event loop that a configuration file has changed. All that share the files share it.
///
/// Everything but `init` happens on the loop's thread.
package final class ConfigurationNotifier: @unchecked Sendable {
    private let files: ConfigurationFiles
    private let loop: EventLoop
    private let usesEvents: Bool
    private var listeners: [ObjectIdentifier: () -> Void] = [:]
    private var watched: Watched?

    private struct Watched {
        let contents: ConfigurationContents
        /// Nil if the loop looks by itself.
        let wake: FileWake?
        /// Looks again when earlier contents have counted for long enough: no event tells that.
        let holdTimer: LoopTimer?

        var wakesLoop: Bool { wake?.isOn == true }
    }

    init(_ files: ConfigurationFiles, _ loop: EventLoop, usesEvents: Bool) {
        self.files = files
        self.loop = loop
        self.usesEvents = usesEvents
    }

    /// Calls `handler` whenever a file has changed, until `remove`.
    package func add(_ listener: AnyObject, _ handler: @escaping () -> Void) {
        listeners[ObjectIdentifier(listener)] = handler
        if watched == nil { watch(files.current) }
    }

    package func remove(_ listener: AnyObject) {
        listeners[ObjectIdentifier(listener)] = nil
        if listeners.isEmpty { unwatch() }
    }

    /// Looks whether the files have changed, if no event would tell. The caller is awake for another reason.
    package func lookWithoutEvents() {
        if let watched, !watched.wakesLoop || !watched.contents.isWhole { look() }
    }

    private func look() {
        guard let old = watched else { return }
        // Before the files are compared, so that a change after that is an event. Somebody else may have read them since this
        // notifier did, so it is the newest contents whose watch counts.
        if !old.wakesLoop { files.known.watch.retryEvents() }
        let fresh = files.current
        let isOther = fresh !== old.contents
        guard isOther || !old.wakesLoop else { return }
        unwatch()
        watch(fresh)
        // While a file cannot be read, there is nothing new to tell.
        guard isOther, old.contents.isWhole || fresh.isWhole else { return }
        for listener in Array(listeners.keys) { listeners[listener]?() }
    }

    private func watch(_ contents: ConfigurationContents) {
        let wake = usesEvents ? FileWake(contents.watch, on: loop) { [weak self] in self?.look() } : nil
        let holdTimer = contents.heldUntil.map { loop.schedule(at: $0) { [weak self] in self?.look() } }
        watched = Watched(contents: contents, wake: wake, holdTimer: holdTimer)
    }

    private func unwatch() {
        watched?.wake?.end()
        if let timer = watched?.holdTimer { loop.cancel(timer) }
        watched = nil
    }
}

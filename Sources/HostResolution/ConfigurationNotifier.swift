// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Tells listeners on an event loop that a configuration file has changed. All resolvers that share the files share it.
///
/// Everything but `init` happens on the loop's thread.
final class ConfigurationNotifier: @unchecked Sendable {
    private let files: ConfigurationFiles
    private let loop: EventLoop
    private var listeners: [ObjectIdentifier: () -> Void] = [:]
    private var watched: Watched?

    private struct Watched {
        let contents: ConfigurationContents
        /// Whether a change of the files wakes the loop.
        let wakesLoop: Bool
        let mounts: MountTable?
    }

    init(_ files: ConfigurationFiles, _ loop: EventLoop) {
        self.files = files
        self.loop = loop
    }

    /// Whether a change of the files wakes the loop. It does not where inotify is exhausted.
    var isWatching: Bool { watched?.wakesLoop == true }

    /// Calls `handler` whenever a file has changed, until `remove`.
    func add(_ listener: AnyObject, _ handler: @escaping () -> Void) {
        listeners[ObjectIdentifier(listener)] = handler
        if watched == nil { watch(files.current) }
    }

    func remove(_ listener: AnyObject) {
        listeners[ObjectIdentifier(listener)] = nil
        if listeners.isEmpty { unwatch() }
    }

    /// Looks whether the files have changed, if no event would tell. The caller is awake for another reason.
    func lookWithoutEvents() {
        if let watched, !watched.wakesLoop || !watched.contents.isWhole { look() }
    }

    private func look() {
        guard let old = watched else { return }
        if !old.wakesLoop { old.contents.watch.retryEvents() }
        if old.contents.isCurrent {
            guard !old.wakesLoop else { return }
            unwatch()
            return watch(old.contents)
        }
        let fresh = files.current
        unwatch()
        watch(fresh)
        // While a file cannot be read, there is nothing new to tell.
        guard old.contents.isWhole || fresh.isWhole else { return }
        for listener in Array(listeners.keys) { listeners[listener]?() }
    }

    private func watch(_ contents: ConfigurationContents) {
        var wakesLoop = false
        var mounts: MountTable?
        if let descriptor = contents.watch.rawDescriptor {
            wakesLoop = isWoken(by: descriptor, for: .readable)
            // inotify does not report mounting and unmounting. The table of mounts does, as an error event.
            mounts = try? MountTable()
            if let table = mounts, !isWoken(by: table.rawDescriptor, for: []) { mounts = nil }
        }
        watched = Watched(contents: contents, wakesLoop: wakesLoop, mounts: mounts)
    }

    private func isWoken(by descriptor: Int32, for interest: Epoll.Interest) -> Bool {
        (try? loop.watch(descriptor, for: interest) { [weak self] _ in self?.look() }) != nil
    }

    private func unwatch() {
        if let watched, watched.wakesLoop, let descriptor = watched.contents.watch.rawDescriptor {
            loop.unwatch(descriptor)
        }
        if let mounts = watched?.mounts { loop.unwatch(mounts.rawDescriptor) }
        watched = nil
    }
}

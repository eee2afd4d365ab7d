// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
package import ReachabilityNetlink
import ReachabilityResolverFiles
import ReachabilitySystemBus

/// The path of a namespace at one moment, with everything that is known about it.
package struct ObservedPath: Equatable, Sendable {
    package var path = NetworkPath()
    /// Increases with each path that differs from the one before.
    package var number: UInt32 = 0
    package var inventory = NetworkInventory()
    /// The domains of resolv.conf, in order.
    package var searchDomains: [String] = []
    /// Whether NetworkManager's hints are in the path, or are no longer waited for.
    package var areHintsKnown = false
    /// Why the kernel refuses to answer. The path is then the last one that was read.
    package var refusal: ReachabilityError?

    /// The path as text, for messages.
    fileprivate var text: String {
        let view = path.view()
        return "\(view.status.rawValue) \(view.interfaces.map(\.name))"
    }
}

/// Watches the path for subscribers, and keeps it current. Confined to the engine's thread. Does nothing while there are no
/// subscribers.
package final class PathWatcher: Watch {
    private unowned let core: EngineCore
    private let loop: EventLoop
    private var reader: PathFactsReader
    private var session: Session?
    /// The result of the last reading; nil before the first.
    package private(set) var observed: ObservedPath?
    /// When the first of the path's routes ends.
    var end = BootTime.distantFuture
    private lazy var managed = ManagedInterfaces(
        core.namespace.managedInterfaces, on: loop,
        patience: core.namespace.sharedEngine.hintLimit.withLock(\.self)
    ) { [weak self] in self?.readSoon() }

    /// The resources that exist while there are subscribers.
    private struct Session {
        let files: ConfigurationFiles
        /// Reports a changed file, on the engine's loop.
        let notifier: ConfigurationNotifier
        /// Reports that the machine has slept. Nil where the system refuses this: the next reading then finds it out.
        let jumps: ClockJumps?
    }

    init(core: EngineCore, loop: EventLoop) {
        self.core = core
        self.loop = loop
        reader = PathFactsReader(in: core.namespace)
    }

    package override var description: String { "the path" }
    package override var answerText: String { isRefused ? "refused" : observed?.text ?? "" }
    package override var isEvaluated: Bool { observed != nil }

    /// Whether anybody watches the path, so that the default routes matter.
    var isActive: Bool { session != nil }

    /// Whether the path may depend on a route.
    func isConcerned(by prefix: Prefix) -> Bool {
        isActive && IPAddress.behindDefault.contains(where: prefix.contains)
    }

    /// Whether the path may depend on changes.
    func isConcerned(by changes: PendingChanges) -> Bool {
        guard let session else { return false }
        // Where inotify is exhausted, changed name servers are noticed only here. This may call `readSoon`.
        session.notifier.lookWithoutEvents()
        return changes.everything || changes.prefixes.contains(where: isConcerned)
    }

    // MARK: Subscribers

    /// The subscriber may know of newer changes than the last reading, so links are listed again for it.
    package override func add(_ subscriber: any Subscriber) {
        if session == nil { begin() }
        super.add(subscriber)
        reader.forgetInterfaces()
        core.ask(about: self, for: subscriber)
    }

    package override func remove(_ subscriber: any Subscriber) {
        super.remove(subscriber)
        if subscribers.isEmpty { endSession() }
    }

    private func begin() {
        let files = core.namespace.configurationFiles
        let notifier = files.notifier(on: loop)
        notifier.add(self) { [weak self] in self?.readSoon() }
        let jumps = try? core.namespace.sharedEngine.sleepSource.withLock(\.openJumps)()
        session = Session(files: files, notifier: notifier, jumps: jumps)
        if let jumps {
            try? loop.watch(jumps.timer.rawDescriptor, for: .readable) { [weak core] _ in
                core?.paths.clockHasJumped(jumps)
            }
        }
        core.noteNewAddresses()
    }

    private func endSession() {
        guard let session else { return }
        (self.session, observed, end) = (nil, nil, .distantFuture)
        session.notifier.remove(self)
        if let jumps = session.jumps { loop.unwatch(jumps.timer.rawDescriptor) }
        managed.end()
        reader.forgetInterfaces()
    }

    // MARK: Changes

    /// A link or an address has changed. Unlike some route changes, these are made before they are announced.
    func forgetInterfaces() { reader.forgetInterfaces() }

    /// The machine has woken up, or its clock was set. The path has another identity only after a long sleep.
    private func clockHasJumped(_ jumps: ClockJumps) {
        do throws(Errno) {
            try jumps.timer.armForJumps()
        } catch {
            // The timer would keep the loop awake. The program may have opened another file under its number.
            loop.unwatch(jumps.timer.rawDescriptor)
        }
        readSoon()
    }

    /// Reads the path again after the loop's other work. Several calls lead to one reading.
    func readSoon() { if isActive { core.ask(about: self) } }

    // MARK: Reading

    /// Reads the path again. Returns whether the subscribers have to be notified.
    func read() throws(NetlinkError) -> Bool {
        guard let session else { return false }
        // Where not all changes are announced, nothing says when the listed links are out of date.
        if !core.announcements.isToldAll { reader.forgetInterfaces() }
        var new = observed ?? ObservedPath()
        do throws(NetlinkError) {
            let resolvConf = try resolvConf(session.files)
            new.path = try currentPath(servers: resolvConf.servers)
            (new.inventory, new.searchDomains) = (reader.inventory, resolvConf.domains)
            new.refusal = nil
        } catch {
            // An interrupted listing may be incomplete.
            reader.forgetInterfaces()
            guard error.concernsOneQuestion else { throw error }
            core.askingWasRefused()
            new.refusal = ReachabilityError(error, object: "the network path")
        }
        new.areHintsKnown = managed.areSettled
        let before = observed
        let isOtherPath = new.path != before?.path
        if isOtherPath { new.number &+= 1 }
        let isOther = isOtherPath || new != before
        observed = new
        core.trace.note("read the path: \(new.text)")
        // Not after a mere change of hints: if the bus ends every connection, this would connect for ever. And not at once,
        // because connecting takes longer than a reading, and clients wait for the end of the reading.
        if isOtherPath, new.path.withoutHints != before?.path.withoutHints {
            loop.enqueue { [weak core] in core?.paths.connectToHints() }
        }
        return take(isOther: isOther, isRefused: new.refusal != nil)
    }

    private func resolvConf(_ files: ConfigurationFiles) throws(NetlinkError) -> ResolvConf {
        do throws(Errno) {
            return try files.current.knownResolvConf
        } catch {
            throw .system(.open, error)
        }
    }

    private func currentPath(servers: [ServerAddress]) throws(NetlinkError) -> NetworkPath {
        let listings = reader.listings
        defer {
            if reader.listings != listings { core.counters.count { $0.interfaceListings += 1 } }
        }
        var facts = try core.kernel.lend { (socket) throws(NetlinkError) in
            try reader.facts(asking: socket, servers: servers)
        }
        facts.hints = managed.interfaces
        // It is read again when the first of its routes ends.
        let (now, known) = (loop.now(), end)
        end = facts.lifetimes.compactMap { $0.end(now: now, known: known) }.min() ?? .distantFuture
        core.agenda.ends(at: end)
        return NetworkPath(facts)
    }

    private func connectToHints() {
        guard isActive else { return }
        managed.connect()
        if managed.areSettled, observed?.areHintsKnown == false { readSoon() }
    }
}

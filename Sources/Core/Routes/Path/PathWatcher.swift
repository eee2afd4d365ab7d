// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import ReachabilitySystemBus

/// Receives the present path or state of a namespace, and each change of it. Called on the engine's thread; must not wait.
package protocol PathSubscriber: AnyObject, Sendable {
    func observe(_ path: NetworkPath)
    /// Receives also what is not part of the path.
    func observe(_ state: NetworkState)
    /// Called once, when the hints that there are now are in the path that was told last.
    func hintsAreKnown()
    /// Learns, once, that the kernel refuses to answer. The next path is the end of that.
    func noteRefusal(_ error: ReachabilityError)
    /// Learns why nothing more will come.
    func end(because error: ReachabilityError)
}

extension PathSubscriber {
    package func observe(_ path: NetworkPath) {}
    package func observe(_ state: NetworkState) {}
    package func hintsAreKnown() {}
    package func noteRefusal(_ error: ReachabilityError) {}
    package func end(because error: ReachabilityError) {}
}

/// The part of an engine that keeps the path current. Confined to the engine's thread. Does nothing while there are no
/// subscribers.
package final class PathWatcher {
    private unowned let core: EngineCore
    private let loop: EventLoop
    private var subscribers: [ObjectIdentifier: any PathSubscriber] = [:]
    /// Subscribers that have not been told a path yet.
    private var newSubscribers: [ObjectIdentifier: any PathSubscriber] = [:]
    /// Subscribers that have not been told that the hints are known.
    private var withoutHints: [ObjectIdentifier: any PathSubscriber] = [:]
    private var reader: PathFactsReader
    private var session: Session?
    private lazy var managed = ManagedInterfaces(
        core.namespace.managedInterfaces, on: loop,
        patience: core.namespace.sharedEngine.hintLimit.withLock(\.self)
    ) { [weak self] in self?.readSoon() }

    /// What exists from the first subscriber to the last.
    private struct Session {
        let files: ConfigurationFiles
        /// Tells of a changed file, on the engine's loop.
        let notifier: ConfigurationNotifier
        /// Tells that the machine has slept. Nil where the system refuses it: the next look then finds it out.
        let jumps: ClockJumps?
        private(set) var path: NetworkPath?
        private(set) var state: NetworkState?
        /// When the first of the path's routes ends.
        var end = BootTime.distantFuture
        /// Whether the kernel refused to answer at the last look.
        private(set) var wasRefused = false

        /// Stores what the last look found; nil if the kernel refused to answer.
        mutating func know(path: NetworkPath?, state: NetworkState?) {
            (self.path, self.state, wasRefused) = (path, state, path == nil)
        }
    }

    init(core: EngineCore, loop: EventLoop) {
        self.core = core
        self.loop = loop
        reader = PathFactsReader(in: core.namespace)
    }

    /// Whether the default routes matter.
    var isActive: Bool { session != nil }

    /// Whether the path may depend on a route.
    func isConcerned(by prefix: Prefix) -> Bool {
        isActive && IPAddress.behindDefault.contains(where: prefix.contains)
    }

    // MARK: Subscribers

    package func add(_ subscriber: any PathSubscriber) {
        if session == nil { begin() }
        newSubscribers[ObjectIdentifier(subscriber)] = subscriber
        readSoon()
    }

    package func remove(_ subscriber: any PathSubscriber) {
        subscribers[ObjectIdentifier(subscriber)] = nil
        newSubscribers[ObjectIdentifier(subscriber)] = nil
        withoutHints[ObjectIdentifier(subscriber)] = nil
        if subscribers.isEmpty, newSubscribers.isEmpty { end() }
    }

    /// The loop has failed.
    func fail(_ error: ReachabilityError) {
        for subscriber in [subscribers, newSubscribers].flatMap(\.values) { subscriber.end(because: error) }
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
        core.feed.addressesWereAdded()
        core.recheckLater()
    }

    private func end() {
        guard let session else { return }
        self.session = nil
        session.notifier.remove(self)
        if let jumps = session.jumps { loop.unwatch(jumps.timer.rawDescriptor) }
        managed.end()
        reader.forgetInterfaces()
    }

    // MARK: Changes

    /// What is read anew.
    enum Reading {
        /// Links and addresses are not listed again: they are announced after they have changed. Routes may be announced before.
        case routes
        case everything
    }

    /// What has to be read after changes; nil if they do not concern the path.
    func reading(after changes: PendingChanges) -> Reading? {
        guard let session else { return nil }
        // Where inotify is exhausted, changed name servers are only noticed here. This may call `readSoon`.
        session.notifier.lookWithoutEvents()
        if changes.links { return .everything }
        let areRoutes = changes.everything || changes.lifetimes || changes.prefixes.contains(where: isConcerned)
        return areRoutes ? .routes : nil
    }

    /// Returns whether one of the path's routes has ended. If not, that is due at its end.
    func takeEnded() -> Bool {
        guard let end = session?.end, end < .distantFuture else { return false }
        guard end <= loop.now() else {
            core.agenda.ends(at: end)
            return false
        }
        session?.end = .distantFuture
        return true
    }

    /// The machine has woken up, or its clock was set. The path has another identity only after a long sleep.
    private func clockHasJumped(_ jumps: ClockJumps) {
        do throws(Errno) {
            try jumps.timer.armForJumps()
        } catch {
            // It would keep the loop awake. The program may have another file under the number.
            loop.unwatch(jumps.timer.rawDescriptor)
        }
        readSoon()
    }

    /// Reads the path again after what the loop has to do first. Several calls lead to one reading.
    func readSoon() {
        guard isActive else { return }
        core.agenda.ask(for: EmptyCollection(), path: true, at: loop.now())
        core.setWake()
    }

    // MARK: Reading

    /// Reads the path again, and tells the subscribers. Returns whether it is another. What was known before somebody subscribed may be
    /// older than what he knows himself, so everything is read again for him.
    func read(_ reading: Reading) -> Bool {
        guard let session else { return false }
        let before = session.path
        let isListingOld = if case .everything = reading { true } else { !newSubscribers.isEmpty }
        // Where not all is announced, nobody says when what was listed of links is old.
        if isListingOld || !core.feed.isToldAll { reader.forgetInterfaces() }
        do throws(NetlinkError) {
            let resolvConf = try resolvConf(session.files)
            let path = try currentPath(servers: resolvConf.servers, known: session.end)
            notifySubscribers(
                path, NetworkState(path: path, inventory: reader.inventory, searchDomains: resolvConf.domains))
        } catch {
            // An interrupted listing may be incomplete.
            reader.forgetInterfaces()
            if error.concernsOneQuestion { wasRefused(error) } else { core.askingFailed() }
        }
        return self.session?.path != before
    }

    private func resolvConf(_ files: ConfigurationFiles) throws(NetlinkError) -> ResolvConf {
        do throws(Errno) {
            return try files.current.knownResolvConf
        } catch {
            throw .system(.open, error)
        }
    }

    /// - Parameter known: when the first route ends, as far as is known.
    private func currentPath(servers: [ServerAddress], known: BootTime) throws(NetlinkError) -> NetworkPath {
        let listings = reader.listings
        defer {
            if reader.listings != listings { core.counters.count { $0.interfaceListings += 1 } }
        }
        var facts = try core.kernel.lend { (socket) throws(NetlinkError) in
            try reader.facts(asking: socket, servers: servers)
        }
        facts.hints = NetworkHints(managed.interfaces)
        // It is read again when the first of its routes ends.
        let now = loop.now()
        let end = facts.lifetimes.compactMap { $0.end(now: now, known: known) }.min() ?? .distantFuture
        session?.end = end
        core.agenda.ends(at: end)
        return NetworkPath(facts)
    }

    /// Nothing is known now. The next path is told, whatever it is.
    private func wasRefused(_ error: NetlinkError) {
        core.askingWasRefused()
        let untold = session?.wasRefused == true ? newSubscribers : subscribers.merging(newSubscribers) { $1 }
        session?.know(path: nil, state: nil)
        subscribers.merge(newSubscribers) { $1 }
        withoutHints.merge(newSubscribers) { $1 }
        newSubscribers = [:]
        for subscriber in untold.values { subscriber.noteRefusal(ReachabilityError(error, object: "the network path")) }
    }

    private func connectToHints() {
        guard isActive else { return }
        managed.connect()
        // If there are new ones, the look that is due tells of them first.
        if !core.agenda.isPathAskedFor { tellThatHintsAreKnown() }
    }

    private func tellThatHintsAreKnown() {
        guard managed.areSettled else { return }
        for subscriber in withoutHints.values { subscriber.hintsAreKnown() }
        withoutHints = [:]
    }

    private func notifySubscribers(_ path: NetworkPath, _ state: NetworkState) {
        let before = session?.path
        let stateBefore = session?.state
        session?.know(path: path, state: state)
        let newSubscribers = newSubscribers
        self.newSubscribers = [:]
        core.trace.note("read the path: \(path.view().status.rawValue) \(path.view().interfaces.map(\.name))")
        if path != before {
            for subscriber in subscribers.values { subscriber.observe(path) }
            core.letClientsRun()
        }
        if state != stateBefore { for subscriber in subscribers.values { subscriber.observe(state) } }
        for subscriber in newSubscribers.values {
            subscriber.observe(path)
            subscriber.observe(state)
        }
        subscribers.merge(newSubscribers) { $1 }
        withoutHints.merge(newSubscribers) { $1 }
        // Not after a mere change of hints: a bus that ends every connection would be connected to for ever.
        // And not at once, because connecting takes longer than a look, and clients wait for the end of this.
        if path.withoutHints != before?.withoutHints { loop.enqueue { [weak core] in core?.paths.connectToHints() } }
        tellThatHintsAreKnown()
    }
}

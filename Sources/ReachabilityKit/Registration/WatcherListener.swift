// SPDX-License-Identifier: Apache-2.0

import HostResolution

/// One handler of a ``ReachabilityWatcher``, and what it listens to. Confined to the thread that the watcher belongs to.
class WatcherListener: @unchecked Sendable {
    let namespace: NamespaceContext
    private let due: DueListeners

    init(_ namespace: NamespaceContext, _ due: DueListeners) {
        self.namespace = namespace
        self.due = due
    }

    /// Makes `callBack` run at the end of the present turn.
    func becomeDue() { due.add(self) }

    func begin(on engine: Engine) {}
    func end(on engine: Engine?) {}
    /// Calls the handler with the newest state, if that is still due.
    func callBack() {}
}

/// The listeners whose handlers are due, in the order in which they became so.
final class DueListeners {
    private var waiting: [WatcherListener] = []

    func add(_ listener: WatcherListener) { waiting.append(listener) }

    func takeAll() -> [WatcherListener] {
        defer { waiting = [] }
        return waiting
    }
}

/// Listens to the flags of a reference.
final class FlagsListener: WatcherListener, WatchSubscriber, @unchecked Sendable {
    private let reference: ReachabilityRef
    private var handler: ((ReachabilityFlags) -> Void)?
    private var state = RegistrationState(known: nil)

    init(_ reference: ReachabilityRef, _ due: DueListeners, _ handler: @escaping (ReachabilityFlags) -> Void) {
        self.reference = reference
        self.handler = handler
        super.init(reference.namespace, due)
    }

    override func begin(on engine: Engine) {
        engine.add(self, to: reference.target, reference.keys)
    }

    override func end(on engine: Engine?) {
        engine?.remove(self, from: reference.target, reference.keys)
        state.end()
        handler = nil
    }

    func notify(_ observation: Observation, _ resolution: Resolution?) -> Registration? {
        if state.record(observation) { becomeDue() }
        return nil
    }

    override func callBack() {
        if let observation = state.beginDelivery() { handler?(observation.flags) }
    }
}

/// Listens to the path of a namespace.
final class PathListener: WatcherListener, PathSubscriber, @unchecked Sendable {
    /// Keeps what the configuration files say.
    private let resolver: Resolver
    private var handler: ((NetworkPath) -> Void)?
    private var newest: NetworkPath?
    private var told: NetworkPath?

    init(_ namespace: NamespaceContext, _ due: DueListeners, _ handler: @escaping (NetworkPath) -> Void) {
        resolver = namespace.systemResolver
        self.handler = handler
        super.init(namespace, due)
    }

    override func begin(on engine: Engine) { engine.add(self) }

    override func end(on engine: Engine?) {
        engine?.remove(self)
        handler = nil
    }

    func observe(_ path: NetworkPath) {
        newest = path
        becomeDue()
    }

    override func callBack() {
        guard let handler, let newest, newest != told else { return }
        told = newest
        handler(newest)
    }
}

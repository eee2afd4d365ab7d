// SPDX-License-Identifier: Apache-2.0

import HostResolution

/// One handler of a ``ReachabilityWatcher``, and what it listens to. Confined to the thread that the watcher belongs to.
protocol WatcherListener: AnyObject {
    var namespace: NamespaceContext { get }

    func begin(on engine: Engine)
    /// - Parameter engine: nil if it ends too.
    func end(on engine: Engine?)
    /// Calls the handler with the newest state, if that is still due.
    func callBack()
}

/// The listeners whose handlers are due at the end of the present turn, in the order in which they became so.
final class DueCallbacks {
    private var waiting: [any WatcherListener] = []

    func add(_ listener: any WatcherListener) { waiting.append(listener) }

    func takeAll() -> [any WatcherListener] {
        defer { waiting = [] }
        return waiting
    }
}

/// Listens to the flags of a reference.
final class FlagsListener: WatcherListener, WatchSubscriber, @unchecked Sendable {
    private let reference: ReachabilityRef
    private let due: DueCallbacks
    private let keys: RoutingKeys
    private var handler: ((ReachabilityFlags) -> Void)?
    private var state = RegistrationState(known: nil)

    init(_ reference: ReachabilityRef, _ due: DueCallbacks, _ handler: @escaping (ReachabilityFlags) -> Void) {
        self.reference = reference
        keys = reference.keysOfWatch
        self.due = due
        self.handler = handler
    }

    var namespace: NamespaceContext { reference.namespace }

    func begin(on engine: Engine) {
        engine.add(self, to: reference.target, keys)
    }

    func end(on engine: Engine?) {
        engine?.remove(self, from: reference.target, keys)
        state.end()
        handler = nil
    }

    func notify(_ observation: Observation, _ resolution: Resolution?) -> Registration? {
        if state.record(observation) { due.add(self) }
        return nil
    }

    func callBack() {
        if let observation = state.beginDelivery() { handler?(observation.flags) }
    }
}

/// Listens to the fate of a connection.
final class FateListener: WatcherListener, WatchSubscriber, @unchecked Sendable {
    private let fate: SocketFate
    private let due: DueCallbacks
    private let keys: RoutingKeys
    private var handler: ((SocketFate.State) -> Void)?
    private var told: SocketFate.State?

    init(_ fate: SocketFate, _ due: DueCallbacks, _ handler: @escaping (SocketFate.State) -> Void) {
        self.fate = fate
        keys = fate.path.keysOfWatch
        self.due = due
        self.handler = handler
    }

    var namespace: NamespaceContext { fate.path.namespace }
    var wantsEveryLook: Bool { true }

    func begin(on engine: Engine) { engine.add(self, to: fate.path.target, keys) }

    func end(on engine: Engine?) {
        engine?.remove(self, from: fate.path.target, keys)
        handler = nil
    }

    func notify(_ observation: Observation, _ resolution: Resolution?) -> Registration? {
        // After the end, nobody would take it out.
        if handler != nil { due.add(self) }
        return nil
    }

    func callBack() {
        guard let handler, let state = try? fate.current(), state != told else { return }
        told = state
        handler(state)
    }
}

/// Listens to a gate.
final class GateListener: WatcherListener, @unchecked Sendable {
    private let gate: RequestGate
    private let due: DueCallbacks
    private var handler: (([RequestGate.Obstacle]) -> Void)?
    private var follower: GateFollower?
    private var newest: [RequestGate.Obstacle] = []
    private var told: [RequestGate.Obstacle]?

    init(_ gate: RequestGate, _ due: DueCallbacks, _ handler: @escaping ([RequestGate.Obstacle]) -> Void) {
        self.gate = gate
        self.due = due
        self.handler = handler
    }

    var namespace: NamespaceContext { gate.reference.namespace }

    func begin(on engine: Engine) {
        // The engine runs on the thread of the watcher.
        follower = GateFollower(gate, on: engine, followsPath: gate.conditions.needPath) { [weak self] view in
            guard let self, let view else { return }
            newest = view.obstacles
            due.add(self)
        }
        follower?.begin()
    }

    func end(on engine: Engine?) {
        follower?.end()
        (follower, handler) = (nil, nil)
    }

    func callBack() {
        guard let handler, newest != told else { return }
        told = newest
        handler(newest)
    }
}

/// Listens to the path of a namespace.
final class PathListener: WatcherListener, PathSubscriber, @unchecked Sendable {
    let namespace: NamespaceContext
    /// Keeps what the configuration files say.
    private let resolver: Resolver
    private let due: DueCallbacks
    private var handler: ((NetworkPath) -> Void)?
    private var newest: NetworkPath?
    private var told: NetworkPath?

    init(_ namespace: NamespaceContext, _ due: DueCallbacks, _ handler: @escaping (NetworkPath) -> Void) {
        self.namespace = namespace
        resolver = namespace.systemResolver
        self.due = due
        self.handler = handler
    }

    func begin(on engine: Engine) { engine.add(self) }

    func end(on engine: Engine?) {
        engine?.remove(self)
        handler = nil
    }

    func observe(_ path: NetworkPath) {
        newest = path
        due.add(self)
    }

    func callBack() {
        guard let handler, let newest, newest != told else { return }
        told = newest
        handler(newest)
    }
}

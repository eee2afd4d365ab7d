// SPDX-License-Identifier: Apache-2.0

import ReachabilityConnections
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityReferences

/// Connects a connection with its client: holds the client's handlers, translates the events, and adds the path. It outlives a
/// connection object that was released, until the last state has been reported.
final class ConnectionObserver: Sendable {
    struct Handlers: Sendable {
        var state: (@Sendable (NWConnection.State) -> Void)?
        var path = ValueHandler<NWPath>()
        var viability = ValueHandler<Bool>()
        var betterPath = ValueHandler<Bool>()
    }

    /// A handler that is called with a value that differs from that of the last call. A handler that is set when there was none
    /// is called with the present value.
    struct ValueHandler<Value: Equatable & Sendable>: Sendable {
        var present: Value?
        private var told: Value?
        private(set) var body: (@Sendable (Value) -> Void)?

        /// Returns the handler before.
        mutating func replaceBody(_ new: (@Sendable (Value) -> Void)?) -> (@Sendable (Value) -> Void)? {
            defer { body = new }
            if body == nil { told = nil }
            return body
        }

        /// The call that is due.
        mutating func takeCall() -> (@Sendable () -> Void)? {
            guard let body, let present, present != told else { return nil }
            told = present
            return { body(present) }
        }
    }

    typealias Key<Value: Equatable & Sendable> = any WritableKeyPath<Handlers, ValueHandler<Value>> & Sendable

    private struct Locked {
        var handlers = Handlers()
        var isOver = false
        /// The subscription to the path.
        var subscription: CancellationToken?
        /// The newest path of the subscription. Only this one has NetworkManager's hints.
        var observed: NetworkPath?
    }

    private let locked = Lock(Locked())
    private let client: ConnectionClient
    private let reference: ReachabilityRef?
    private let choice: InterfaceChoice
    private let endpoint: NWEndpoint

    init(_ request: ConnectionRequest, _ endpoint: NWEndpoint) {
        client = request.connection.client
        reference = request.reference
        choice = request.choice
        self.endpoint = endpoint
        client.setObserver { event in self.report(event) }
    }

    /// Read just before a handler is called, so that a change takes effect at once.
    var handlers: Handlers { locked.withLock(\.handlers) }

    func setStateHandler(_ new: (@Sendable (NWConnection.State) -> Void)?) {
        // The old handler is released outside the lock, because a deinitializer of the client's may call anything.
        locked.remove { locked in
            defer { locked.handlers.state = new }
            return locked.handlers.state
        }
    }

    func setHandler<Value>(_ key: Key<Value>, _ new: (@Sendable (Value) -> Void)?) {
        locked.remove { $0.handlers[keyPath: key].replaceBody(new) }
        subscribeIfNeeded()
        guard isStarted else { return }
        client.deliver {
            self.tell(key)
            // A subscription that exists already does not report the path again.
            self.reportPath()
        }
    }

    /// Before the start, there is no queue on which a handler could be called.
    private var isStarted: Bool { client.queue != nil }

    // MARK: Events, on the client's queue

    private func report(_ event: ConnectionEvent) {
        switch event {
        case .state(let state):
            let (handler, visible) = (handlers.state, NWConnection.State(state))
            callingOut { handler?(visible) }
            switch state {
            case .cancelled, .failed: end(isCancelled: state == .cancelled)
            case .setup, .preparing, .waiting, .ready: reportPath()
            }
        case .viability(let isViable):
            tell(\.viability, isViable)
            reportPath()
        case .betterPath(let isAvailable): tell(\.betterPath, isAvailable)
        }
    }

    private func tell<Value>(_ key: Key<Value>, _ new: Value? = nil) {
        let call = locked.withLock { locked -> (@Sendable () -> Void)? in
            guard !locked.isOver else { return nil }
            if let new { locked.handlers[keyPath: key].present = new }
            return locked.handlers[keyPath: key].takeCall()
        }
        if let call { callingOut { call() } }
    }

    private func end(isCancelled: Bool) {
        let (subscription, _) = locked.withLock { locked in
            locked.isOver = true
            let handlers = locked.handlers
            // Handlers often hold an object that holds the connection.
            if isCancelled { locked.handlers = Handlers() }
            return (locked.subscription.take(), handlers)
        }
        subscription?.cancel()
    }

    // MARK: The path

    /// Subscribes if a handler needs the path, and the connection is started.
    func subscribeIfNeeded() {
        let isDue = locked.withLock { locked in
            !locked.isOver && locked.subscription == nil && locked.handlers.path.body != nil
        }
        guard isStarted, isDue else { return }
        let new = try? choice.source.observe { path in
            self.locked.withLock { $0.observed = path }
            self.client.deliver { self.reportPath() }
        }
        guard let subscription = new else { return }
        let isLate = locked.withLock { locked in
            guard !locked.isOver, locked.subscription == nil else { return true }
            locked.subscription = subscription
            return false
        }
        if isLate { subscription.cancel() }
    }

    private func reportPath() {
        guard handlers.path.body != nil, let path = path() else { return }
        tell(\.path, path)
    }

    /// The machine's present path, with NetworkManager's hints as they were last observed.
    private func machinePath() -> NetworkPath? {
        var path = try? choice.source.current()
        if let observed = locked.withLock(\.observed) { path?.takeHints(of: observed) }
        return path
    }

    /// The present path: the machine's path, narrowed to the route to the host if that is known.
    func path() -> NWPath? {
        guard isStarted, !locked.withLock(\.isOver), let network = machinePath() else { return nil }
        let ends = client.ends
        var view = network.view(choice.restriction)
        if let verdict = verdict(
            ends.map({ ($0.local.address, $0.remote.address) }))
        {
            let known = network.interfaces + (network.loopback.map { [$0] } ?? [])
            let used = known.filter { $0.linkIndex == verdict.interface && verdict.flags.rank != .none }
            let isReachable = verdict.flags.rank == .reachable
            view.status =
                switch verdict.flags.rank {
                case .none: .unsatisfied
                case .connectionRequired: .requiresConnection
                case .reachable: .satisfied
                }
            (view.interfaces, view.used) = (used, used)
            let isIPv6 = ends.map { $0.remote.address.family == .v6 } ?? reference?.isIPv6 ?? false
            (view.hasIPv4, view.hasIPv6) = (isReachable && !isIPv6, isReachable && isIPv6)
            view.hasDNS = isReachable && !network.servers.isEmpty
        }
        return NWPath(
            view, localEndpoint: ends.map { NWEndpoint($0.local, view) },
            remoteEndpoint: ends.map { NWEndpoint($0.remote, view) } ?? endpoint)
    }

    /// The answer for the route to the host; nil if it is not known without asking a name server.
    private func verdict(
        _ ends: (local: ReachabilityLinuxSystem.IPAddress, remote: ReachabilityLinuxSystem.IPAddress)?
    ) -> Verdict? {
        guard let reference, choice.isFree else { return nil }
        if let ends, let target = Target(local: ends.local, remote: ends.remote) {
            return try? ReachabilityRef(.target(target), keys: reference.keys, namespace: reference.namespace)
                .currentVerdict()
        }
        if case .name = reference.subject { return nil }
        return try? reference.currentVerdict()
    }
}

extension ReachabilityRef {
    fileprivate var isIPv6: Bool {
        if case .target(.address(let address)) = subject { address.unmapped.family == .v6 } else { false }
    }
}

extension NWEndpoint {
    fileprivate init(_ end: InternetSocket.End, _ view: PathView) {
        let address = end.address
        let interface = view.interfaces.first { address.scope == .index($0.linkIndex) }.map(NWInterface.init)
        self = .hostPort(host: Host(address, on: interface), port: Port(integerLiteral: end.port))
    }
}

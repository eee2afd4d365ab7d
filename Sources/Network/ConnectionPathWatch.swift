// SPDX-License-Identifier: Apache-2.0

import Connections
import LinuxSystem
import NetworkFacts
import ReachabilityKit
import Synchronization

/// Stands between a connection and its client: translates what is told, and adds the path. It outlives the connection
/// object that was let go of, until the last state is told.
final class ConnectionPathWatch: PathSubscriber {
    struct Handlers: Sendable {
        var state: (@Sendable (NWConnection.State) -> Void)?
        var path: (@Sendable (NWPath) -> Void)?
        var viability: (@Sendable (Bool) -> Void)?
    }

    private struct Locked {
        var handlers = Handlers()
        var isStarted = false
        var isOver = false
        var told: NWPath?
        var subscription: CancellationToken?
    }

    private let locked = Mutex(Locked())
    private let client: ConnectionClient
    private let reference: ReachabilityRef?
    private let choice: InterfaceChoice
    private let endpoint: NWEndpoint

    init(_ order: ConnectionRequest, _ endpoint: NWEndpoint) {
        client = order.connection.client
        reference = order.reference
        choice = order.choice
        self.endpoint = endpoint
    }

    var handlers: Handlers { locked.withLock(\.handlers) }

    /// What an old handler holds is let go of outside the lock: its deinitializer may call anything.
    func change<Handler: Sendable>(_ key: any WritableKeyPath<Handlers, Handler> & Sendable, to new: Handler) {
        _ = locked.withLock { locked in
            let old = locked.handlers[keyPath: key]
            locked.handlers[keyPath: key] = new
            return old
        }
        subscribeIfDue()
    }

    func start() {
        locked.withLock { $0.isStarted = true }
        subscribeIfDue()
    }

    // MARK: What the connection tells, on the client's queue

    func tell(_ state: ConnectionMachine.State) {
        handlers.state?(NWConnection.State(state))
        switch state {
        case .cancelled, .failed: end(isCancelled: state == .cancelled)
        case .setup, .preparing, .waiting, .ready: tellPath()
        }
    }

    func tellViability(_ isViable: Bool) {
        handlers.viability?(isViable)
        tellPath()
    }

    private func end(isCancelled: Bool) {
        let (subscription, _) = locked.withLock { locked in
            locked.isOver = true
            let handlers = locked.handlers
            // They often hold what holds the connection.
            if isCancelled { locked.handlers = Handlers() }
            return (locked.subscription.take(), handlers)
        }
        subscription?.cancel()
    }

    // MARK: The path

    /// Changes are heard for those only who want to be told.
    private func subscribeIfDue() {
        let isDue = locked.withLock { locked in
            locked.isStarted && !locked.isOver && locked.handlers.path != nil && locked.subscription == nil
        }
        guard isDue, let subscription = try? choice.source.subscribe(self) else { return }
        let isLate = locked.withLock { locked in
            guard !locked.isOver, locked.subscription == nil else { return true }
            locked.subscription = subscription
            return false
        }
        if isLate { subscription.cancel() }
    }

    /// On the engine's thread.
    func observe(_ path: NetworkPath) {
        client.deliver { self.tellPath() }
    }

    private func tellPath() {
        guard handlers.path != nil, let path = path() else { return }
        let handler = locked.withLock { locked in
            guard !locked.isOver, locked.told != path else { return nil as (@Sendable (NWPath) -> Void)? }
            locked.told = path
            return locked.handlers.path
        }
        handler?(path)
    }

    /// The present path: of all ways out the one that leads to the host, as far as that is known.
    func path() -> NWPath? {
        let isOn = locked.withLock { $0.isStarted && !$0.isOver }
        guard isOn, let network = try? choice.source.current() else { return nil }
        let ends = client.ends
        var view = network.view(choice.restriction)
        if let verdict = verdict(ends.map { (IPAddress($0.local), IPAddress($0.remote)) }) {
            let known = network.interfaces + (network.loopback.map { [$0] } ?? [])
            let used = known.filter { $0.index == verdict.interface && verdict.flags.rank != .none }
            let isReachable = verdict.flags.rank == .reachable
            view.status =
                switch verdict.flags.rank {
                case .none: .unsatisfied
                case .connectionRequired: .requiresConnection
                case .reachable: .satisfied
                }
            (view.interfaces, view.used) = (used, used)
            let isIPv6 = ends.map { $0.remote.address.count == 16 } ?? reference?.isIPv6 ?? false
            (view.hasIPv4, view.hasIPv6) = (isReachable && !isIPv6, isReachable && isIPv6)
            view.hasDNS = isReachable && !network.servers.isEmpty
        }
        return NWPath(
            view, localEndpoint: ends.map { NWEndpoint($0.local, view) },
            remoteEndpoint: ends.map { NWEndpoint($0.remote, view) } ?? endpoint)
    }

    /// What is known of the way to the host; nil where that would be a question to a name server.
    private func verdict(_ ends: (local: NetworkFacts.IPAddress, remote: NetworkFacts.IPAddress)?) -> Verdict? {
        guard let reference, choice.isFree else { return nil }
        if let ends, let target = Target(local: ends.local, remote: ends.remote) {
            return try? ReachabilityRef(target: target, keys: reference.keys, namespace: reference.namespace)
                .currentVerdict()
        }
        if case .name = reference.target { return nil }
        return try? reference.currentVerdict()
    }

    private typealias IPAddress = NetworkFacts.IPAddress
}

extension ReachabilityRef {
    fileprivate var isIPv6: Bool {
        if case .address(let address) = target { address.unmapped.family == .v6 } else { false }
    }
}

extension NWEndpoint {
    fileprivate init(_ end: StreamSocket.End, _ view: PathView) {
        let host: Host
        switch NetworkFacts.IPAddress(end) {
        case .v4(let address): host = .ipv4(IPv4Address(address))
        case .v6(let address, let scope):
            // A link-local address means something on its link only.
            let interface = view.interfaces.first { $0.index == scope }.map(NWInterface.init)
            host = .ipv6(IPv6Address(address, interface))
        }
        self = .hostPort(host: host, port: Port(integerLiteral: end.port))
    }
}

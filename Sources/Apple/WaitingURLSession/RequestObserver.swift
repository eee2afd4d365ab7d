// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LinuxSystem
import Netlink
import ReachabilityKit
import Synchronization

/// What a request may use.
struct NetworkDemands: Hashable, Sendable {
    var allowsCellular = true
    var allowsExpensive = true

    var areNone: Bool { allowsCellular && allowsExpensive }
}

/// What matters of the network to a request, at one moment.
struct NetworkSnapshot: Hashable, Sendable {
    /// Why the host cannot be reached in an allowed way; nil if it can.
    var obstacle: ConnectivityObstacle?
    /// The addresses that this machine may have sent from. Empty if they do not matter, as for a host on this machine.
    var addresses: Set<IPAddress> = []

    /// Nothing is known of the network, and nothing stands in the way.
    static let open = NetworkSnapshot()

    /// - Parameters:
    ///   - host: what was found of each address of the host. libcurl chooses among them, so each must be allowed.
    ///   - metered: interfaces that are metered, although the path does not say so yet.
    init(_ host: [Observation], _ path: NetworkPath, _ demands: NetworkDemands, metered: Set<InterfaceIndex>) {
        guard host.contains(where: \.flags.isReachable) else {
            obstacle = .unreachable
            return
        }
        let remote = host.filter { $0.flags.contains(.reachable) && !$0.flags.contains(.isLocalAddress) }
        if remote.isEmpty { return }
        addresses = Set(path.interfaces.flatMap(\.addresses).map(\.address))
        let used = remote.flatMap { path.interfacesUsed(towards: $0.interface) }
        let isCellular = used.contains { $0.kind == .cellular } || remote.contains { $0.flags.contains(.isWWAN) }
        if isCellular && !demands.allowsCellular {
            obstacle = .cellular
        } else if !demands.allowsExpensive,
            isCellular || used.contains(where: { $0.isMetered || metered.contains($0.index) })
        {
            obstacle = .expensive
        }
    }

    private init() {}

    /// Whether a connection that was made at the time of an earlier snapshot can carry nothing any more: the machine is on
    /// the network again, and has none of the addresses that it had. (Linux does not end such connections.)
    func severs(_ earlier: NetworkSnapshot) -> Bool {
        obstacle != .unreachable && !addresses.isEmpty && !earlier.addresses.isEmpty
            && addresses.isDisjoint(with: earlier.addresses)
    }
}

extension NetworkPath {
    /// The interface of the route to a host. Packets into a tunnel also leave by another interface; this takes the one that
    /// the default path uses.
    fileprivate func interfacesUsed(towards index: InterfaceIndex?) -> [Interface] {
        let view = view()
        guard let own = interfaces.first(where: { $0.index == index }) else { return view.used }
        return own.isTunnel ? [own] + view.used : [own]
    }
}

/// Observes the host of a request and the machine's path.
final class RequestObserver: PathSubscriber {
    private struct State {
        /// What was found of each address of the host.
        var host: [Observation]?
        var path: NetworkPath?
        /// Whether NetworkManager has yet to say which networks are metered.
        var isHintMissing: Bool
        /// The metered interfaces, until the engine knows them.
        var metered: Set<InterfaceIndex> = []
        /// Raised with each change of what is known. Several calls of `changed` may be about one change.
        var version = 0
        var tokens: [CancellationToken] = []
        var isOver = false
    }

    private let state: Mutex<State>
    private let demands: NetworkDemands
    private let changed: @Sendable () -> Void

    /// - Parameter changed: called when `present(after:)` may have something new. Must not wait.
    init(_ demands: NetworkDemands, changed: @escaping @Sendable () -> Void) {
        state = Mutex(State(isHintMissing: !demands.allowsExpensive))
        self.demands = demands
        self.changed = changed
    }

    /// What is known now. Nil as long as a part of it is missing, and if it has not changed since the given version.
    func present(after version: inout Int) -> NetworkSnapshot? {
        state.withLock { state in
            guard let host = state.host, let path = state.path, !state.isHintMissing, state.version != version else {
                return nil
            }
            version = state.version
            return NetworkSnapshot(host, path, demands, metered: state.metered)
        }
    }

    func begin(_ reference: ReachabilityRef) throws(ReachabilityError) {
        let source = PathSource()
        // The addresses of a name may differ where its best one is as before.
        keep(try reference.observe(everyLook: true) { [weak self] in self?.observe($0.observations) })
        keep(try source.subscribe(self))
        guard !demands.allowsExpensive else { return }
        // The path's first update does not wait for NetworkManager. The limit is that of the bus's answer.
        DispatchQueue.global().async { [weak self] in
            let path = try? source.current(hintTimeout: .milliseconds(250))
            self?.takeHint(Set(path?.interfaces.filter(\.isMetered).map(\.index) ?? []))
        }
    }

    func end() {
        let tokens = state.withLock { state in
            state.isOver = true
            defer { state.tokens = [] }
            return state.tokens
        }
        for token in tokens { token.cancel() }
    }

    private func keep(_ token: CancellationToken) {
        state.withLock { $0.tokens.append(token) }
    }

    // MARK: Events

    private func observe(_ host: [Observation]?) {
        guard let host else { return }
        note { state in
            guard state.host != host else { return false }
            state.host = host
            return true
        }
    }

    /// Called on the engine's thread.
    func observe(_ path: NetworkPath) {
        note { state in
            guard !state.isOver, state.path != path else { return false }
            state.path = path
            // The engine has NetworkManager's answer, and follows it.
            if path.connectivity != .unknown || path.interfaces.contains(where: \.isMetered) { state.metered = [] }
            return true
        }
    }

    private func takeHint(_ metered: Set<InterfaceIndex>) {
        note { state in
            state.isHintMissing = false
            let isKnown = state.path.map { $0.connectivity != .unknown } ?? false
            if !isKnown { state.metered = metered }
            return true
        }
    }

    /// - Parameter update: returns whether it has changed something.
    private func note(_ update: (inout State) -> Bool) {
        let isNew = state.withLock { state in
            guard update(&state) else { return false }
            state.version += 1
            return true
        }
        if isNew { changed() }
    }
}

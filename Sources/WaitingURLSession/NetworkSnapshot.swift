// SPDX-License-Identifier: Apache-2.0

import NetworkFacts
import ReachabilityKit

/// What a request may use.
struct NetworkDemands: Hashable, Sendable {
    var allowsCellular = true
    var allowsExpensive = true
}

/// What matters of the network to a request, at one moment.
struct NetworkSnapshot: Hashable, Sendable {
    /// Why the host cannot be reached in an allowed way; nil if it can.
    var obstacle: ConnectivityObstacle?
    /// The addresses that this machine may have sent from. Empty if they do not matter, as for a host on this machine.
    var addresses: Set<IPAddress> = []

    /// Nothing is known of the network, and nothing stands in the way.
    static let open = NetworkSnapshot()

    /// - Parameter metered: an interface that is metered, although the path does not say so yet.
    init(_ host: Observation, _ path: NetworkPath, _ demands: NetworkDemands, metered: String?) {
        guard host.flags.isReachable else {
            obstacle = .unreachable
            return
        }
        if host.flags.contains(.isLocalAddress) { return }
        addresses = Set(path.interfaces.flatMap(\.addresses).map(\.address))
        let used = path.interfacesUsed(towards: host.interface)
        if !demands.allowsCellular, used.contains(where: { $0.kind == .cellular }) {
            obstacle = .cellular
        } else if !demands.allowsExpensive,
            used.contains(where: { $0.kind == .cellular || $0.isMetered || $0.name == metered })
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

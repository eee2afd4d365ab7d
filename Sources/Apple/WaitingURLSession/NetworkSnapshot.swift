// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import ReachabilityKit

/// What matters of the network to a request, at one moment.
struct NetworkSnapshot: Hashable, Sendable {
    /// Why the host cannot be reached in an allowed way; nil if it can.
    var obstacle: ConnectivityObstacle?
    /// The addresses that this machine may have sent from. Empty if they do not matter, as for a host on this machine.
    var addresses: Set<IPAddress> = []

    /// Nothing is known of the network, and nothing stands in the way.
    static let open = NetworkSnapshot()

    /// Nil if not all is known yet.
    init?(_ view: GateView) {
        switch view.obstacles.first {
        case nil: break
        case .unknown: return nil
        case .unreachable, .unstable: obstacle = .unreachable
        // Only mobile networks are prohibited by kind.
        case .interface: obstacle = .cellular
        case .expensive, .constrained: obstacle = .expensive
        }
        let remote = view.host.contains { $0.flags.contains(.reachable) && !$0.flags.contains(.isLocalAddress) }
        if obstacle != .unreachable, remote {
            addresses = Set(view.path.interfaces.flatMap(\.addresses).map(\.address))
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

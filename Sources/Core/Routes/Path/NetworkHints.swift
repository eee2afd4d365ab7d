// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilitySystemBus

/// What NetworkManager says of interfaces, and the kernel does not know. No flag and no status depends on it.
package struct NetworkHints: Hashable, Sendable {
    package struct Interface: Hashable, Sendable {
        package var isMetered: Bool
        /// What was found by each family.
        package var ipv4: NetworkPath.Connectivity
        package var ipv6: NetworkPath.Connectivity

        package init(
            isMetered: Bool = false, ipv4: NetworkPath.Connectivity = .unknown,
            ipv6: NetworkPath.Connectivity = .unknown
        ) {
            (self.isMetered, self.ipv4, self.ipv6) = (isMetered, ipv4, ipv6)
        }

        func connectivity(_ family: AddressFamily) -> NetworkPath.Connectivity { family == .v4 ? ipv4 : ipv6 }
    }

    /// What is known. An index is never given to a link that was made anew, so nothing is known of that at first.
    package var interfaces: [InterfaceIndex: Interface] = [:]

    package init(_ interfaces: [InterfaceIndex: Interface] = [:]) {
        self.interfaces = interfaces
    }

    /// The best that was found by the default routes, in NetworkManager's order (`nm_connectivity_state_cmp`).
    func connectivity(of path: NetworkPath) -> NetworkPath.Connectivity {
        let found = AddressFamily.allCases.compactMap { family in
            path.defaultRoute(family).flatMap { interfaces[$0.interface]?.connectivity(family) }
        }
        return [.full, .portal, .limited, .none].first(where: found.contains) ?? .unknown
    }
}

extension NetworkHints {
    init(_ managed: [InterfaceIndex: NetworkManager.Device]) {
        self.init(
            managed.mapValues {
                Interface(
                    isMetered: $0.isMetered, ipv4: NetworkPath.Connectivity($0.ipv4),
                    ipv6: NetworkPath.Connectivity($0.ipv6))
            })
    }
}

extension NetworkPath.Connectivity {
    fileprivate init(_ connectivity: NetworkManager.Connectivity) {
        switch connectivity {
        case .unknown: self = .unknown
        case .none: self = .none
        case .portal: self = .portal
        case .limited: self = .limited
        case .full: self = .full
        }
    }
}

extension NamespaceContext {
    /// How NetworkManager is reached in this namespace.
    var managedInterfaces: ManagedInterfaces.Access {
        ManagedInterfaces.Access(
            connect: { [self] in
                (try? inside { [systemBus] () throws(NetlinkError) in BusSocket.connect(to: systemBus) }) ?? .absent
            },
            index: { [self] in index(of: $0) })
    }
}

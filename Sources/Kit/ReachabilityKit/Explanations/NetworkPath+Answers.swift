// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles

/// What a path says of packets that are bound to no interface.
extension NetworkPath {
    /// Whether packets can leave this machine.
    public var status: Status { view().status }
    /// Whether IPv4 packets can leave.
    public var hasIPv4: Bool { view().hasIPv4 }
    /// Whether IPv6 packets can leave.
    public var hasIPv6: Bool { view().hasIPv6 }
    /// Whether packets can leave, and a name server is configured.
    public var hasDNS: Bool { view().hasDNS }
    /// Whether packets leave by a mobile network, or by one that NetworkManager calls metered.
    public var isExpensive: Bool { view().isExpensive }
    /// Whether packets leave by a network that NetworkManager calls metered.
    public var isConstrained: Bool { view().isConstrained }
    /// The interface that packets leave by; nil if there is none. If IPv4 and IPv6 leave by two, that of IPv4.
    public var interface: Interface? { view().interfaces.first }
    /// The addresses of the name servers, such as `192.0.2.53` or `[2001:db8::53]:5353`, in the order in which they are asked.
    public var nameServers: [String] { servers.map(\.description) }
    /// Why packets can leave or cannot, in one clause, such as "there is no default route".
    public var reason: String { decidedBy.aboutDefaultRoute.clause }
    /// The same as an identifier that never changes, such as `no_route`. The manual page of `reachability` lists them.
    public var reasonCode: String { decidedBy.code }
}

extension NetworkPath.Interface {
    /// The kernel's number for it.
    public var index: UInt32 { linkIndex.rawValue }
    /// Whether IPv4 packets that are bound to it can leave.
    public var hasIPv4: Bool { ipv4?.flags.rank == .reachable }
    /// Whether IPv6 packets that are bound to it can leave.
    public var hasIPv6: Bool { ipv6?.flags.rank == .reachable }
    /// Its addresses that reach beyond the link, such as `192.0.2.7/24`.
    public var addresses: [String] { ownAddresses.filter(\.reachesBeyondLink).map(\.description) }
    /// The gateways of its default routes, also of those whose link does not work.
    public var gateways: [String] { gatewayAddresses.map(\.description) }
    /// Why it leads out or does not, in one clause.
    public var reason: String { decidedBy.aboutDefaultRoute.clause }
    /// The same as an identifier that never changes, such as `no_carrier`. The manual page of `reachability` lists them.
    public var reasonCode: String { decidedBy.code }
}

extension NetworkPath: CustomStringConvertible {
    /// The status, then a line for each interface, then the name servers, as `reachability path` prints them. Control
    /// characters are written as escapes.
    public var description: String {
        var words = [String]()
        if hasIPv4 { words.append("IPv4") }
        if hasIPv6 { words.append("IPv6") }
        if hasDNS { words.append("DNS") }
        if isExpensive { words.append("expensive") }
        if connectivity != .unknown { words.append("connectivity \(connectivity.rawValue)") }
        let status = status.rawValue + (status == .satisfied ? "" : " (\(decidedBy.aboutDefaultRoute.words))")
        var lines = [([status] + words).joined(separator: ", ")]
        let width = interfaces.map(\.name.printable.count).max() ?? 0
        for interface in interfaces {
            let name = interface.name.printable
            lines.append("  " + name + String(repeating: " ", count: width - name.count) + "  " + interface.facts)
        }
        if !nameServers.isEmpty { lines.append("  DNS " + nameServers.joined(separator: " ")) }
        return lines.map(\.printable).joined(separator: "\n")
    }
}

extension NetworkPath.Interface: CustomStringConvertible {
    /// Its name, its kind, its addresses and gateways, and why it does not lead out, such as
    /// `eth0 wiredEthernet 192.0.2.7/24 via 192.0.2.1`.
    public var description: String { "\(name) \(facts)".printable }

    fileprivate var facts: String {
        var words = [isTunnel ? "tunnel" : kind.rawValue] + addresses
        if !gateways.isEmpty { words += ["via"] + gateways }
        if !leadsOut { words.append("(\(decidedBy.aboutDefaultRoute.words))") }
        return words.joined(separator: " ")
    }
}

extension Reason {
    /// The reason where it decides about a default route, not about a target: in a few words, to stand in parentheses, and in a
    /// clause, to follow a colon.
    fileprivate var aboutDefaultRoute: (words: String, clause: String) {
        switch self {
        case .refused(.noRoute), .refused(.noRouteOnInterface): ("no default route", "there is no default route")
        case .refused(.unreachable): (words, "the default route is of type 'unreachable'")
        case .refused(.prohibited): (words, "a route or rule of type 'prohibit' covers the default path")
        case .refused(.blackhole): (words, "a route, rule or next hop of type 'blackhole' covers the default path")
        case .thisMachine: (words, "the default route leads to this machine itself")
        case .onLink: (words, "the default route leads to a link, with no gateway between")
        case .throughGateway: (words, "the default route leads through a gateway")
        case .overPointToPoint: (words, "the default route leads over a link with a single peer")
        default: (words, description)
        }
    }
}

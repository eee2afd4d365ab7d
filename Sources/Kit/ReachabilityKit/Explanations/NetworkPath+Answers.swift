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
    /// Why packets can leave or cannot, in one clause.
    public var reason: String { decidedBy.description }
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
    public var reason: String { decidedBy.description }
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
        let status = status.rawValue + (status == .satisfied ? "" : " (\(decidedBy.words))")
        var lines = [([status] + words).joined(separator: ", ")]
        let width = interfaces.map(\.name.printable.count).max() ?? 0
        for interface in interfaces {
            let name = interface.name.printable
            var line = "  " + name + String(repeating: " ", count: width - name.count)
            line += "  " + (interface.isTunnel ? "tunnel" : interface.kind.rawValue)
            for address in interface.addresses { line += " " + address }
            if !interface.gateways.isEmpty { line += " via " + interface.gateways.joined(separator: " ") }
            if !interface.leadsOut { line += " (\(Self.words(interface.decidedBy)))" }
            lines.append(line)
        }
        if !nameServers.isEmpty { lines.append("  DNS " + nameServers.joined(separator: " ")) }
        return lines.map(\.printable).joined(separator: "\n")
    }

    private static func words(_ reason: Reason) -> String {
        switch reason {
        case .refused(.noRoute), .refused(.noRouteOnInterface): "no default route"
        default: reason.words
        }
    }
}

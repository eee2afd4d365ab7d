// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
package import ReachabilityRoutes

/// The path by which packets can leave this machine, at one moment.
///
/// ```swift
/// monitor.pathUpdateHandler = { path in
///     print(path.status == .satisfied ? "online" : "offline", path.isExpensive ? "and expensive" : "")
/// }
/// ```
public struct NWPath: Equatable, Sendable, CustomDebugStringConvertible {
    /// Whether packets can leave.
    public enum Status: Sendable {
        /// Packets can leave.
        case satisfied
        /// Packets cannot leave.
        case unsatisfied
        /// The link waits for a connection, such as a dial or a login, that traffic may start.
        case requiresConnection
    }

    /// Why packets cannot leave.
    public enum UnsatisfiedReason: Sendable {
        /// No interface has a working route, for none of the reasons below.
        case notAvailable
        /// The user has forbidden mobile networks. Never used on Linux.
        case cellularDenied
        /// The user has forbidden Wi-Fi. Never used on Linux.
        case wifiDenied
        /// The user has forbidden the local network. Never used on Linux.
        case localNetworkDenied
        /// The default route leads into a tunnel that carries nothing, because its program is not running.
        case vpnInactive
    }

    /// The quality of the link.
    public enum LinkQuality: Sendable {
        /// Not known. This is always the value on Linux.
        case unknown
        /// Poor.
        case minimal
        /// Usable.
        case moderate
        /// Good.
        case good
    }

    /// Whether packets can leave.
    public let status: Status
    /// Why packets cannot leave; `notAvailable` if they can.
    public let unsatisfiedReason: UnsatisfiedReason
    /// The interfaces by which packets can leave, the most preferred first.
    public let availableInterfaces: [NWInterface]
    /// The gateways of these interfaces, in the same order. Their port is 0.
    public let gateways: [NWEndpoint]
    /// Whether packets leave by a mobile network, or by one that NetworkManager calls metered.
    public let isExpensive: Bool
    /// Whether packets leave by a network that NetworkManager calls metered.
    public let isConstrained: Bool
    /// Whether the link carries very little data, such as a satellite link. Always false on Linux.
    public let isUltraConstrained = false
    /// The quality of the link. Always unknown on Linux.
    public let linkQuality = LinkQuality.unknown
    /// Whether IPv4 packets can leave.
    public let supportsIPv4: Bool
    /// Whether IPv6 packets can leave.
    public let supportsIPv6: Bool
    /// Whether a name server is configured.
    public let supportsDNS: Bool
    /// The local end of the connection; nil in a monitor's path.
    public let localEndpoint: NWEndpoint?
    /// The remote end of the connection; nil in a monitor's path.
    public let remoteEndpoint: NWEndpoint?

    private let usedTypes: [NWInterface.InterfaceType]

    /// Whether packets leave by an interface of this type. The interface that carries a tunnel counts, too.
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool {
        usedTypes.contains(type)
    }

    /// The path before the first one is known.
    static let unknown = NWPath(PathView())

    /// - Parameters:
    ///   - localEndpoint: that of the connection; nil for a monitor.
    ///   - remoteEndpoint: that of the connection; nil for a monitor.
    package init(_ view: PathView, localEndpoint: NWEndpoint? = nil, remoteEndpoint: NWEndpoint? = nil) {
        let interfaces = view.interfaces.map { ($0, NWInterface($0)) }
        status =
            switch view.status {
            case .satisfied: .satisfied
            case .unsatisfied: .unsatisfied
            case .requiresConnection: .requiresConnection
            }
        availableInterfaces = interfaces.map(\.1)
        var gateways: [NWEndpoint] = []
        for (interface, visible) in interfaces {
            for gateway in [interface.ipv4?.gateway, interface.ipv6?.gateway].compactMap(\.self) {
                let endpoint = NWEndpoint.hostPort(host: NWEndpoint.Host(gateway, on: visible), port: .any)
                if !gateways.contains(endpoint) { gateways.append(endpoint) }
            }
        }
        self.gateways = gateways
        usedTypes = view.used.map { NWInterface.InterfaceType($0.kind) }
        unsatisfiedReason = view.isTunnelDown ? .vpnInactive : .notAvailable
        isExpensive = view.isExpensive
        isConstrained = view.isConstrained
        supportsIPv4 = view.hasIPv4
        supportsIPv6 = view.hasIPv6
        supportsDNS = view.hasDNS
        self.localEndpoint = localEndpoint
        self.remoteEndpoint = remoteEndpoint
    }

    /// The path in one line, for logs.
    public var debugDescription: String {
        var words: [String] =
            switch status {
            case .satisfied: ["satisfied (Path is satisfied)"]
            case .unsatisfied:
                ["unsatisfied (\(unsatisfiedReason == .vpnInactive ? "VPN is inactive" : "No network route"))"]
            case .requiresConnection: ["requiresConnection (Path requires a connection)"]
            }
        if let first = availableInterfaces.first { words.append("interface: \(first.name)") }
        if supportsIPv4 { words.append("ipv4") }
        if supportsIPv6 { words.append("ipv6") }
        if supportsDNS { words.append("dns") }
        if isExpensive { words.append("expensive") }
        if isConstrained { words.append("constrained") }
        return words.joined(separator: ", ")
    }
}

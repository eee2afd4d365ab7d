// SPDX-License-Identifier: Apache-2.0

import NetworkFacts
import ReachabilityKit

/// What was known at one moment of the ways out of this machine.
///
/// ```swift
/// monitor.pathUpdateHandler = { path in
///     print(path.status == .satisfied ? "online" : "offline", path.isExpensive ? "and expensive" : "")
/// }
/// ```
public struct NWPath: Equatable, Sendable, CustomDebugStringConvertible {
    /// Whether anything can be reached.
    public enum Status: Sendable {
        /// There is a way out.
        case satisfied
        /// There is none.
        case unsatisfied
        /// There is none yet, but using it may make one: the link waits for a dial or a login.
        case requiresConnection
    }

    /// Why there is no way out.
    public enum UnsatisfiedReason: Sendable {
        /// No interface has one. On Linux it is always this.
        case notAvailable
        /// The user has forbidden mobile networks.
        case cellularDenied
        /// The user has forbidden Wi-Fi.
        case wifiDenied
        /// The user has forbidden the local network.
        case localNetworkDenied
        /// A VPN that is required is down.
        case vpnInactive
    }

    /// How good the link is.
    public enum LinkQuality: Sendable {
        /// Not known. On Linux it is always this.
        case unknown
        /// Hardly usable.
        case minimal
        /// Usable.
        case moderate
        /// Good.
        case good
    }

    /// Whether anything can be reached.
    public let status: Status
    /// Why not. `notAvailable` also where there is nothing to explain.
    public let unsatisfiedReason: UnsatisfiedReason
    /// The interfaces by which packets can get out, the most preferred first.
    public let availableInterfaces: [NWInterface]
    /// The routers of those interfaces, in the same order. Their port is 0.
    public let gateways: [NWEndpoint]
    /// Whether data costs: packets leave by a mobile network, or by one that NetworkManager calls metered.
    public let isExpensive: Bool
    /// Whether the user wants data saved. Always false: nothing on Linux says so.
    public let isConstrained: Bool
    /// Whether the link carries next to nothing, such as one by satellite. Always false.
    public let isUltraConstrained: Bool
    /// How good the link is. Always unknown.
    public let linkQuality: LinkQuality
    /// Whether IPv4 gets out.
    public let supportsIPv4: Bool
    /// Whether IPv6 gets out.
    public let supportsIPv6: Bool
    /// Whether a name server is configured.
    public let supportsDNS: Bool
    /// The local end of a connection. A monitor's path has none.
    public let localEndpoint: NWEndpoint?
    /// The remote end of a connection. A monitor's path has none.
    public let remoteEndpoint: NWEndpoint?

    private let usedTypes: [NWInterface.InterfaceType]

    /// Whether packets leave by an interface of this type now; through a tunnel, also what the tunnel leaves by.
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool {
        usedTypes.contains(type)
    }

    /// Nothing known yet.
    static let unknown = NWPath(PathView())

    /// - Parameters:
    ///   - localEndpoint: of the connection whose path it is.
    ///   - remoteEndpoint: likewise.
    init(_ view: PathView, localEndpoint: NWEndpoint? = nil, remoteEndpoint: NWEndpoint? = nil) {
        let interfaces = view.interfaces.map { ($0, NWInterface($0)) }
        status =
            switch view.status {
            case .satisfied: .satisfied
            case .unsatisfied: .unsatisfied
            case .requiresConnection: .requiresConnection
            }
        unsatisfiedReason = .notAvailable
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
        isExpensive = view.isExpensive
        isConstrained = false
        isUltraConstrained = false
        linkQuality = .unknown
        supportsIPv4 = view.hasIPv4
        supportsIPv6 = view.hasIPv6
        supportsDNS = view.hasDNS
        self.localEndpoint = localEndpoint
        self.remoteEndpoint = remoteEndpoint
    }

    /// The path on one line, for logs.
    public var debugDescription: String {
        var words: [String] =
            switch status {
            case .satisfied: ["satisfied (Path is satisfied)"]
            case .unsatisfied: ["unsatisfied (No network route)"]
            case .requiresConnection: ["requiresConnection (Path requires a connection)"]
            }
        if let first = availableInterfaces.first { words.append("interface: \(first.name)") }
        if supportsIPv4 { words.append("ipv4") }
        if supportsIPv6 { words.append("ipv6") }
        if supportsDNS { words.append("dns") }
        if isExpensive { words.append("expensive") }
        return words.joined(separator: ", ")
    }
}

// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Client code, in the form clients write it.

import Network

// What later systems added.

public struct PathReport: Sendable, Equatable {
    public var isConstrained: Bool
    public var isUltraConstrained: Bool
    public var quality: String
    public var reason: String

    public init(_ path: NWPath) {
        isConstrained = path.isConstrained
        isUltraConstrained = path.isUltraConstrained
        quality =
            switch path.linkQuality {
            case .good: "good"
            case .moderate: "moderate"
            case .minimal: "minimal"
            case .unknown: "unknown"
            @unknown default: "?"
            }
        reason =
            switch path.unsatisfiedReason {
            case .notAvailable: "not available"
            case .cellularDenied: "cellular denied"
            case .wifiDenied: "Wi-Fi denied"
            case .localNetworkDenied: "local network denied"
            case .vpnInactive: "VPN inactive"
            @unknown default: "?"
            }
    }
}

public func gatewayTexts(of path: NWPath) -> [String] {
    path.gateways.compactMap { gateway in
        switch gateway {
        case .hostPort(let host, _): "\(host)"
        case .service, .unix, .url, .opaque: nil
        @unknown default: nil
        }
    }
}

public func firstRouterV4(of path: NWPath) -> String? {
    for case .hostPort(host: .ipv4(let address), port: _) in path.gateways {
        return address.rawValue.map(String.init).joined(separator: ".")
    }
    return nil
}

public func family(of text: String) -> String {
    if IPv4Address(text) != nil { return "v4" }
    if let address = IPv6Address(text) { return address.isLinkLocal ? "v6 link" : "v6" }
    let host = NWEndpoint.Host(text)
    if case .name(let name, nil) = host { return "name \(name)" }
    return "\(host)"
}

public let endpoint = NWEndpoint.hostPort(host: "www.example.org", port: .https)
public let another = NWEndpoint.hostPort(host: NWEndpoint.Host("192.0.2.1"), port: NWEndpoint.Port(rawValue: 8080)!)
public let address: any IPAddress = IPv4Address.loopback

public func words(for error: NWError) -> String {
    switch error {
    case .posix(let code): code == .ECONNREFUSED ? "refused" : "\(code)"
    case .dns(let code): "dns \(code)"
    case .tls(let status): "tls \(status)"
    case .wifiAware(let code): "wifi aware \(code)"
    @unknown default: "\(error)"
    }
}

/// Without a default, every case of Apple's SDKs of 2025 is named.
public func number(of error: NWError) -> Int32 {
    switch error {
    case .posix(let code): code.rawValue
    case .dns(let code), .tls(let code), .wifiAware(let code): code
    }
}

public func parametersForSatellites() -> NWParameters {
    let parameters = NWParameters.tcp
    parameters.allowUltraConstrainedPaths = true
    return parameters
}

/// The length byte of BSD socket addresses.
public func loopbackSocketAddress() -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    return address
}

/// The first satisfied path.
public func online() async -> NWPath? {
    for await path in NWPathMonitor() where path.status == .satisfied { return path }
    return nil
}

public func session() -> URLSession { URLSession(configuration: .ephemeral) }

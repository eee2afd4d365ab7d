// SPDX-License-Identifier: Apache-2.0

/// One end of a connection.
public enum NWEndpoint: Hashable, Sendable, CustomDebugStringConvertible {
    /// A host and a port.
    case hostPort(host: Host, port: Port)
    /// A Bonjour service.
    case service(name: String, type: String, domain: String, interface: NWInterface?)
    /// A socket in the file system.
    case unix(path: String)
    /// A URL.
    case url(URL)
    /// An endpoint of another kind. Never made on Linux.
    case opaque(nw_endpoint_t)

    /// The interface named with the endpoint.
    public var interface: NWInterface? {
        switch self {
        case .hostPort(let host, _): host.interface
        case .service(_, _, _, let interface): interface
        case .unix, .url, .opaque: nil
        }
    }

    /// Host and port, separated by a colon; by a dot if the host is an IPv6 address.
    public var debugDescription: String {
        switch self {
        case .hostPort(let host, let port):
            if case .ipv6 = host { "\(host).\(port)" } else { "\(host):\(port)" }
        case .service(let name, let type, let domain, let interface): "\(name).\(type).\(domain)\(interface.zone)"
        case .unix(let path): path
        case .url(let url): url.absoluteString
        case .opaque: "opaque"
        }
    }

    /// Whether both are the same endpoint.
    public static func == (left: NWEndpoint, right: NWEndpoint) -> Bool {
        switch (left, right) {
        case (.hostPort(let host, let port), .hostPort(let otherHost, let otherPort)):
            host == otherHost && port == otherPort
        case (.service(let name, let type, let domain, let interface), .service(let n, let t, let d, let i)):
            name == n && type == t && domain == d && interface == i
        case (.unix(let path), .unix(let other)): path == other
        case (.url(let url), .url(let other)): url == other
        case (.opaque(let object), .opaque(let other)): object === other
        default: false
        }
    }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .hostPort(let host, let port):
            hasher.combine(host)
            hasher.combine(port)
        case .service(let name, let type, let domain, let interface):
            hasher.combine(name)
            hasher.combine(type)
            hasher.combine(domain)
            hasher.combine(interface)
        case .unix(let path): hasher.combine(path)
        case .url(let url): hasher.combine(url)
        case .opaque(let object): hasher.combine(ObjectIdentifier(object))
        }
    }
}

/// The endpoint of Apple's C interface, which is not offered. It exists for `switch` statements only.
public protocol OS_nw_endpoint: AnyObject, Sendable {}

/// The endpoint of Apple's C interface, which is not offered. It exists for `switch` statements only.
public typealias nw_endpoint_t = any OS_nw_endpoint

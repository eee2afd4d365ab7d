// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
package import ReachabilityLinuxSystem

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
    /// An endpoint of another kind. This package never makes one.
    case opaque(nw_endpoint_t)

    /// The interface that was given with the endpoint.
    public var interface: NWInterface? {
        switch self {
        case .hostPort(let host, _): host.interface
        case .service(_, _, _, let interface): interface
        case .unix, .url, .opaque: nil
        }
    }

    /// The host and the port, separated by a colon; by a dot if the host is an IPv6 address.
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

    /// Hashes the properties that `==` compares.
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

/// The endpoint of Apple's C interface, which is not offered. It exists only so that `switch` statements compile.
public protocol OS_nw_endpoint: AnyObject, Sendable {}

/// The endpoint of Apple's C interface, which is not offered. It exists only so that `switch` statements compile.
public typealias nw_endpoint_t = any OS_nw_endpoint

extension NWEndpoint {
    /// A host: a name or an address.
    public enum Host: Hashable, Sendable, CustomDebugStringConvertible, ExpressibleByStringLiteral {
        /// A name, and the interface by which to reach it.
        case name(String, NWInterface?)
        /// An IPv4 address.
        case ipv4(IPv4Address)
        /// An IPv6 address.
        case ipv6(IPv6Address)

        /// Reads an address; any other text is taken as a name.
        public init(stringLiteral value: String) {
            self.init(value)
        }

        /// Reads an address; any other text is taken as a name. Either may be followed by `%` and the name of an interface.
        public init(_ string: String) {
            beginWork()
            defer { endWork() }
            if let address = IPv4Address(string) {
                self = .ipv4(address)
            } else if let address = IPv6Address(string) {
                self = .ipv6(address)
            } else {
                let (name, interface) = splitZone(string)
                self = interface == nil ? .name(string, nil) : .name(String(name), interface)
            }
        }

        /// The interface that was given with the host.
        public var interface: NWInterface? {
            switch self {
            case .name(_, let interface): interface
            case .ipv4(let address): address.interface
            case .ipv6(let address): address.interface
            }
        }

        /// The name or the address as text.
        public var debugDescription: String {
            switch self {
            case .name(let name, let interface): name + interface.zone
            case .ipv4(let address): address.debugDescription
            case .ipv6(let address): address.debugDescription
            }
        }
    }
}

extension NWEndpoint.Host {
    package init(_ address: ReachabilityLinuxSystem.IPAddress, on interface: NWInterface?) {
        switch address {
        case .v4(let address): self = .ipv4(IPv4Address(address))
        // A link-local address is valid on its own link only.
        case .v6(let address, _): self = .ipv6(IPv6Address(address, address.isLinkLocal ? interface : nil))
        }
    }
}

extension NWEndpoint {
    /// A TCP or UDP port.
    public struct Port: Hashable, Sendable, CustomDebugStringConvertible, ExpressibleByIntegerLiteral,
        RawRepresentable
    {
        /// Any port: 0.
        public static let any: Port = 0
        /// 22.
        public static let ssh: Port = 22
        /// 25.
        public static let smtp: Port = 25
        /// 80.
        public static let http: Port = 80
        /// 110.
        public static let pop: Port = 110
        /// 143.
        public static let imap: Port = 143
        /// 443.
        public static let https: Port = 443
        /// 993.
        public static let imaps: Port = 993
        /// 1080.
        public static let socks: Port = 1080

        /// The port's number.
        public let rawValue: UInt16

        /// Makes a port from its number.
        public init?(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Makes a port from its number.
        public init(integerLiteral value: UInt16) {
            rawValue = value
        }

        /// Reads a number, or the name of a service in `/etc/services`; nil if it is neither.
        public init?(_ service: String) {
            if let number = UInt16(service) {
                rawValue = number
                return
            }
            guard let number = Self.number(of: service) else { return nil }
            rawValue = number
        }

        private static func number(of service: String) -> UInt16? {
            var entry = unsafe servent()
            var result: UnsafeMutablePointer<servent>?
            var buffer = [CChar](repeating: 0, count: 4096)
            guard unsafe getservbyname_r(service, nil, &entry, &buffer, buffer.count, &result) == 0,
                unsafe result != nil
            else {
                return nil
            }
            return unsafe UInt16(bigEndian: UInt16(truncatingIfNeeded: entry.s_port))
        }

        /// The number.
        public var debugDescription: String { "\(rawValue)" }
    }
}

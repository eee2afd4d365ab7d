// SPDX-License-Identifier: Apache-2.0

// Parts of Apple's framework that `NWConnection`, a client of plain TCP, does not have on Linux. With these names, the compiler
// says what to use instead.

/// Accepts connections on Apple's systems.
@available(*, unavailable, message: "not offered on Linux; use SwiftNIO's ServerBootstrap")
public final class NWListener {
    /// Not offered.
    public init(using parameters: NWParameters, on port: NWEndpoint.Port = .any) throws {}
}

/// Finds services on Apple's systems.
@available(*, unavailable, message: "not offered on Linux; use Avahi")
public final class NWBrowser {
    /// What to search for.
    public enum Descriptor {
        /// Services of one type.
        case bonjour(type: String, domain: String?)
        /// The same, with their TXT records.
        case bonjourWithTXTRecord(type: String, domain: String?)
    }

    /// Not offered.
    public init(for descriptor: Descriptor, using parameters: NWParameters) {}
}

/// Combines several connections into one on Apple's systems.
@available(*, unavailable, message: "not offered on Linux; use SwiftNIO's DatagramBootstrap for multicast")
public final class NWConnectionGroup {
    /// Not offered.
    public init(with descriptor: Any, using parameters: NWParameters) {}
}

/// The members of a multicast group on Apple's systems.
@available(*, unavailable, message: "not offered on Linux; use SwiftNIO's DatagramBootstrap for multicast")
public struct NWMulticastGroup {
    /// Not offered.
    public init(for members: [NWEndpoint]) throws {}
}

/// Carries several streams over one connection on Apple's systems.
@available(
    *, unavailable, message: "not offered on Linux; use https://github.com/apple/swift-network-evolution for QUIC"
)
public struct NWMultiplexGroup {
    /// Not offered.
    public init(to endpoint: NWEndpoint) {}
}

/// Sends and receives Ethernet frames on Apple's systems.
@available(*, unavailable, message: "not offered on Linux; use a socket of the family AF_PACKET")
public final class NWEthernetChannel {
    /// Not offered.
    public init(on interface: NWInterface, etherType: UInt16) {}
}

/// The description of a service on Apple's systems (a DNS TXT record).
@available(*, unavailable, message: "not offered on Linux; use Avahi")
public struct NWTXTRecord {
    /// Not offered.
    public init(_ dictionary: [String: String] = [:]) {}
}

/// Transport Layer Security on Apple's systems.
@available(
    *, unavailable, message: "NWConnection is plain TCP on Linux; use SwiftNIO's NIOSSL, or URLSession for HTTPS"
)
public final class NWProtocolTLS: NWProtocol {
    /// Its options.
    public final class Options: NWProtocolOptions, @unchecked Sendable {
        /// Not offered.
        public override init() {}
    }
}

/// The User Datagram Protocol on Apple's systems.
@available(*, unavailable, message: "NWConnection is TCP on Linux; use SwiftNIO's DatagramBootstrap")
public final class NWProtocolUDP: NWProtocol {
    /// Its options.
    public final class Options: NWProtocolOptions, @unchecked Sendable {
        /// Not offered.
        public override init() {}
    }
}

/// The Internet Protocol on Apple's systems.
@available(*, unavailable, message: "the options of IP are not offered on Linux")
public final class NWProtocolIP: NWProtocol {
    /// Its options.
    public final class Options: NWProtocolOptions, @unchecked Sendable {
        /// Not offered.
        public override init() {}
    }
}

/// QUIC on Apple's systems.
@available(
    *, unavailable, message: "NWConnection is TCP on Linux; use https://github.com/apple/swift-network-evolution"
)
public final class NWProtocolQUIC: NWProtocol {
    /// Its options.
    public final class Options: NWProtocolOptions, @unchecked Sendable {
        /// Not offered.
        public init(alpn: [String] = []) {}
    }
}

/// WebSocket on Apple's systems.
@available(*, unavailable, message: "NWConnection is plain TCP on Linux; use SwiftNIO's NIOWebSocket")
public final class NWProtocolWebSocket: NWProtocol {
    /// Its options.
    public final class Options: NWProtocolOptions, @unchecked Sendable {
        /// Not offered.
        public override init() {}
    }
}

/// A protocol that the program implements itself, on Apple's systems.
@available(*, unavailable, message: "not offered on Linux; read and write the messages with send and receive")
public final class NWProtocolFramer: NWProtocol {
    /// Such a protocol.
    public final class Definition {
        /// Not offered.
        public init(implementation: Any.Type) {}
    }

    /// Its options.
    public final class Options: NWProtocolOptions, @unchecked Sendable {
        /// Not offered.
        public init(definition: Definition) {}
    }
}

/// The implementation of such a protocol on Apple's systems.
@available(*, unavailable, message: "not offered on Linux; read and write the messages with send and receive")
public protocol NWProtocolFramerImplementation {}

/// A connection of the newer interface on Apple's systems.
@available(*, unavailable, message: "not offered on Linux; use NWConnection for plain TCP")
public final class NetworkConnection {}

/// Accepts connections of the newer interface on Apple's systems.
@available(*, unavailable, message: "not offered on Linux; use SwiftNIO's ServerBootstrap")
public final class NetworkListener {}

/// Finds services by the newer interface on Apple's systems.
@available(*, unavailable, message: "not offered on Linux; use Avahi")
public final class NetworkBrowser {}

extension NWParameters {
    /// TLS over TCP.
    @available(
        *, unavailable, message: "NWConnection is plain TCP on Linux; use SwiftNIO's NIOSSL, or URLSession for HTTPS"
    )
    public static var tls: NWParameters { .tcp }

    /// UDP.
    @available(*, unavailable, message: "NWConnection is TCP on Linux; use SwiftNIO's DatagramBootstrap")
    public static var udp: NWParameters { .tcp }

    /// DTLS over UDP.
    @available(*, unavailable, message: "NWConnection is plain TCP on Linux")
    public static var dtls: NWParameters { .tcp }

    /// TLS over TCP.
    @available(
        *, unavailable, message: "NWConnection is plain TCP on Linux; use SwiftNIO's NIOSSL, or URLSession for HTTPS"
    )
    public convenience init(tls: NWProtocolTLS.Options, tcp: NWProtocolTCP.Options = NWProtocolTCP.Options()) {
        self.init(tls: nil, tcp: tcp)
    }

    /// UDP.
    @available(*, unavailable, message: "NWConnection is TCP on Linux; use SwiftNIO's DatagramBootstrap")
    public convenience init(dtls: Never?) { self.init(tls: nil) }

    /// QUIC.
    @available(
        *, unavailable, message: "NWConnection is TCP on Linux; use https://github.com/apple/swift-network-evolution"
    )
    public static func quic(alpn: [String]) -> NWParameters { .tcp }

    /// The protocols of an application service.
    @available(*, unavailable, message: "not offered on Linux; use NWParameters.tcp")
    public static var applicationService: NWParameters { .tcp }

    /// The protocols above TCP.
    @available(
        *, unavailable,
        message: "not offered on Linux; pass TCP's options to NWParameters(tls: nil, tcp: options)"
    )
    public var defaultProtocolStack: ProtocolStack { ProtocolStack() }

    /// The protocols of a connection.
    @available(*, unavailable, message: "not offered on Linux; the only protocol is TCP")
    public final class ProtocolStack {
        /// Those above TCP.
        public var applicationProtocols: [NWProtocolOptions] = []
        /// TCP.
        public var transportProtocol: NWProtocolOptions?
    }
}

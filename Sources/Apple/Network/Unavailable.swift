// SPDX-License-Identifier: Apache-2.0

// What `NWConnection` does not do on Linux: it is a client of plain TCP. These names make the compiler say what to use
// instead. Nobody can make an object of them.

/// Would accept connections.
@available(*, unavailable, message: "not offered on Linux; use SwiftNIO's ServerBootstrap")
public final class NWListener {
    /// Never called.
    public init(using parameters: NWParameters, on port: NWEndpoint.Port = .any) throws {}
}

/// Would find services.
@available(*, unavailable, message: "not offered on Linux; use Avahi")
public final class NWBrowser {
    /// What would be found.
    public enum Descriptor {
        /// Services of a type.
        case bonjour(type: String, domain: String?)
        /// The same, with what they say of themselves.
        case bonjourWithTXTRecord(type: String, domain: String?)
    }

    /// Never called.
    public init(for descriptor: Descriptor, using parameters: NWParameters) {}
}

/// Would be several connections.
@available(*, unavailable, message: "not offered on Linux; use SwiftNIO's DatagramBootstrap for multicast")
public final class NWConnectionGroup {
    /// Never called.
    public init(with descriptor: Any, using parameters: NWParameters) {}
}

/// Would be the members of a group.
@available(*, unavailable, message: "not offered on Linux; use SwiftNIO's DatagramBootstrap for multicast")
public struct NWMulticastGroup {
    /// Never called.
    public init(for members: [NWEndpoint]) throws {}
}

/// Would be a group over one connection.
@available(
    *, unavailable, message: "not offered on Linux; use https://github.com/apple/swift-network-evolution for QUIC"
)
public struct NWMultiplexGroup {
    /// Never called.
    public init(to endpoint: NWEndpoint) {}
}

/// Would send and receive frames of Ethernet.
@available(*, unavailable, message: "not offered on Linux; use a socket of the family AF_PACKET")
public final class NWEthernetChannel {
    /// Never called.
    public init(on interface: NWInterface, etherType: UInt16) {}
}

/// Would be what a service says of itself.
@available(*, unavailable, message: "not offered on Linux; use Avahi")
public struct NWTXTRecord {
    /// Never called.
    public init(_ dictionary: [String: String] = [:]) {}
}

/// Would be Transport Layer Security.
@available(
    *, unavailable, message: "NWConnection is plain TCP on Linux; use SwiftNIO's NIOSSL, or URLSession for HTTPS"
)
public final class NWProtocolTLS: NWProtocol {
    /// Its options.
    public final class Options: NWProtocolOptions, @unchecked Sendable {
        /// Never called.
        public override init() {}
    }
}

/// Would be the User Datagram Protocol.
@available(*, unavailable, message: "NWConnection is TCP on Linux; use SwiftNIO's DatagramBootstrap")
public final class NWProtocolUDP: NWProtocol {
    /// Its options.
    public final class Options: NWProtocolOptions, @unchecked Sendable {
        /// Never called.
        public override init() {}
    }
}

/// Would be the Internet Protocol.
@available(*, unavailable, message: "the options of IP are not offered on Linux")
public final class NWProtocolIP: NWProtocol {
    /// Its options.
    public final class Options: NWProtocolOptions, @unchecked Sendable {
        /// Never called.
        public override init() {}
    }
}

/// Would be QUIC.
@available(
    *, unavailable, message: "NWConnection is TCP on Linux; use https://github.com/apple/swift-network-evolution"
)
public final class NWProtocolQUIC: NWProtocol {
    /// Its options.
    public final class Options: NWProtocolOptions, @unchecked Sendable {
        /// Never called.
        public init(alpn: [String] = []) {}
    }
}

/// Would be WebSocket.
@available(*, unavailable, message: "NWConnection is plain TCP on Linux; use SwiftNIO's NIOWebSocket")
public final class NWProtocolWebSocket: NWProtocol {
    /// Its options.
    public final class Options: NWProtocolOptions, @unchecked Sendable {
        /// Never called.
        public override init() {}
    }
}

/// Would be a protocol of the program's own.
@available(*, unavailable, message: "not offered on Linux; read and write the messages with send and receive")
public final class NWProtocolFramer: NWProtocol {
    /// Such a protocol.
    public final class Definition {
        /// Never called.
        public init(implementation: Any.Type) {}
    }

    /// Its options.
    public final class Options: NWProtocolOptions, @unchecked Sendable {
        /// Never called.
        public init(definition: Definition) {}
    }
}

/// Would be the implementation of such a protocol.
@available(*, unavailable, message: "not offered on Linux; read and write the messages with send and receive")
public protocol NWProtocolFramerImplementation {}

/// Would be a connection of the newer interface.
@available(*, unavailable, message: "not offered on Linux; use NWConnection for plain TCP")
public final class NetworkConnection {}

/// Would accept connections of the newer interface.
@available(*, unavailable, message: "not offered on Linux; use SwiftNIO's ServerBootstrap")
public final class NetworkListener {}

/// Would find services.
@available(*, unavailable, message: "not offered on Linux; use Avahi")
public final class NetworkBrowser {}

extension NWParameters {
    /// Would be TLS over TCP.
    @available(
        *, unavailable, message: "NWConnection is plain TCP on Linux; use SwiftNIO's NIOSSL, or URLSession for HTTPS"
    )
    public static var tls: NWParameters { .tcp }

    /// Would be UDP.
    @available(*, unavailable, message: "NWConnection is TCP on Linux; use SwiftNIO's DatagramBootstrap")
    public static var udp: NWParameters { .tcp }

    /// Would be DTLS over UDP.
    @available(*, unavailable, message: "NWConnection is plain TCP on Linux")
    public static var dtls: NWParameters { .tcp }

    /// Would be TLS over TCP.
    @available(
        *, unavailable, message: "NWConnection is plain TCP on Linux; use SwiftNIO's NIOSSL, or URLSession for HTTPS"
    )
    public convenience init(tls: NWProtocolTLS.Options, tcp: NWProtocolTCP.Options = NWProtocolTCP.Options()) {
        self.init(tls: nil, tcp: tcp)
    }

    /// Would be UDP.
    @available(*, unavailable, message: "NWConnection is TCP on Linux; use SwiftNIO's DatagramBootstrap")
    public convenience init(dtls: Never?) { self.init(tls: nil) }

    /// Would be QUIC.
    @available(
        *, unavailable, message: "NWConnection is TCP on Linux; use https://github.com/apple/swift-network-evolution"
    )
    public static func quic(alpn: [String]) -> NWParameters { .tcp }

    /// Would be the protocols of an application service.
    @available(*, unavailable, message: "not offered on Linux; use NWParameters.tcp")
    public static var applicationService: NWParameters { .tcp }

    /// Would be the protocols above TCP.
    @available(*, unavailable, message: "not offered on Linux; the only protocol is TCP")
    public var defaultProtocolStack: ProtocolStack { ProtocolStack() }

    /// The protocols of a connection.
    @available(*, unavailable, message: "not offered on Linux; the only protocol is TCP")
    public final class ProtocolStack {
        /// Those above TCP.
        public var applicationProtocols: [NWProtocolOptions] = []
        /// TCP.
        public var transportProtocol: NWProtocolOptions?
    }

    /// Would be whether peers on no network are used.
    @available(*, unavailable, message: "not offered on Linux")
    public var includePeerToPeer: Bool {
        get { false }
        set {}
    }
}

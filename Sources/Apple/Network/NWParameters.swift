// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The protocols of a connection, and the interfaces it may use.
///
/// ```swift
/// let options = NWProtocolTCP.Options()
/// options.connectionTimeout = 10
/// let parameters = NWParameters(tls: nil, tcp: options)
/// parameters.prohibitedInterfaceTypes = [.cellular]
/// ```
///
/// A connection copies the parameters when it is made. TLS, DTLS and UDP can be requested, so that programs compile,
/// but such a connection fails with `EPROTONOSUPPORT`.
public final class NWParameters: CustomDebugStringConvertible, Sendable {
    enum Transport: String, Sendable {
        case tcp, tls, udp, dtls
    }

    struct Values: Sendable {
        var requiredInterface: NWInterface?
        var requiredInterfaceType = NWInterface.InterfaceType.other
        var prohibitedInterfaceTypes: [NWInterface.InterfaceType]?
        var prohibitedInterfaces: [NWInterface]?
        var prohibitsExpensive = false
        var prohibitsConstrained = false
        var requiredLocalEndpoint: NWEndpoint?
        var allowsReuse = false
    }

    let transport: Transport
    let tcp: NWProtocolTCP.Options?
    private let locked = Mutex(Values())
    var values: Values { locked.withLock(\.self) }

    private init(_ transport: Transport, _ tcp: NWProtocolTCP.Options? = nil) {
        self.transport = transport
        self.tcp = tcp
    }

    /// TCP; with TLS on top of it if there are options for TLS.
    public convenience init(tls: NWProtocolTLS.Options?, tcp: NWProtocolTCP.Options = NWProtocolTCP.Options()) {
        self.init(tls == nil ? .tcp : .tls, tcp)
    }

    /// UDP; with DTLS on top of it if there are options for DTLS.
    public convenience init(dtls: NWProtocolTLS.Options?, udp: NWProtocolUDP.Options = NWProtocolUDP.Options()) {
        self.init(dtls == nil ? .udp : .dtls)
    }

    /// Plain TCP. Each access makes new parameters.
    public static var tcp: NWParameters { NWParameters(tls: nil) }
    /// TLS over TCP. Not offered on Linux.
    public static var tls: NWParameters { NWParameters(tls: NWProtocolTLS.Options()) }
    /// UDP. Not offered on Linux.
    public static var udp: NWParameters { NWParameters(dtls: nil) }
    /// DTLS over UDP. Not offered on Linux.
    public static var dtls: NWParameters { NWParameters(dtls: NWProtocolTLS.Options()) }

    /// The interface the connection has to use; nil for any.
    public var requiredInterface: NWInterface? {
        get { locked.withLock(\.requiredInterface) }
        set { locked.withLock { $0.requiredInterface = newValue } }
    }

    /// The type of interface the connection has to use; `other` for any.
    public var requiredInterfaceType: NWInterface.InterfaceType {
        get { locked.withLock(\.requiredInterfaceType) }
        set { locked.withLock { $0.requiredInterfaceType = newValue } }
    }

    /// The types of interface the connection must not use.
    public var prohibitedInterfaceTypes: [NWInterface.InterfaceType]? {
        get { locked.withLock(\.prohibitedInterfaceTypes) }
        set { locked.withLock { $0.prohibitedInterfaceTypes = newValue } }
    }

    /// The interfaces the connection must not use.
    public var prohibitedInterfaces: [NWInterface]? {
        get { locked.withLock(\.prohibitedInterfaces) }
        set { locked.withLock { $0.prohibitedInterfaces = newValue } }
    }

    /// Whether the connection must not use a mobile network, or one that NetworkManager calls metered. What NetworkManager says
    /// is known a little after the start; a connection that is being made by such a network then waits.
    public var prohibitExpensivePaths: Bool {
        get { locked.withLock(\.prohibitsExpensive) }
        set { locked.withLock { $0.prohibitsExpensive = newValue } }
    }

    /// Whether the connection must not use a path on which the user wants to save data. No path is of this kind on Linux.
    public var prohibitConstrainedPaths: Bool {
        get { locked.withLock(\.prohibitsConstrained) }
        set { locked.withLock { $0.prohibitsConstrained = newValue } }
    }

    /// The address and port to connect from: a host and a port. The host `0.0.0.0` or `::` stands for any address, and the
    /// port 0 for any port. A name is refused with `EINVAL`.
    public var requiredLocalEndpoint: NWEndpoint? {
        get { locked.withLock(\.requiredLocalEndpoint) }
        set { locked.withLock { $0.requiredLocalEndpoint = newValue } }
    }

    /// Whether the local address and port may be in use by other sockets that allow it too (SO_REUSEADDR, SO_REUSEPORT).
    public var allowLocalEndpointReuse: Bool {
        get { locked.withLock(\.allowsReuse) }
        set { locked.withLock { $0.allowsReuse = newValue } }
    }

    /// The protocols, and the demands on the interface and the local end.
    public var debugDescription: String {
        let values = values
        var words = [transport.rawValue]
        if let interface = values.requiredInterface { words.append("required interface: \(interface)") }
        if values.requiredInterfaceType != .other { words.append("required type: \(values.requiredInterfaceType)") }
        if let types = values.prohibitedInterfaceTypes, !types.isEmpty { words.append("prohibited types: \(types)") }
        if let others = values.prohibitedInterfaces, !others.isEmpty {
            words.append("prohibited interfaces: \(others)")
        }
        if values.prohibitsExpensive { words.append("no expensive paths") }
        if values.prohibitsConstrained { words.append("no constrained paths") }
        if let local = values.requiredLocalEndpoint { words.append("local endpoint: \(local)") }
        if values.allowsReuse { words.append("local endpoint reuse") }
        return words.joined(separator: ", ")
    }
}

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

    /// The protocols, and the demands on the interface.
    public var debugDescription: String {
        let values = values
        var words = [transport.rawValue]
        if let interface = values.requiredInterface { words.append("required interface: \(interface)") }
        if values.requiredInterfaceType != .other { words.append("required type: \(values.requiredInterfaceType)") }
        if let types = values.prohibitedInterfaceTypes, !types.isEmpty { words.append("prohibited types: \(types)") }
        return words.joined(separator: ", ")
    }
}

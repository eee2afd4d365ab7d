// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// By what protocols and over which interfaces a connection is made.
///
/// ```swift
/// let options = NWProtocolTCP.Options()
/// options.connectionTimeout = 10
/// let parameters = NWParameters(tls: nil, tcp: options)
/// parameters.prohibitedInterfaceTypes = [.cellular]
/// ```
///
/// A connection takes the parameters as they are when it is made. TLS, DTLS and UDP can be named, as programs do that
/// decide later, but a connection that asks for them fails with `EPROTONOSUPPORT`.
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

    /// TCP, with TLS on top of it where options for that are given.
    public convenience init(tls: NWProtocolTLS.Options?, tcp: NWProtocolTCP.Options = NWProtocolTCP.Options()) {
        self.init(tls == nil ? .tcp : .tls, tcp)
    }

    /// UDP, with DTLS on top of it where options for that are given.
    public convenience init(dtls: NWProtocolTLS.Options?, udp: NWProtocolUDP.Options = NWProtocolUDP.Options()) {
        self.init(dtls == nil ? .udp : .dtls)
    }

    /// Plain TCP. Each reading makes parameters of its own.
    public static var tcp: NWParameters { NWParameters(tls: nil) }
    /// TLS over TCP, which is not offered here.
    public static var tls: NWParameters { NWParameters(tls: NWProtocolTLS.Options()) }
    /// UDP, which is not offered here.
    public static var udp: NWParameters { NWParameters(dtls: nil) }
    /// DTLS over UDP, which is not offered here.
    public static var dtls: NWParameters { NWParameters(dtls: NWProtocolTLS.Options()) }

    /// The interface that has to be used.
    public var requiredInterface: NWInterface? {
        get { locked.withLock(\.requiredInterface) }
        set { locked.withLock { $0.requiredInterface = newValue } }
    }

    /// The type of interface that has to be used; `other` for any.
    public var requiredInterfaceType: NWInterface.InterfaceType {
        get { locked.withLock(\.requiredInterfaceType) }
        set { locked.withLock { $0.requiredInterfaceType = newValue } }
    }

    /// The types of interface that must not be used.
    public var prohibitedInterfaceTypes: [NWInterface.InterfaceType]? {
        get { locked.withLock(\.prohibitedInterfaceTypes) }
        set { locked.withLock { $0.prohibitedInterfaceTypes = newValue } }
    }

    /// The protocols and what is asked of the interfaces.
    public var debugDescription: String {
        let values = values
        var words = [transport.rawValue]
        if let interface = values.requiredInterface { words.append("required interface: \(interface)") }
        if values.requiredInterfaceType != .other { words.append("required type: \(values.requiredInterfaceType)") }
        if let types = values.prohibitedInterfaceTypes, !types.isEmpty { words.append("prohibited types: \(types)") }
        return words.joined(separator: ", ")
    }
}

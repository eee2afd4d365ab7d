// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The interfaces that a TCP connection may use, and the options of TCP.
///
/// ```swift
/// let options = NWProtocolTCP.Options()
/// options.connectionTimeout = 10
/// let parameters = NWParameters(tls: nil, tcp: options)
/// parameters.prohibitedInterfaceTypes = [.cellular]
/// ```
///
/// A connection copies the parameters when it is made.
public final class NWParameters: CustomDebugStringConvertible, Sendable {
    struct Values: Sendable {
        var requiredInterface: NWInterface?
        var requiredInterfaceType = NWInterface.InterfaceType.other
        var prohibitedInterfaceTypes: [NWInterface.InterfaceType]?
        var prohibitedInterfaces: [NWInterface]?
        var prohibitsExpensive = false
        var prohibitsConstrained = false
        var allowsUltraConstrained = false
        var includesPeerToPeer = false
        var requiredLocalEndpoint: NWEndpoint?
        var allowsReuse = false
    }

    let tcp: NWProtocolTCP.Options
    private let locked = Mutex(Values())
    var values: Values { locked.withLock(\.self) }

    /// Plain TCP. TLS is not offered on Linux, so `tls` is always nil.
    public init(tls: Never?, tcp: NWProtocolTCP.Options = NWProtocolTCP.Options()) {
        self.tcp = tcp
    }

    /// Plain TCP. Each access makes new parameters.
    public static var tcp: NWParameters { NWParameters(tls: nil) }

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

    /// Whether the connection must not use a mobile network, or one that NetworkManager calls metered. NetworkManager's answer
    /// comes shortly after the start; a connection that is being made over such a network then waits.
    public var prohibitExpensivePaths: Bool {
        get { locked.withLock(\.prohibitsExpensive) }
        set { locked.withLock { $0.prohibitsExpensive = newValue } }
    }

    /// Whether the connection must not use a network that NetworkManager calls metered, as on a path that `isConstrained`.
    public var prohibitConstrainedPaths: Bool {
        get { locked.withLock(\.prohibitsConstrained) }
        set { locked.withLock { $0.prohibitsConstrained = newValue } }
    }

    /// Whether the connection may use a path that carries very little data, such as a satellite link. It has no effect on Linux.
    public var allowUltraConstrainedPaths: Bool {
        get { locked.withLock(\.allowsUltraConstrained) }
        set { locked.withLock { $0.allowsUltraConstrained = newValue } }
    }

    /// Whether peers may be reached without a common network, as by AWDL on Apple's systems. It has no effect on Linux.
    public var includePeerToPeer: Bool {
        get { locked.withLock(\.includesPeerToPeer) }
        set { locked.withLock { $0.includesPeerToPeer = newValue } }
    }

    /// The address and port to connect from, as a host and a port. The host `0.0.0.0` or `::` stands for any address, and the
    /// port 0 for any port. A name is refused with `EINVAL`.
    public var requiredLocalEndpoint: NWEndpoint? {
        get { locked.withLock(\.requiredLocalEndpoint) }
        set { locked.withLock { $0.requiredLocalEndpoint = newValue } }
    }

    /// Whether other sockets that allow it, too, may use the same local address and port (SO_REUSEADDR, SO_REUSEPORT).
    public var allowLocalEndpointReuse: Bool {
        get { locked.withLock(\.allowsReuse) }
        set { locked.withLock { $0.allowsReuse = newValue } }
    }

    /// The protocol, and the requirements for the interface and the local end.
    public var debugDescription: String {
        let values = values
        var words = ["tcp"]
        if let interface = values.requiredInterface { words.append("required interface: \(interface)") }
        if values.requiredInterfaceType != .other { words.append("required type: \(values.requiredInterfaceType)") }
        if let types = values.prohibitedInterfaceTypes, !types.isEmpty { words.append("prohibited types: \(types)") }
        if let others = values.prohibitedInterfaces, !others.isEmpty {
            words.append("prohibited interfaces: \(others)")
        }
        if values.prohibitsExpensive { words.append("no expensive paths") }
        if values.prohibitsConstrained { words.append("no constrained paths") }
        if values.allowsUltraConstrained { words.append("ultra-constrained paths") }
        if let local = values.requiredLocalEndpoint { words.append("local endpoint: \(local)") }
        if values.allowsReuse { words.append("local endpoint reuse") }
        return words.joined(separator: ", ")
    }
}

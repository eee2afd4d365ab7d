// SPDX-License-Identifier: Apache-2.0

import ReachabilityConnections
import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityReferences

/// A connection as the client requested it, in the terms of the core.
struct ConnectionRequest {
    let connection: Connection
    /// The host, with the namespace and the routing keys of the connection; nil if the connection is impossible.
    let reference: ReachabilityRef?
    let choice: InterfaceChoice

    init(_ endpoint: NWEndpoint, _ parameters: NWParameters) {
        let values = parameters.values
        let required = values.requiredInterface ?? endpoint.interface
        choice = InterfaceChoice(
            restriction: PathRestriction(
                required: values.requiredInterfaceType == .other ? nil : values.requiredInterfaceType.kind,
                prohibited: Set((values.prohibitedInterfaceTypes ?? []).map(\.kind))),
            required: required?.name, prohibited: (values.prohibitedInterfaces ?? []).map(\.name),
            prohibitsCellular: values.prohibitsExpensive,
            prohibitsMetered: values.prohibitsExpensive || values.prohibitsConstrained)
        var settings = ConnectionSettings()
        settings.allowsReuse = values.allowsReuse
        let tcp = parameters.tcp.values
        settings.hasNoDelay = tcp.noDelay
        if tcp.connectionTimeout > 0 { settings.timeLimit = .seconds(tcp.connectionTimeout) }
        if tcp.enableKeepalive {
            settings.keepalive = .init(
                idleSeconds: Int32(clamping: tcp.keepaliveIdle),
                intervalSeconds: Int32(clamping: tcp.keepaliveInterval), count: Int32(clamping: tcp.keepaliveCount))
        }
        do throws(ConnectionFailure) {
            settings.localEnd = try values.requiredLocalEndpoint.map(Self.localEnd)
            let (reference, port) = try Self.destination(endpoint, required?.name)
            self.reference = reference
            let transport = SystemTransport(to: reference, port: port, settings: settings, over: choice)
            connection = Connection(transport, timeLimit: settings.timeLimit)
        } catch {
            reference = nil
            connection = Connection(nil, refusal: error)
        }
    }

    private static func localEnd(_ endpoint: NWEndpoint) throws(ConnectionFailure) -> InternetSocket.End {
        guard case .hostPort(let host, let port) = endpoint else { throw .system(.invalidArgument) }
        return InternetSocket.End(try host.address(), port: port.rawValue)
    }

    private static func destination(
        _ endpoint: NWEndpoint, _ interface: String?
    ) throws(ConnectionFailure) -> (ReachabilityRef, UInt16) {
        switch endpoint {
        case .hostPort(let host, let port): return (try reference(host, port.rawValue, interface), port.rawValue)
        case .url(let url):
            // A secure scheme is refused: without TLS, this would speak another protocol to its port.
            guard let host = url.host, let port = url.port ?? (url.scheme == "http" ? 80 : nil),
                let number = UInt16(exactly: port)
            else { throw .system(.protocolNotSupported) }
            return (try reference(NWEndpoint.Host(host), number, interface), number)
        case .service, .unix, .opaque: throw .system(.addressFamilyNotSupported)
        }
    }

    private static func reference(
        _ host: NWEndpoint.Host, _ port: UInt16, _ interface: String?
    ) throws(ConnectionFailure) -> ReachabilityRef {
        if case .name(let name, _) = host { return try reference(named: name, port, interface) }
        let address = try host.address()
        let keys = RoutingKeys(interface: interface.flatMap(InterfaceName.init).map(Scope.name), port: port)
        return ReachabilityRef(
            .target(Target(address)), keys: keys, namespace: NamespaceRegistry.current.namespaceOfCallingThread())
    }

    private static func reference(
        named name: String, _ port: UInt16, _ interface: String?
    ) throws(ConnectionFailure) -> ReachabilityRef {
        var options = ReachabilityOptions()
        options.interface = interface
        options.port = port
        do throws(ReachabilityError) {
            return try ReachabilityRef(lenientHostname: name, options: options)
        } catch {
            throw .system(error.errno.map(Errno.init) ?? .invalidArgument)
        }
    }
}

extension NWEndpoint.Host {
    /// - Throws: an error if the host is a name.
    fileprivate func address() throws(ConnectionFailure) -> ReachabilityLinuxSystem.IPAddress {
        switch self {
        case .name: throw .system(.invalidArgument)
        case .ipv4(let address): .v4(address.facts)
        case .ipv6(let address):
            .v6(address.facts, scope: address.interface.flatMap { Scope(number: UInt32($0.index)) })
        }
    }
}

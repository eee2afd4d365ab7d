// SPDX-License-Identifier: Apache-2.0

import Connections
import HostResolution
import LinuxSystem
import ReachabilityKit

/// A connection as the client requested it, in terms of the core.
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
            required: required?.name, prohibited: Set((values.prohibitedInterfaces ?? []).map(\.name)),
            prohibitsExpensive: values.prohibitsExpensive)
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

    private static func localEnd(_ endpoint: NWEndpoint) throws(ConnectionFailure) -> StreamSocket.End {
        guard case .hostPort(let host, let port) = endpoint else { throw .system(.invalidArgument) }
        let (bytes, interface): (Data, NWInterface?)
        switch host {
        case .ipv4(let address): (bytes, interface) = (address.rawValue, nil)
        case .ipv6(let address): (bytes, interface) = (address.rawValue, address.interface)
        case .name: throw .system(.invalidArgument)
        }
        return StreamSocket.End(
            address: Array(bytes), port: port.rawValue, scope: interface.flatMap { UInt32(exactly: $0.index) } ?? 0)
    }

    private static func destination(
        _ endpoint: NWEndpoint, _ interface: String?
    ) throws(ConnectionFailure) -> (ReachabilityRef, UInt16) {
        switch endpoint {
        case .hostPort(let host, let port): return (try reference(host, port.rawValue, interface), port.rawValue)
        case .url(let url):
            // A secure scheme is refused: without TLS, its port would be spoken to in another protocol.
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
        let keys = RoutingKeys(interface: interface.flatMap(InterfaceName.init).map(Scope.name), port: port)
        let address: LinuxSystem.IPAddress
        switch host {
        case .ipv4(let found): address = .init(bytes: Array(found.rawValue))
        case .ipv6(let found):
            let scope = found.interface.flatMap { Scope(number: UInt32($0.index)) }
            guard case .v6(let plain, _) = LinuxSystem.IPAddress(bytes: Array(found.rawValue)) else {
                throw .system(.invalidArgument)
            }
            address = .v6(plain, scope: scope)
        case .name(let name, _): return try reference(named: name, port, interface)
        }
        return ReachabilityRef(
            target: Target(address), keys: keys, namespace: NamespaceRegistry.current.namespaceOfCallingThread())
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

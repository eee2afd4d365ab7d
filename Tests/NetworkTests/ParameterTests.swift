// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityLinuxSystem
import TestBus
import TestTopology
import Testing

@Suite("The parameters of a connection", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct ParameterTests {
    private let host: WiredHost
    private let recorder = ConnectionRecorder()

    init() throws {
        host = try WiredHost()
    }

    private func parameters(_ change: @Sendable (NWParameters) -> Void) -> NWParameters {
        let parameters = NWParameters.tcp
        change(parameters)
        return parameters
    }

    @Test func `leave TCP to the system at first`() {
        let options = NWProtocolTCP.Options()
        #expect(!options.noDelay && !options.enableKeepalive)
        let numbers = [
            options.keepaliveCount, options.keepaliveIdle, options.keepaliveInterval, options.connectionTimeout,
        ]
        #expect(numbers == [0, 0, 0, 0])
    }

    @Test func `choose the local address and port`() throws {
        try host.network.ip("address add 10.0.0.2/24 dev eth0")
        let listener = try host.listen()
        let local = NWEndpoint.hostPort(host: "10.0.0.2", port: 40_001)
        let connection = host.connection("10.0.0.9", listener.port, parameters { $0.requiredLocalEndpoint = local })
        try host.connect(connection, recorder)
        #expect(connection.currentPath?.localEndpoint == local)
        connection.cancel()
    }

    @Test(
        arguments: [
            ("10.0.0.77", "waiting(POSIXErrorCode(rawValue: 99): Cannot assign requested address)"),
            ("fd00::1", "waiting(POSIXErrorCode(rawValue: 99): Cannot assign requested address)"),
            ("a.test", "failed(POSIXErrorCode(rawValue: 22): Invalid argument)"),
        ])
    func `may name a local address that cannot be used`(text: String, state: String) throws {
        let connection = host.connection(
            "10.0.0.9", 80, parameters { $0.requiredLocalEndpoint = .hostPort(host: .init(text), port: .any) })
        host.start(connection, recorder)
        #expect(try recorder.next { !$0.hasPrefix("preparing") } == state)
        connection.cancel()
    }

    @Test(arguments: ["0.0.0.0", "::"])
    func `choose a port of any address`(any: String) throws {
        let listener = try host.listen()
        let connection = host.connection(
            "10.0.0.9", listener.port,
            parameters { $0.requiredLocalEndpoint = .hostPort(host: .init(any), port: 40_002) })
        try host.connect(connection, recorder)
        #expect(connection.currentPath?.localEndpoint == .hostPort(host: "10.0.0.1", port: 40_002))
        connection.cancel()
    }

    @Test(arguments: [true, false])
    func `allow connections from the same port, or do not`(isAllowed: Bool) throws {
        let listeners = [try host.listen(), try host.listen()]
        let second = ConnectionRecorder()
        let connections = listeners.map { listener in
            host.connection(
                "10.0.0.9", listener.port,
                parameters {
                    $0.requiredLocalEndpoint = .hostPort(host: "10.0.0.1", port: 40_003)
                    $0.allowLocalEndpointReuse = isAllowed
                })
        }
        try host.connect(connections[0], recorder)
        host.start(connections[1], second)
        #expect(try second.next() == "preparing")
        #expect(
            try second.next() == (isAllowed ? "ready" : "waiting(POSIXErrorCode(rawValue: 98): Address already in use)")
        )
        for connection in connections { connection.cancel() }
        withExtendedLifetime(listeners) {}
    }

    private static let noInterface = "waiting(POSIXErrorCode(rawValue: 100): Network is down)"

    @Test func `leave interfaces out by name`() throws {
        let listener = try host.listen()
        let path = try host.network.path { NWPathMonitor(requiredInterfaceType: .loopback) }
        let loopback = try #require(path.availableInterfaces.first)
        let allowed = host.connection("10.0.0.9", listener.port, parameters { $0.prohibitedInterfaces = [loopback] })
        try host.connect(allowed, recorder)
        allowed.cancel()

        try host.network.ip("route add default via 10.0.0.9")
        let wire = try #require(try host.network.path().availableInterfaces.first)
        #expect(wire.name == "eth0")
        let other = ConnectionRecorder()
        let connection = host.connection("10.0.0.9", listener.port, parameters { $0.prohibitedInterfaces = [wire] })
        host.start(connection, other)
        #expect(try other.next { $0.hasPrefix("waiting") } == Self.noInterface)
        connection.cancel()
    }

    @Test func `leave mobile networks out as expensive`() throws {
        try host.network.topology.wire(
            "wwan0", address: "10.0.2.1/24", peer: "wwan0", peerAddress: "10.0.2.9/24", in: host.server)
        try host.network.setDeviceType("wwan", of: "wwan0")
        let listener = try host.listen()
        let other = ConnectionRecorder()
        let constrained = host.connection("10.0.2.9", listener.port, parameters { $0.prohibitConstrainedPaths = true })
        host.start(constrained, other)
        #expect(try other.next { $0 == "ready" } == "ready")
        constrained.cancel()
        let connection = host.connection("10.0.2.9", listener.port, parameters { $0.prohibitExpensivePaths = true })
        host.start(connection, recorder)
        // The second is after the first look at the network.
        for _ in 0..<2 { #expect(try recorder.next { $0.hasPrefix("waiting") } == Self.noInterface) }
        // Another way to the same host, which changes nothing in the path of the machine.
        try host.network.ip("route add 10.0.2.9/32 via 10.0.0.9")
        #expect(try recorder.next { $0 == "ready" } == "ready")
        connection.cancel()
    }

    @Test(arguments: [true, false])
    func `leave metered networks out when NetworkManager has told of them`(asExpensive: Bool) throws {
        try host.network.ip("route add default via 10.0.0.9")
        let bus = try host.network.scriptedBus(model: ManagerModel(.yes, .full, interface: "eth0"))
        defer { bus.stop() }
        let (monitor, paths) = host.network.watch()
        try paths.next { $0.isExpensive }
        // Packets to a neighbour that is known but does not exist are lost, so that nothing else ends the attempt.
        try host.network.ip("neighbour add 10.0.0.2 lladdr 02:00:00:00:00:02 dev eth0")
        let connection = host.connection(
            "10.0.0.2", 80,
            parameters {
                $0.prohibitExpensivePaths = asExpensive
                $0.prohibitConstrainedPaths = !asExpensive
            })
        host.start(connection, recorder)
        #expect(try recorder.next { $0.hasPrefix("waiting") } == Self.noInterface)
        connection.cancel()
        monitor.cancel()
    }
}

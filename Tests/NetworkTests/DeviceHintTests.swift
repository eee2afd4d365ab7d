// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit
import ReachabilityLinuxSystem
import TestBus
import TestTopology
import Testing

@Suite("What NetworkManager says of a device", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct DeviceHintTests {
    private typealias Device = ManagerModel.Device

    private let network: TestNetwork
    private let paths = ReceivedValues<NetworkPath>()

    init() throws {
        network = try TestNetwork()
        try network.addUplink("eth0", number: 1, metric: 100)
        try network.addUplink("eth1", number: 2, metric: 200)
    }

    private func subscribe() throws -> CancellationToken {
        try network.topology.run { try PathSource().observe(paths.record) }
    }

    private func asked() throws -> NetworkPath {
        try network.topology.run { try PathSource().current(hintTimeout: .seconds(60)) }
    }

    /// What is metered next. Addresses that become usable change the path too.
    private func change(of metered: [String]) throws -> [String] {
        try paths.next { $0.metered != metered }.metered
    }

    @Test(
        "counts for that device: metered",
        arguments: [(false, false), (false, true), (true, false), (true, true)])
    func metered(first: Bool, second: Bool) throws {
        let expected = (first ? ["eth0"] : []) + (second ? ["eth1"] : [])
        let model = ManagerModel([
            Device("eth0", first ? .yes : .no), Device("eth1", second ? .guessedYes : .guessedNo),
        ])
        let bus = try network.scriptedBus(model: model)
        defer { bus.stop() }
        #expect(try asked().metered == expected)
        let subscription = try subscribe()
        defer { subscription.cancel() }
        // The first path does not wait for the bus.
        let path = try paths.next { $0.metered == expected }
        #expect(path.view().isExpensive == first)
        // The other way round, one after the other.
        bus.announce(model.change("eth1") { $0.metered = second ? .no : .yes })
        #expect(try change(of: expected) == (first ? ["eth0"] : []) + (second ? [] : ["eth1"]))
        bus.announce(model.change("eth0") { $0.metered = first ? .unknown : .yes })
        try paths.next { $0.metered == (first ? [] : ["eth0"]) + (second ? [] : ["eth1"]) }
    }

    @Test("counts for that device: connectivity, of the families whose packets leave by it")
    func connectivity() throws {
        try network.ip("address add fd00::1/64 dev eth1 nodad\nroute add default via fd00::fe dev eth1")
        let model = ManagerModel([
            Device("eth0", .no, .portal, ManagerModel.Connectivity.none), Device("eth1", .no, .full, .limited),
        ])
        let bus = try network.scriptedBus(model: model)
        defer { bus.stop() }
        #expect(try asked().connectivity == .portal)
        let subscription = try subscribe()
        defer { subscription.cancel() }
        try paths.next { $0.connectivity == .portal }
        bus.announce(model.change("eth1") { $0.ipv6 = .full })
        try paths.next { $0.connectivity == .full }
        bus.announce(model.change("eth1") { $0.ipv6 = .none })
        try paths.next { $0.connectivity == .portal }
        // Packets of both families leave by eth1 now, about which other things were found.
        try network.ip("route del default dev eth0")
        try paths.next { $0.connectivity == .full }
        // Packets leave by no device.
        try network.ip("route del default dev eth1\nroute del default via fd00::fe dev eth1")
        try paths.next { $0.connectivity == .unknown && $0.view().status == .unsatisfied }
        #expect(try asked().connectivity == .unknown)
    }

    @Test("is forgotten when NetworkManager leaves the bus, and asked again when it comes back")
    func absence() throws {
        let model = ManagerModel([Device("eth0", .yes, .portal), Device("eth1", .yes, .limited)])
        let bus = try network.scriptedBus(model: model)
        defer { bus.stop() }
        let subscription = try subscribe()
        defer { subscription.cancel() }
        for _ in 0..<2 {
            try paths.next { $0.metered == ["eth0", "eth1"] && $0.connectivity == .portal }
            bus.setRunning(false)
            try paths.next { $0.metered == [] && $0.connectivity == .unknown }
            #expect(try asked().metered == [])
            bus.setRunning(true)
        }
        try paths.next { $0.metered == ["eth0", "eth1"] && $0.connectivity == .portal }
        // The subscription kept its connection.
        #expect(bus.accepted == 3)
    }

    @Test("is forgotten when the link is removed, also if another of the same name is made")
    func another() throws {
        let model = ManagerModel([Device("eth0", .no), Device("eth1", .yes)])
        let bus = try network.scriptedBus(model: model)
        defer { bus.stop() }
        let subscription = try subscribe()
        defer { subscription.cancel() }
        try paths.next { $0.metered == ["eth1"] }
        let index = try network.topology.index(of: "eth1")
        try network.ip("link del eth1")
        try network.addUplink("eth1", number: 2, metric: 200)
        func isNew(_ path: NetworkPath) -> Bool {
            path.interfaces.contains { $0.name == "eth1" && $0.linkIndex != index }
        }
        // NetworkManager has not noticed yet, and says other things meanwhile.
        #expect(try paths.next { isNew($0) && $0.interfaces.allSatisfy(\.leadsOut) }.metered == [])
        bus.announce(model.change("eth0") { $0.metered = .yes })
        #expect(try change(of: []) == ["eth0"])
        bus.announce(model.change("eth1") { $0.ipv4 = .limited })
        bus.announce(model.change("eth0") { $0.metered = .no })
        #expect(try change(of: ["eth0"]) == [])
        bus.announce(model.remove("eth1"))
        bus.announce(model.add(Device("eth1", .no)))
        bus.announce(model.change("eth0") { $0.metered = .yes })
        #expect(try change(of: []) == ["eth0"])
        bus.announce(model.change("eth1") { $0.metered = .yes })
        #expect(try change(of: ["eth0"]) == ["eth0", "eth1"])
        bus.announce(model.remove("eth0"))
        #expect(try change(of: ["eth0", "eth1"]) == ["eth1"])
    }

    @Test("follows a link that gets another name")
    func renamed() throws {
        let model = ManagerModel([Device("eth1", .yes)])
        let bus = try network.scriptedBus(model: model)
        defer { bus.stop() }
        let subscription = try subscribe()
        defer { subscription.cancel() }
        try paths.next { $0.metered == ["eth1"] }
        try network.ip("link set eth1 down\nlink set eth1 name lan1\nlink set lan1 up")
        #expect(try paths.next { $0.interfaces.contains { $0.name == "lan1" } }.metered == ["lan1"])
        bus.announce(model.change { $0.interface = "lan1" })
        bus.announce(model.change { $0.metered = .no })
        #expect(try change(of: ["lan1"]) == [])
        // A modem's device gets another network interface with each connection.
        bus.announce(model.change { ($0.interface, $0.metered) = ("eth0", .yes) })
        #expect(try change(of: []) == ["eth0"])
    }

    @Test("does not exist while NetworkManager does not manage it")
    func unmanaged() throws {
        // What NetworkManager 1.42 found before stays in the properties.
        let model = ManagerModel([Device("eth0", .yes, .portal, isManaged: false), Device("eth1", .yes, .full)])
        let bus = try network.scriptedBus(model: model)
        defer { bus.stop() }
        let first = try asked()
        #expect(first.metered == ["eth1"] && first.connectivity == .unknown)
        let subscription = try subscribe()
        defer { subscription.cancel() }
        try paths.next { $0.metered == ["eth1"] && $0.connectivity == .unknown }
        bus.announce(model.change("eth0") { $0.isManaged = true })
        try paths.next { $0.metered == ["eth0", "eth1"] && $0.connectivity == .portal }
        bus.announce(model.change("eth0") { $0.isManaged = false })
        try paths.next { $0.metered == ["eth1"] && $0.connectivity == .unknown }
    }

    /// A server at 10.7.0.1, to which the wires e5 and e6 can lead.
    private func twoWires() throws -> TCPListener {
        let server = try Machine()
        for number in [5, 6] {
            try network.topology.wire(
                "e\(number)", address: "10.0.\(number).1/24", peer: "e\(number)", peerAddress: "10.0.\(number).9/24",
                in: server)
        }
        try server.ip("address add 10.7.0.1/32 dev lo")
        return try server.run { try TCPListener() }
    }

    private func connection(to listener: TCPListener, isThrifty: Bool) -> NWConnection {
        network.topology.run {
            let parameters = NWParameters.tcp
            parameters.prohibitExpensivePaths = isThrifty
            return NWConnection(host: "10.7.0.1", port: NWEndpoint.Port(rawValue: listener.port)!, using: parameters)
        }
    }

    private func start(_ connection: NWConnection, _ recorder: ConnectionRecorder) {
        recorder.attach(to: connection)
        network.topology.run { connection.start(queue: recorder.queue) }
    }

    @Test("keeps connections off every metered device", arguments: [false, true])
    func connections(isSecondMetered: Bool) throws {
        let listener = try twoWires()
        try network.ip("route add 10.7.0.1/32 via 10.0.5.9 metric 1\nroute add 10.7.0.1/32 via 10.0.6.9 metric 2")
        let model = ManagerModel(
            [
                Device("eth0", .yes), Device("eth1", .yes), Device("e5", .yes),
                Device("e6", isSecondMetered ? .yes : .no),
            ])
        let bus = try network.scriptedBus(model: model)
        defer { bus.stop() }
        let subscription = try subscribe()
        defer { subscription.cancel() }
        try paths.next { $0.metered.contains("e5") && $0.metered.contains("e6") == isSecondMetered }
        let recorder = ConnectionRecorder()
        let connection = connection(to: listener, isThrifty: true)
        start(connection, recorder)
        if isSecondMetered {
            try recorder.next { $0.hasPrefix("waiting") }
            bus.announce(model.change("e6") { $0.metered = .no })
        }
        // The kernel's own choice would be the metered one.
        try recorder.next { $0 == "ready" }
        #expect(connection.currentPath?.localEndpoint.map { "\($0)" }?.hasPrefix("10.0.6.1:") == true)
        connection.cancel()
    }

    @Test("counts in the path of a connection, and for a better one")
    func connectionPaths() throws {
        let listener = try twoWires()
        try network.ip("route add 10.7.0.1/32 via 10.0.5.9 metric 2")
        let model = ManagerModel(
            [Device("eth0", .yes), Device("eth1", .yes), Device("e5", .no), Device("e6", .yes)])
        let bus = try network.scriptedBus(model: model)
        defer { bus.stop() }
        let connection = connection(to: listener, isThrifty: false)
        let (recorder, updates) = (ConnectionRecorder(), PathRecorder())
        connection.pathUpdateHandler = { updates.record($0) }
        start(connection, recorder)
        try recorder.next { $0 == "ready" }
        try updates.next { $0.names == ["e5"] && !$0.isExpensive }
        // The engine may not have the bus's first answer yet.
        let subscription = try subscribe()
        defer { subscription.cancel() }
        try paths.next { $0.metered == ["e6", "eth0", "eth1"] }
        bus.announce(model.change("e5") { $0.metered = .yes })
        try updates.next { $0.names == ["e5"] && $0.isExpensive }
        connection.cancel()

        let thrifty = self.connection(to: listener, isThrifty: true)
        bus.announce(model.change("e5") { $0.metered = .no })
        try paths.next { $0.metered == ["e6", "eth0", "eth1"] }
        let (states, better) = (ConnectionRecorder(), ReceivedValues<Bool>())
        thrifty.betterPathUpdateHandler = { better.record($0) }
        start(thrifty, states)
        try states.next { $0 == "ready" }
        try network.ip("route add 10.7.0.1/32 via 10.0.6.9 metric 1")
        // The kernel would send packets by e6 now, which is no better.
        bus.announce(model.change("e6") { $0.metered = .no })
        try paths.next { $0.metered == ["eth0", "eth1"] }
        #expect(try better.next())
        bus.announce(model.change("e6") { $0.metered = .yes })
        #expect(try !better.next())
        thrifty.cancel()
    }
}

extension NetworkPath {
    /// The names of the metered interfaces, sorted.
    var metered: [String] { interfaces.filter(\.isMetered).map(\.name).sorted() }
}

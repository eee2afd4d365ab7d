// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestBus
import TestHosts
import TestTopology
import Testing

@Suite("reachability path", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct PathVerbTests {
    private let reachability: Program
    private let topology: Topology

    init() throws {
        topology = try Topology()
        reachability = Program(topology: topology)
    }

    private func wire() throws {
        try topology.wire("eth0", address: "10.0.0.1/24")
        try topology.wire("docker0", address: "172.17.0.1/16")
        try topology.ip("route add default via 10.0.0.254")
    }

    @Test("prints the status and each interface in order of preference")
    func text() throws {
        try wire()
        let outcome = try reachability("path")
        #expect(outcome.status == 0)
        #expect(outcome.lines.first?.hasPrefix("satisfied, IPv4") == true)
        #expect(outcome.lines.dropFirst().first == "  eth0     wiredEthernet 10.0.0.1/24 via 10.0.0.254")
        #expect(outcome.lines.dropFirst(2).first == "  docker0  wiredEthernet 172.17.0.1/16 (no default route)")
    }

    @Test("exits with 1 if packets cannot leave")
    func nowhere() throws {
        let outcome = try reachability("path")
        #expect(outcome.status == 1)
        #expect(outcome.lines.first == "unsatisfied (no route)")
    }

    @Test("prints one object on one line, with every key")
    func json() throws {
        try wire()
        let outcome = try reachability("path", "--json")
        #expect(outcome.lines.count == 1)
        let value = try #require(JSONValue(outcome.lines.first ?? ""))
        #expect(
            value.keys
                == ["status", "ipv4", "ipv6", "expensive", "connectivity", "dns", "interfaces", "code", "reason"])
        #expect(value["status"] == .string("satisfied"))
        #expect(value["ipv4"] == .bool(true) && value["ipv6"] == .bool(false) && value["expensive"] == .bool(false))
        #expect(value["connectivity"] == .string("unknown"))
        guard case .array(let interfaces)? = value["interfaces"], let first = interfaces.first else {
            Issue.record("no interfaces in \(outcome.output)")
            return
        }
        #expect(
            first.keys
                == ["name", "index", "type", "tunnel", "leads_out", "addresses", "gateways", "code", "reason"])
        #expect(first["gateways"] == .array([.string("10.0.0.254")]))
        #expect(interfaces.map { $0["leads_out"] } == [.bool(true), .bool(false)])
    }

    /// A bus of the topology's namespace.
    private func bus(_ model: ManagerModel, _ manner: ScriptedBus.Manner = .obliging) throws -> ScriptedBus {
        let listener = try topology.run { () throws(Errno) in
            let listener = UnixListener()
            try listener.listen(at: .abstract(Array("bus".utf8)))
            return listener
        }
        return try ScriptedBus(listener, manner, model: model)
    }

    private func path(_ arguments: String...) throws -> String {
        try topology.run { () throws(TopologyError) in
            try CallingThread.execute(
                ["env", "DBUS_SYSTEM_BUS_ADDRESS=unix:abstract=bus", Program.path, "path"] + arguments)
        }
    }

    private func object() throws -> JSONValue? { JSONValue(String(try path("--json").dropLast())) }

    @Test("prints that the path is metered if NetworkManager answers in time")
    func metered() throws {
        try wire()
        let model = ManagerModel(.guessedYes, interface: "eth0")
        let bus = try bus(model)
        // On a busy machine the bus may not answer in time.
        try ProcessState.wait("the text says so") {
            try path().split(separator: "\n").first?.hasSuffix(", expensive") == true
        }
        try ProcessState.wait("the object says so") { try object()?["expensive"] == .bool(true) }
        model.set(.no)
        #expect(try !path().contains("expensive"))
        bus.stop()
        #expect(try !path().contains("expensive"))
    }

    @Test("prints the connectivity that NetworkManager found, and has the same status")
    func connectivity() throws {
        try wire()
        let model = ManagerModel(.yes, .unknown, interface: "eth0")
        let bus = try bus(model)
        defer { bus.stop() }
        for value in ["none", "portal", "limited", "full"] {
            model.set(nil, ManagerModel.Connectivity.allCases.first { "\($0)" == value })
            try ProcessState.wait("the text says \(value)") {
                let first = try path().split(separator: "\n").first ?? ""
                return first.hasPrefix("satisfied, ") && first.hasSuffix(", expensive, connectivity \(value)")
            }
            try ProcessState.wait("the object says \(value)") {
                let object = try object()
                return object?["connectivity"] == .string(value) && object?["status"] == .string("satisfied")
            }
        }
        model.set(nil, .unknown)
        #expect(try !path().contains("connectivity"))
        #expect(try object()?["connectivity"] == .string("unknown"))
    }

    @Test("does not know the connectivity where NetworkManager is absent")
    func unmanaged() throws {
        try wire()
        let bus = try bus(ManagerModel(.yes, .full, interface: "eth0"), .unmanaged)
        defer { bus.stop() }
        #expect(try !path().contains("connectivity"))
        #expect(try object()?["connectivity"] == .string("unknown"))
        #expect(bus.accepted == 2)
    }

    @Test("looks from another namespace")
    func namespace() throws {
        try wire()
        let elsewhere = Program(topology: try Topology())
        #expect(try elsewhere("path", "--netns", topology.namespacePath).status == 0)
    }

    @Test("prints what can be known if netlink is forbidden")
    func withoutNetlink() throws {
        try wire()
        let deny = Program.path.replacing("/reachability", with: "/deny-netlink")
        for error in ["1", "97"] {
            let output = try topology.run { () throws(TopologyError) in
                try CallingThread.execute([deny, error, Program.path, "path", "--json"])
            }
            let value = try #require(JSONValue(output.split(separator: "\n").first ?? ""))
            #expect(value["status"] == .string("satisfied"))
            #expect(value["ipv4"] == .bool(true) && value["ipv6"] == .bool(false))
            guard case .array(let interfaces)? = value["interfaces"] else { continue }
            #expect(interfaces.map { $0["name"] } == [.string("eth0")])
            // The length of the prefix is not known then.
            #expect(interfaces.map { $0["addresses"] } == [.array([.string("10.0.0.1")])])
            let text = try topology.run { () throws(TopologyError) in
                try CallingThread.execute([deny, error, Program.path, "path"])
            }
            #expect(text.contains("\n  eth0  wiredEthernet 10.0.0.1\n"), "\(text)")
        }
    }

    @Test(
        "refuses targets and their options",
        arguments: [
            ["path", "192.0.2.1"], ["path", "--interface", "eth0"], ["path", "--json", "--explain"],
            ["path", "-q", "--watch"], ["--watch", "::1"],
        ])
    func refusals(arguments: [String]) throws {
        let outcome = try reachability.run(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(!outcome.complaints.isEmpty)
    }
}

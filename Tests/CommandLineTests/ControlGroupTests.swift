// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestTopology
import Testing

/// The programs in a control group whose new sockets have a mark or are bound to an interface, as `ip vrf exec` and
/// systemd's BindNetworkInterface= have it.
@Suite("In a control group that marks or binds sockets", .timeLimit(.minutes(10)), .needs(.namespaces, .socketMarks))
struct ControlGroupTests {
    private let topology: Machine

    init() throws {
        topology = try Machine()
        try topology.wire("eth0", address: "10.0.0.1/24", "fd00::1/64", index: 20)
        try topology.wire("eth1", address: "10.1.0.1/24", index: 30)
        try topology.ip("route add default via 10.0.0.254")
        try topology.ip("route add default via 10.1.0.254 metric 200")
        try topology.ip("-6 route add default via fd00::254")
        try topology.ip("rule add fwmark 7 unreachable")
        try topology.ip("-6 rule add fwmark 7 unreachable")
    }

    private func run(
        mark: Int = 0, interface: Int = 0, _ words: String..., program: String = "reachability"
    ) throws -> RunningProgram {
        try RunningProgram(
            words, in: topology, wrapper: [BuiltProduct.path("mark-sockets"), "\(mark)", "\(interface)"],
            program: program)
    }

    @Test("the mark counts, as for any socket, and is explained")
    func mark() throws {
        let targets = ["192.0.2.1", "2001:db8::1", "default"]
        let outcome = try run(mark: 7, "check", "192.0.2.1", "2001:db8::1", "default", "10.0.0.1,192.0.2.1").outcome()
        #expect(
            outcome.output == (targets + ["10.0.0.1,192.0.2.1"]).map { "\($0): Not Reachable (no route)\n" }.joined())
        #expect(outcome.status == 1 && outcome.complaints == "")
        #expect(try run(mark: 8, "check", "192.0.2.1", "2001:db8::1", "default").outcome().status == 0)
        let explained = try run(mark: 7, "explain", "192.0.2.1").outcome().output
        #expect(explained.contains("with mark 0x7 (set for every new socket by the control group)"), "\(explained)")
        for (mark, flags) in [(7, "Not Reachable\n"), (8, "Reachable\n")] {
            let outcome = try run(mark: mark, "-r", "192.0.2.1", program: "scutil").outcome()
            #expect(outcome == .init(status: 0, output: flags, complaints: ""))
        }
    }

    @Test("the interface counts, as for any socket, and is explained")
    func interface() throws {
        let explained = try run(interface: 30, "explain", "192.0.2.1").outcome().output
        #expect(explained.contains("via 10.1.0.254, leaves by eth1"), "\(explained)")
        #expect(explained.contains("bound to eth1 (set for every new socket by the control group)"), "\(explained)")
        let addresses = try run(interface: 30, "check", "2001:db8::1", "10.1.0.1", "10.0.0.1,192.0.2.1").outcome()
            .output
        #expect(
            addresses == """
                2001:db8::1: Not Reachable (no route)
                10.1.0.1: Reachable,Local Address,Directly Reachable Address
                10.0.0.1,192.0.2.1: Reachable

                """)
    }

    @Test("the caller's options replace them")
    func options() throws {
        #expect(try run(mark: 7, "check", "--mark", "9", "192.0.2.1").outcome().output == "192.0.2.1: Reachable\n")
        let explained = try run(interface: 30, "explain", "--interface", "eth0", "192.0.2.1").outcome().output
        #expect(explained.contains("leaves by eth0") && !explained.contains("control group"), "\(explained)")
    }

    @Test("the path is that of sockets")
    func path() throws {
        #expect(try run(mark: 7, "path").outcome().output.hasPrefix("unsatisfied ("))
        let bound = try run(interface: 30, "path").outcome().output
        #expect(bound.hasPrefix("satisfied, IPv4"), "\(bound)")
        #expect(!bound.prefix { $0 != "\n" }.contains("IPv6"), "\(bound)")
    }

    @Test("a name server that sockets cannot reach is not asked")
    func names() throws {
        let explained = try run(
            mark: 7, "explain", "--server", "10.0.0.53", "a.example"
        ).outcome().output
        #expect(explained.contains("none of the name servers can be reached"), "\(explained)")
    }

    @Test("changes are those of sockets")
    func watch() throws {
        let program = try run(mark: 7, "watch", "192.0.2.1")
        #expect(try program.nextLine().contains(" 192.0.2.1: Not Reachable ("))
        try topology.ip("rule del fwmark 7")
        #expect(try program.nextLine().hasSuffix(" 192.0.2.1: Reachable"))
        try topology.ip("rule add fwmark 7 prohibit")
        #expect(try program.nextLine().contains(" 192.0.2.1: Not Reachable ("))
    }
}

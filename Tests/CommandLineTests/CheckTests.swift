// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import TestTopology
import Testing

@Suite("reachability check", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct CheckTests {
    private let reachability: Program
    private let topology: Topology

    init() throws {
        topology = try Topology()
        reachability = Program(topology: topology)
    }

    private func wire() throws {
        try topology.wire("eth0", address: "10.0.0.1/24", "fd00::1/64")
        try topology.ip("route add default via 10.0.0.254 metric 42")
    }

    @Test("prints each target with Apple's words, in the order of the targets")
    func text() throws {
        try wire()
        let outcome = try reachability(
            "127.1", "::1", "10.0.0.2", "8.8.8.8", "default", "10.0.0.1,8.8.8.8", ",8.8.8.8", "10.0.0.1,")
        #expect(
            outcome.output == """
                127.1: Reachable,Local Address,Directly Reachable Address
                ::1: Reachable,Local Address,Directly Reachable Address
                10.0.0.2: Reachable,Directly Reachable Address
                8.8.8.8: Reachable
                default: Reachable
                10.0.0.1,8.8.8.8: Reachable
                ,8.8.8.8: Reachable
                10.0.0.1,: Reachable,Local Address,Directly Reachable Address

                """)
        #expect(outcome.status == 0)
        #expect(outcome.complaints.isEmpty)
    }

    @Test("may be named or left out")
    func verb() throws {
        #expect(try reachability("check", "127.0.0.1").output == reachability("127.0.0.1").output)
    }

    @Test("exits with 1 if not all are reachable")
    func notAll() throws {
        let outcome = try reachability("127.0.0.1", "8.8.8.8")
        #expect(outcome.status == 1)
        #expect(outcome.output.hasSuffix("8.8.8.8: Not Reachable (no route)\n"))
        #expect(outcome.complaints.isEmpty)
    }

    @Test("counts a link that waits for a connection as not reachable")
    func connectionRequired() throws {
        try wire()
        try topology.setOperationalState(.dormant, of: "eth0")
        let outcome = try reachability("8.8.8.8")
        #expect(outcome.output == "8.8.8.8: Reachable,Connection Required\n")
        #expect(outcome.status == 1)
    }

    @Test("takes every argument after -- as a target")
    func onlyTargets() throws {
        #expect(try reachability("--json", "--", "127.0.0.1").status == 0)
        // There is no route to a server here, so the name fails at once.
        let outcome = try reachability("--server", "192.0.2.53", "--", "--json")
        #expect(outcome.output == "--json: Not Reachable (no name server is reachable)\n")
        #expect(outcome.status == 1)
    }

    @Test("accepts the options for the lookup of routes, with a space or =")
    func options() throws {
        try wire()
        try topology.ip("rule add fwmark 7 prohibit")
        #expect(try reachability("--interface", "eth0", "8.8.8.8").status == 0)
        #expect(try reachability("--interface=lo", "8.8.8.8").status == 1)
        #expect(try reachability("--mark=7", "8.8.8.8").status == 1)
        #expect(try reachability("--mark", "0x7", "8.8.8.8").status == 1)
        #expect(try reachability("--mark", "8", "8.8.8.8").status == 0)
        #expect(try reachability("--source", "10.0.0.1", "8.8.8.8").status == 0)
        #expect(try reachability("--source", "10.0.0.9", "8.8.8.8").status == 1)
        #expect(try reachability("--uid", "0", "8.8.8.8").status == 0)
        #expect(try reachability("--timeout", "2.5", "8.8.8.8").status == 0)
    }

    @Test("looks from another namespace, given by its path")
    func namespace() throws {
        try wire()
        let elsewhere = try Topology()
        #expect(try Program(topology: elsewhere)("8.8.8.8").status == 1)
        #expect(try Program(topology: elsewhere)("--netns", topology.namespacePath, "8.8.8.8").status == 0)
    }

    @Test("answers for five thousand targets")
    func thousands() throws {
        try wire()
        let targets = (0..<5000).map { "198.18.\($0 / 250).\($0 % 250)" }
        let outcome = try reachability.run(targets)
        #expect(outcome.status == 0)
        #expect(outcome.lines == targets.map { Substring("\($0): Reachable") })
    }

    // MARK: JSON

    static let keys = [
        "target", "flags", "names", "reachable", "interface", "gateway", "source", "addresses", "answered_by", "code",
        "reason",
    ]

    @Test("prints one JSON object on one line for each target, with every key")
    func json() throws {
        try wire()
        let outcome = try reachability("--json", "8.8.8.8", "192.0.2.1", "10.0.0.1")
        #expect(outcome.lines.count == 3)
        for line in outcome.lines { #expect(JSONValue(line)?.keys == Self.keys) }
        let routed = try #require(outcome.lines.first.flatMap { JSONValue($0) })
        #expect(routed["target"] == .string("8.8.8.8"))
        #expect(routed["flags"] == .number(2))
        #expect(routed["names"] == .array([.string("reachable")]))
        #expect(routed["reachable"] == .bool(true))
        #expect(routed["interface"] == .string("eth0"))
        #expect(routed["gateway"] == .string("10.0.0.254"))
        #expect(routed["source"] == .string("10.0.0.1"))
        #expect(routed["addresses"] == .array([.string("8.8.8.8")]))
        #expect(routed["answered_by"] == .string("netlink"))
        guard case .string(let reason)? = routed["reason"], !reason.isEmpty else {
            Issue.record("no reason")
            return
        }
    }

    @Test("prints null in JSON for what there is not")
    func jsonNull() throws {
        let outcome = try reachability("--json", "8.8.8.8", "default")
        for line in outcome.lines {
            let object = try #require(JSONValue(line))
            #expect(object["flags"] == .number(0))
            #expect(object["names"] == .array([]))
            #expect(object["reachable"] == .bool(false))
            for key in ["interface", "gateway", "source"] { #expect(object[key] == .null, "\(key)") }
        }
        #expect(outcome.status == 1)
    }

    @Test("names the target in JSON as it was given")
    func jsonTarget() throws {
        try wire()
        let outcome = try reachability("--json", "127.1", "fe80::1%eth0", "10.0.0.1,8.8.8.8", "default", "0x7f000001")
        #expect(
            outcome.lines.map { JSONValue($0)?["target"] }
                == ["127.1", "fe80::1%eth0", "10.0.0.1,8.8.8.8", "default", "0x7f000001"].map { .string($0) })
    }

    // MARK: Explanations

    @Test("explains table, prefix, metric, next hop, source and link, and the reason for each flag")
    func explains() throws {
        try wire()
        let outcome = try reachability("--explain", "8.8.8.8", "10.0.0.2")
        let halves = outcome.output.components("10.0.0.2: ")
        #expect(outcome.output.hasPrefix("8.8.8.8: Reachable\n"))
        for word in [
            "default", "table main", "metric 42", "via 10.0.0.254", "leaves by eth0", "source 10.0.0.1", "Ethernet",
            "up",
        ] {
            #expect(halves.first?.contains(word) == true, "\(word) in \(outcome.output)")
        }
        #expect(halves.first?.contains("Reachable: there is a route, and eth0 is up") == true)
        for word in ["10.0.0.0/24", "no gateway", "Directly Reachable Address: "] {
            #expect(halves.last?.contains(word) == true, "\(word) in \(outcome.output)")
        }
    }

    @Test("explains why something is not reachable")
    func explainsRefusal() throws {
        try topology.ip("route add prohibit 192.0.2.0/24")
        let outcome = try reachability("--explain", "192.0.2.1")
        #expect(outcome.output.contains("Not Reachable: a route or rule of type 'prohibit' covers it"))
        #expect(outcome.status == 1)
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [Substring] { split(separator: separator, maxSplits: 1) }
}

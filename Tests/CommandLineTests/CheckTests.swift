// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@Suite("reachability check", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct CheckTests {
    private let topology: Topology

    init() throws {
        topology = try Topology()
    }

    private func wire() throws {
        try topology.wire("eth0", address: "10.0.0.1/24", "fd00::1/64")
        try topology.ip("route add default via 10.0.0.254 metric 42")
    }

    @Test("prints each target with Apple's words, in the order of the targets")
    func text() throws {
        try wire()
        let outcome = try topology.reachability(
            "check", "127.1", "::1", "10.0.0.2", "8.8.8.8", "default", "10.0.0.1,8.8.8.8", ",8.8.8.8", "10.0.0.1,")
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

    @Test("counts a link that waits for a connection as not reachable")
    func connectionRequired() throws {
        try wire()
        try topology.setOperationalState(.dormant, of: "eth0")
        let outcome = try topology.reachability("check", "8.8.8.8")
        #expect(outcome.output == "8.8.8.8: Reachable,Connection Required\n")
        #expect(outcome.status == 1)
    }

    @Test("takes every argument after -- as a target")
    func onlyTargets() throws {
        #expect(try topology.reachability("check", "--json", "--", "127.0.0.1").status == 0)
        // There is no route to a server here, so the name fails at once.
        let outcome = try topology.reachability("check", "--server", "192.0.2.53", "--", "--json")
        #expect(outcome.output == "--json: Not Reachable (no name server is reachable)\n")
        #expect(outcome.status == 1)
    }

    @Test("looks from another namespace, given by its path")
    func namespace() throws {
        try wire()
        let elsewhere = try Topology()
        #expect(try elsewhere.reachability("check", "8.8.8.8").status == 1)
        #expect(try elsewhere.reachability("check", "--netns", topology.namespacePath, "8.8.8.8").status == 0)
    }

    @Test("answers for five thousand targets")
    func thousands() throws {
        try wire()
        let targets = (0..<5000).map { "198.18.\($0 / 250).\($0 % 250)" }
        let outcome = try topology.reachability(["check"] + targets)
        #expect(outcome.status == 0)
        #expect(outcome.lines == targets.map { Substring("\($0): Reachable") })
    }

    // MARK: JSON

    @Test("prints one JSON object on one line for each target, with every key, and null for what there is not")
    func json() throws {
        try wire()
        try topology.ip("route add prohibit 192.0.2.0/24")
        let outcome = try topology.reachability("check", "--json", "8.8.8.8", "10.0.0.1", "192.0.2.1")
        #expect(
            outcome.output == #"""
                {"target":"8.8.8.8","flags":2,"names":["reachable"],"reachable":true,"interface":"eth0",\#
                "gateway":"10.0.0.254","source":"10.0.0.1","addresses":["8.8.8.8"],"answered_by":"netlink",\#
                "code":"gateway","reason":"a gateway leads to the target"}
                {"target":"10.0.0.1","flags":196610,"names":["reachable","isLocalAddress","isDirect"],\#
                "reachable":true,"interface":"lo","gateway":null,"source":"10.0.0.1","addresses":["10.0.0.1"],\#
                "answered_by":"netlink","code":"this_machine","reason":"the address is this machine's own"}
                {"target":"192.0.2.1","flags":0,"names":[],"reachable":false,"interface":null,"gateway":null,\#
                "source":null,"addresses":["192.0.2.1"],"answered_by":"netlink","code":"prohibited",\#
                "reason":"a route or rule of type 'prohibit' covers it"}

                """#)
        for line in outcome.lines { #expect(throws: Never.self) { try AnswerLine(line) } }
        #expect(outcome.status == 1)
    }

    @Test("names the target in JSON as it was given")
    func jsonTarget() throws {
        try wire()
        let targets = ["127.1", "fe80::1%eth0", "10.0.0.1,8.8.8.8", "default", "0x7f000001"]
        let lines = try topology.reachability(["check", "--json"] + targets).lines
        #expect(try lines.map { try AnswerLine($0).target } == targets)
    }

    // MARK: Explanations

    @Test("explains table, prefix, metric, next hop, source and link, and the reason for each flag")
    func explains() throws {
        try wire()
        let outcome = try topology.reachability("check", "--explain", "8.8.8.8", "10.0.0.2")
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
}

extension String {
    fileprivate func components(_ separator: String) -> [Substring] { split(separator: separator, maxSplits: 1) }
}

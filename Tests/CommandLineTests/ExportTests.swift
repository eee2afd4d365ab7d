// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ReachabilityLinuxSystem
import TestHosts
import TestTopology
import Testing

@testable import reachability

@Suite("reachability export, once", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct ExportTests {
    private let topology: Topology

    init() throws {
        topology = try Topology.routed()
    }

    private func run(_ line: String) throws -> RunningProgram.Outcome {
        try RunningProgram(line.split(separator: " ").map(String.init), in: topology).outcome()
    }

    private func samples(_ line: String) throws -> [String: String] {
        let outcome = try run(line)
        #expect(outcome.status == 0 && outcome.complaints.isEmpty, "\(outcome)")
        return MetricsFolder.samples(outcome.output)
    }

    @Test("prints the state, the flags, the way and the reason of each target, and the default routes")
    func states() throws {
        try topology.ip("route add 192.0.2.0/24 via 10.0.0.253 table 100")
        try topology.ip("rule add to 192.0.2.0/24 lookup 100")
        try topology.ip("route add unreachable 198.51.100.0/24")
        let found = try samples("export 192.0.2.1 198.51.100.1 10.0.0.1 default")
        #expect(found["reachability_up{target=\"192.0.2.1\"}"] == "1")
        #expect(found["reachability_up{target=\"198.51.100.1\"}"] == "0")
        #expect(found["reachability_flags{target=\"192.0.2.1\"}"] == "2")
        #expect(found["reachability_flags{target=\"198.51.100.1\"}"] == "0")
        #expect(found["reachability_flags{target=\"10.0.0.1\"}"] == "196610")
        let details = found.keys.filter { $0.hasPrefix("reachability_info") }.sorted()
        #expect(
            details == [
                #"reachability_info{target="10.0.0.1",interface="lo",gateway="",table="local",source="10.0.0.1","#
                    + #"reason="this_machine"}"#,
                #"reachability_info{target="192.0.2.1",interface="eth0",gateway="10.0.0.253",table="100","#
                    + #"source="10.0.0.1",reason="gateway"}"#,
                #"reachability_info{target="198.51.100.1",interface="",gateway="",table="",source="","#
                    + #"reason="unreachable_route"}"#,
                #"reachability_info{target="default",interface="eth0",gateway="10.0.0.254",table="main","#
                    + #"source="10.0.0.1",reason="gateway"}"#,
            ])
        #expect(found["reachability_path_up{family=\"ipv4\"}"] == "1")
        #expect(found["reachability_path_up{family=\"ipv6\"}"] == "0")
        // Nothing is counted by one look.
        #expect(!found.keys.contains { $0.contains("change") })
    }

    @Test("resolves names; one without an answer is not reachable, with the reason")
    func names() throws {
        let (server, words) = topology.nameServer { question in
            switch question.name {
            case "host.example": .answer(question.isA ? [.address(question.name, .v4(IPv4Address(10, 0, 0, 9)))] : [])
            case "none.example": .fail(rcode: 3)
            default: .silence
            }
        }
        defer { server.stop() }
        let option = words.joined(separator: " ")
        let answered = try samples("export host.example none.example \(option)")
        let silent = try samples("export --name-timeout 0.3 silent.example mute.example \(option)")
        let found = answered.merging(silent) { first, _ in first }
        for (name, up, reason) in [
            ("host.example", "1", "on_link"), ("none.example", "0", "no_such_name"),
            ("silent.example", "0", "no_answer"),
            ("mute.example", "0", "no_answer"),
        ] {
            #expect(found["reachability_up{target=\"\(name)\"}"] == up)
            #expect(
                found.keys.contains { $0.contains("info{target=\"\(name)\"") && $0.contains("reason=\"\(reason)\"") })
        }
    }

    @Test("takes the lists and the options of watch; a target that is named twice is one")
    func options() throws {
        let folder = try MetricsFolder()
        try "10.0.0.9 # one\nhttp://10.0.0.9:80/\n::1\n".write(toFile: folder.path, atomically: true, encoding: .utf8)
        let found = try samples("export --file \(folder.path) [::1]:443")
        #expect(found.keys.filter { $0.hasPrefix("reachability_up") }.count == 2)
        #expect(try samples("export --interface lo 10.0.0.9")["reachability_up{target=\"10.0.0.9\"}"] == "0")
        try topology.ip("rule add fwmark 7 prohibit")
        #expect(try samples("export --mark 7 192.0.2.1")["reachability_up{target=\"192.0.2.1\"}"] == "0")
        try topology.ip("rule add uidrange 1-1 prohibit")
        #expect(try samples("export --uid 1 192.0.2.1")["reachability_up{target=\"192.0.2.1\"}"] == "0")
        let bound = try samples("export --source 10.0.0.1 192.0.2.1")
        #expect(bound.keys.contains { $0.contains("source=\"10.0.0.1\"") })
        // The options are those of packets to the targets. The default routes are the machine's.
        #expect(try samples("export --mark 7 ::1")["reachability_path_up{family=\"ipv4\"}"] == "1")
        let other = try Topology()
        let there = try samples("export --netns \(other.namespacePath) 192.0.2.1")
        #expect(there["reachability_up{target=\"192.0.2.1\"}"] == "0")
        #expect(there["reachability_path_up{family=\"ipv4\"}"] == "0")
    }

    @Test("works without netlink, as check does")
    func withoutNetlink() throws {
        let program = try RunningProgram(
            ["export", "10.0.0.9"], in: topology, wrapper: [BuiltProduct.path("deny-netlink"), "1"])
        let outcome = try program.outcome()
        #expect(outcome.status == 0)
        #expect(MetricsFolder.samples(outcome.output)["reachability_up{target=\"10.0.0.9\"}"] == "1")
        #expect(outcome.output.contains("reason=\"connectable\""))
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@testable import reachability

/// The text that is made of states. No network is needed.
@Suite("Metrics")
struct MetricFormatTests {
    private static let since = WallTime(seconds: 1_700_000_100, nanoseconds: 250_000_000)

    static func subject(
        _ name: String, flags: ReachabilityFlags = .reachable, interface: String? = "eth0", changes: Int? = 3
    ) -> ExportedState.Subject {
        let answer = Explanation(
            target: name, flags: flags, interface: interface, gateway: interface.map { _ in "192.0.2.1" },
            source: interface.map { _ in "192.0.2.2" }, table: interface.map { _ in "main" }, lookupMethod: .netlink,
            reason: flags.isEmpty ? .refused(.noRoute) : .throughGateway, steps: [])
        return .init(name: name, answer: answer, history: changes.map { ($0, Self.since) })
    }

    private static let path = ExportedState.Subject(name: "ipv4", answer: subject("").answer)

    @Test("are in Prometheus' format, with types that node_exporter knows")
    func format() {
        let state = ExportedState(targets: [Self.subject("db.example")], paths: [Self.path])
        #expect(
            state.text == """
                # TYPE reachability_up gauge
                # HELP reachability_up Whether a packet to the target would leave this machine (1) or not (0).
                reachability_up{target="db.example"} 1
                # TYPE reachability_flags gauge
                # HELP reachability_flags The SCNetworkReachabilityFlags of the target as a number.
                reachability_flags{target="db.example"} 2
                # TYPE reachability_changes_total counter
                # HELP reachability_changes_total Changes of the flags, the interface or the gateway since the exporter began.
                reachability_changes_total{target="db.example"} 3
                # TYPE reachability_last_change_timestamp_seconds gauge
                # HELP reachability_last_change_timestamp_seconds When the last change was; before the first one, when the \
                state was first known.
                reachability_last_change_timestamp_seconds{target="db.example"} 1700000100.250
                # TYPE reachability_info gauge
                # HELP reachability_info Where packets to the target leave now, and why the state is as it is.
                reachability_info{target="db.example",interface="eth0",gateway="192.0.2.1",table="main",\
                source="192.0.2.2",reason="gateway"} 1
                # TYPE reachability_path_up gauge
                # HELP reachability_path_up Whether packets of the family can leave by a default route (1) or not (0).
                reachability_path_up{family="ipv4"} 1
                # TYPE reachability_build_info gauge
                # HELP reachability_build_info The version of the exporter.
                reachability_build_info{version="\(packageVersion)"} 1

                """)
    }

    @Test("without a state have no sample, and a family without samples is left out")
    func unknown() {
        let state = ExportedState(targets: [.init(name: "db.example")], paths: [])
        let text = state.text
        #expect(!text.contains("db.example") && !text.contains("reachability_up"))
        #expect(text.contains("\nreachability_build_info{"))
        // Changes are not counted by a program that looks once.
        let once = ExportedState(targets: [Self.subject("db.example", changes: nil)], paths: [])
        #expect(!once.text.contains("change"))
    }

    @Test("have one line of details for each target, whatever has changed")
    func cardinality() {
        var state = ExportedState(targets: [Self.subject("a.example"), Self.subject("b.example")], paths: [Self.path])
        let count = state.text.split(separator: "\n").count
        for number in 0..<100 {
            state.targets[0] = Self.subject(
                "a.example", flags: number.isMultiple(of: 2) ? [] : .reachable, interface: "eth\(number)",
                changes: number)
            let lines = state.text.split(separator: "\n")
            #expect(lines.count == count)
            #expect(lines.count { $0.hasPrefix("reachability_info{target=\"a.example\"") } == 1)
        }
    }

    @Test("escape what would end a label, and control characters")
    func escaping() {
        let state = ExportedState(targets: [Self.subject("a", interface: "e\"t\\h\n\u{1B}[31m")], paths: [])
        let text = state.text
        #expect(text.contains(#"interface="e\"t\\h\\u{a}\\u{1b}[31m""#), "\(text)")
        let raw = MetricFamily(name: "x", kind: .gauge, help: "a", samples: [([("l", "a\"b\\c\nd")], "-1")])
        #expect(raw.text.hasSuffix(#"x{l="a\"b\\c\nd"} -1"# + "\n"))
    }

    @Test("name a target without its port, and a URL without its password")
    func names() throws {
        for (word, name) in [
            ("https://me:secret@db.example:8443/x?y", "db.example"), ("[2001:db8::1]:443", "2001:db8::1"),
            ("db.example:80", "db.example"), ("default", "default"), ("10.0.0.1,", "10.0.0.1,"),
            ("10.0.0.1,192.0.2.1", "10.0.0.1,192.0.2.1"), (",::1", ",::1"), ("fe80::1%eth0", "fe80::1%eth0"),
        ] {
            #expect(try TargetWord(word).exportedName == name)
        }
    }
}

@Suite("The schedule of writes")
struct WriteScheduleTests {
    private static func at(_ milliseconds: UInt64) -> BootTime { BootTime(nanoseconds: milliseconds * 1_000_000) }

    @Test("writes the first change at once, and those that follow closely together")
    func changes() {
        var schedule = WriteSchedule()
        #expect(schedule.deadline == nil && !schedule.isDue(at: Self.at(5)))
        schedule.contentChanged(at: Self.at(5))
        #expect(schedule.isDue(at: Self.at(5)))
        schedule.written(at: Self.at(6))
        #expect(schedule.deadline == nil)
        schedule.contentChanged(at: Self.at(7))
        schedule.contentChanged(at: Self.at(90))
        #expect(schedule.deadline == Self.at(106) && !schedule.isDue(at: Self.at(105)))
        schedule.written(at: Self.at(106))
        schedule.contentChanged(at: Self.at(300))
        #expect(schedule.isDue(at: Self.at(300)))
    }

    @Test("tries again after a failure, with pauses that grow, and at a change")
    func failures() {
        var schedule = WriteSchedule()
        var (now, pauses): (UInt64, [UInt64]) = (0, [])
        schedule.contentChanged(at: Self.at(0))
        for _ in 0..<8 {
            schedule.failed(at: Self.at(now))
            let next = (schedule.deadline?.nanoseconds ?? 0) / 1_000_000
            pauses.append((next - now) / 1000)
            now = next
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60])
        schedule.failed(at: Self.at(now))
        schedule.contentChanged(at: Self.at(now + 1))
        #expect(schedule.deadline == Self.at(now + 100))
        schedule.written(at: Self.at(now + 100))
        schedule.failed(at: Self.at(now + 200))
        #expect(schedule.deadline == Self.at(now + 1200))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReachabilityLinuxSystem
import TestTopology
import Testing

/// Clocks that jump. The program is run under clocks of its own, and the machine's are left alone.
@Suite(
    "When clocks jump", .timeLimit(.minutes(10)), .needs(.namespaces, .settings),
    .disabled(if: Sanitizer.isOn, "a sanitizer has to be the first library that is loaded"))
struct ClockTests {
    private let topology: Machine
    private let folder: MetricsFolder
    private var directory: String { folder.folder }

    init() throws {
        topology = try Machine.routed()
        folder = try MetricsFolder()
    }

    enum Clock: CaseIterable {
        /// The wall clock jumps between 2010 and 2030 with every reading.
        case jumpingWallClock
        /// By the clocks that count from the start of the machine, it has run for three years and slept for most of
        /// them (time_namespaces(7)).
        case shiftedBootClock
    }

    private func wrapper(_ clock: Clock) throws -> [String] {
        switch clock {
        case .jumpingWallClock:
            let library = "\(directory)/jumping-clock.so"
            let source = #filePath.replacing("CommandLineTests/ClockTests.swift", with: "Fixtures/C/jumping-clock.c")
            try CallingThread.execute(["cc", "-std=gnu17", "-shared", "-fPIC", "-o", library, source])
            return ["/usr/bin/env", "LD_PRELOAD=\(library)"]
        case .shiftedBootClock:
            let script = "test $(cut -d. -f1 /proc/uptime) -gt 94608000 && exec \"$@\""
            return [
                "/usr/bin/unshare", "--time", "--fork", "--kill-child", "--boottime", "94608000", "--monotonic", "1000",
                "/bin/sh", "-c", script, "sh",
            ]
        }
    }

    @Test("addresses expire in time, and every change is printed in order", arguments: Clock.allCases)
    func following(_ clock: Clock) throws {
        let (server, words) = topology.nameServer(with: "192.0.2.1", ttl: 1)
        defer { server.stop() }
        let program = try RunningProgram(
            ["watch", "a.test"] + words, in: topology, wrapper: wrapper(clock))
        var lines = [try program.nextLine()]
        server.answer(with: "10.0.0.7", ttl: 1)
        lines.append(try program.nextLine())
        try topology.ip("route add unreachable 10.0.0.7")
        lines.append(try program.nextLine())
        let states = lines.map { $0.split(separator: " ", maxSplits: 1).last ?? "" }
        #expect(
            states == [
                "a.test: Reachable", "a.test: Reachable,Directly Reachable Address",
                "a.test: Not Reachable (route of type unreachable)",
            ])
        guard clock == .jumpingWallClock else { return }
        // The printed times are the wall clock's. It is read at every look, so lines may have the same year.
        let years = Set(lines.map { String($0.prefix(4)) })
        #expect(years.isSubset(of: ["2010", "2030"]), "\(lines)")
    }

    @Test("a timeout ends in time", arguments: Clock.allCases)
    func deadlines(_ clock: Clock) throws {
        let (server, words) = topology.nameServer { _ in .silence }
        defer { server.stop() }
        let wait = try RunningProgram(
            ["wait", "-q", "--timeout", "0.2", "192.0.2.1", "a.test"] + words, in: topology, wrapper: wrapper(clock))
        let outcome = try wait.outcome()
        #expect(outcome.status == 124)
        #expect(outcome.complaints.contains("'a.test' was not resolved when the time was up"))
        let check = try RunningProgram(
            ["check", "--name-timeout", "0.2", "a.test"] + words, in: topology, wrapper: wrapper(clock))
        #expect(
            try check.outcome()
                == .init(status: 2, output: "a.test: Not Reachable (no name server answered)\n", complaints: ""))
        let whole = try RunningProgram(
            ["check", "--timeout", "0.2", "a.test"] + words, in: topology, wrapper: wrapper(clock))
        #expect(try whole.outcome() == .complaint(2, "cannot resolve 'a.test': the time of --timeout was up"))
    }
}

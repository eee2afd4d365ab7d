// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import TestHosts
import TestTopology
import Testing

/// What the exporter does while nothing happens that it has to write.
@Suite("reachability export --textfile, between changes", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct TextfileIdleTests {
    private let topology: Topology
    private let folder: MetricsFolder

    private static let up = "reachability_up{target=\"10.0.0.9\"}"
    private static let changes = "reachability_changes_total{target=\"10.0.0.9\"}"

    init() throws {
        topology = try Topology()
        try topology.wire("eth0", address: "10.0.0.1/24")
        folder = try MetricsFolder()
    }

    /// Starts the program, and waits until it sleeps.
    private func started() throws -> RunningProgram {
        let socket = try NotifySocket("@idle", in: topology)
        let program = try RunningProgram(
            ["export", "--textfile", folder.path, "10.0.0.9", "default"], in: topology,
            wrapper: ["env", "NOTIFY_SOCKET=@idle"])
        while try !socket.next().hasPrefix("READY=1") {}
        // The engine looks twice more after it has begun, the second time a second later. Then no timer is set.
        try ProcessState.wait("the engine's last timer is set") { try program.timers().contains { $0 > 200_000_000 } }
        try ProcessState.wait("it sleeps without a timer") { try program.timers().isEmpty && program.isAsleep() }
        return program
    }

    @Test("between events it does not wake up")
    func idle() throws {
        let program = try started()
        let (before, version) = (try program.switches(), try Files.identity(of: folder.path))
        // Another network's events and other files in the folder are none of its business, and neither are readers.
        let other = try Topology()
        try other.wire("eth0", address: "10.0.0.1/24")
        for number in 0..<100 {
            try "x 1\n".write(toFile: "\(folder.folder)/\(number).prom", atomically: true, encoding: .utf8)
            #expect(folder.samples[Self.up] == "1")
        }
        #expect(try program.switches() == before)
        #expect(try program.timers().isEmpty)
        #expect(try Files.identity(of: folder.path) == version)
    }

    @Test("writes nothing if a change does not matter to any metric")
    func irrelevant() throws {
        let program = try started()
        let (before, version) = (try program.switches(), try Files.identity(of: folder.path))
        // The engine looks at every target after a change of a link.
        try topology.ip("link set eth0 mtu 1400")
        try ProcessState.wait("it has looked") { try program.switches() > before }
        try ProcessState.wait("it sleeps without a timer") { try program.timers().isEmpty && program.isAsleep() }
        #expect(try Files.identity(of: folder.path) == version)
        try topology.ip("link set eth0-peer down")
        try folder.wait(for: Self.up, "0")
        #expect(folder.samples[Self.changes] == "1")
    }
}

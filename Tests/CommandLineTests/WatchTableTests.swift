// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import reachability

@Suite("The table of reachability watch")
struct WatchTableTests {
    @Test(
        "is redrawn in place at each change, and leaves the terminal in order",
        .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
    func terminal() throws {
        let topology = try Machine.wired()
        let program = try RunningProgram(
            ["watch", "192.0.2.1", "127.0.0.1"], in: topology, onTerminalOf: TerminalSize(columns: 140, rows: 24))
        var text = try program.read { $0.hasSuffix(ControlSequence.showCursor) }
        #expect(text.hasPrefix(ControlSequence.hideCursor + "\rTARGET "))
        var rows = Self.rows(of: text)
        #expect(rows.count == 3)
        #expect(rows[1].hasPrefix("192.0.2.1  Not Reachable "))
        #expect(rows[2].hasPrefix("127.0.0.1  Reachable,Local Address,Directly Reach"))
        #expect(rows.allSatisfy { $0.count <= 140 })

        try topology.ip("route add default via 10.0.0.254")
        text = try program.read { $0.hasSuffix(ControlSequence.showCursor) }
        // In the place of the first one.
        #expect(text.hasPrefix(ControlSequence.hideCursor + "\r" + ControlSequence.up(3)))
        rows = Self.rows(of: text)
        #expect(rows[1].hasPrefix("192.0.2.1  Reachable "))
        #expect(rows[1].contains("  eth0  "))
        #expect(rows[1].contains("  10.0.0.254  "))
        #expect(rows[1].hasSuffix("  1        through a gateway"))
        #expect(rows[2].hasSuffix("  0        this machine"))

        topology_resize(program.output, 50, 24)
        text = try program.read { $0.hasSuffix(ControlSequence.showCursor) }
        #expect(Self.rows(of: text).allSatisfy { $0.count <= 50 })

        // Other programs may have written meanwhile, so it is drawn below the cursor.
        try program.stop()
        program.send(SIGCONT)
        text = try program.read { $0.hasSuffix(ControlSequence.showCursor) }
        #expect(text.contains(ControlSequence.hideCursor + "\rTARGET"))

        program.type("\u{3}")
        // The terminal shows the key, and the program erases it.
        let end = ControlSequence.showCursor + ControlSequence.clearLine
        #expect(try program.read { $0.hasSuffix(end) } == "^C" + end)
        #expect(topology_is_terminal_cooked(program.output) == 1)
        #expect(try program.outcome().status == -SIGINT)
    }

    /// The lines of the output, without control sequences.
    private static func rows(of output: String) -> [String] {
        let plain = output.replacing(/\u{1B}\[[?0-9]*[A-Za-z]/, with: "")
        return plain.split(whereSeparator: \.isNewline).map { String($0.replacing("\r", with: "")) }.filter {
            !$0.isEmpty
        }
    }

    private func table(_ rows: [[String]], columns: Int, height: Int = 24) -> [String] {
        let lines = Table.lines(
            rows: rows.map { Table.Row(cells: $0) }, size: TerminalSize(columns: columns, rows: height),
            form: Table.Form(paint: Paint(.never)))
        for line in lines { #expect(line.text.count == line.width) }
        return lines.map(\.text)
    }

    private static let row = [
        "www.example.org", "Reachable,Transient Connection", "ppp0", "10.0.0.254", "now", "7", "because",
    ]

    @Test("has columns as wide as their contents")
    func columns() {
        #expect(
            table([Self.row], columns: 100) == [
                "TARGET           STATE                           INTERFACE  GATEWAY     SINCE  CHANGES  REASON",
                "www.example.org  Reachable,Transient Connection  ppp0       10.0.0.254  now    7        because",
            ])
    }

    @Test("cuts a list of flags between two of them")
    func flags() {
        let row = [
            "127.0.0.1", "Reachable,Local Address,Directly Reachable Address", "lo", "-", "12:00:00", "0", "own",
        ]
        #expect(table([row], columns: 80)[1].hasPrefix("127.0.0.1  Reachable,Local Address,…  "))
        #expect(table([row], columns: 66)[1].hasPrefix("127.0.0.1  Reachable,…  "))
    }

    @Test(
        "shortens wide columns, and cuts lines, so that no line is wrapped", arguments: [0, 1, 2, 10, 40, 60, 79, 80])
    func narrow(columns: Int) {
        for line in table([Self.row, Self.row.map { $0 + $0 }], columns: columns) { #expect(line.count <= columns) }
    }

    @Test("counts the targets that do not fit into the window", arguments: [1, 2, 3, 4, 5, 10])
    func low(height: Int) {
        let lines = table(Array(repeating: Self.row, count: 20), columns: 100, height: height)
        #expect(lines.count <= max(2, height - 1))
        #expect(lines.last?.hasPrefix("and ") == true)
        #expect(table(Array(repeating: Self.row, count: 20), columns: 100, height: 22).count == 21)
    }

    @Test(
        "prints times in the format of RFC 3339",
        arguments: [
            (0, 0, "1970-01-01T00:00:00.000Z"),
            (951_782_399, 999_999_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400, 0, "2000-02-29T00:00:00.000Z"),
            (951_868_800, 1_000_000, "2000-03-01T00:00:00.001Z"),
            (1_798_761_599, 500_000_000, "2026-12-31T23:59:59.500Z"),
            (4_107_542_400, 0, "2100-03-01T00:00:00.000Z"),
            (-1, 0, "1969-12-31T23:59:59.000Z"),
        ] as [(Int64, Int32, String)])
    func timestamps(seconds: Int64, nanoseconds: Int32, text: String) {
        let time = WallTime(seconds: seconds, nanoseconds: nanoseconds)
        #expect(Timestamp.rfc3339(time) == text)
        // The table has the time alone on the same day.
        #expect(Timestamp.local(time, today: time).count == 8)
        #expect(Timestamp.local(time, today: WallTime(seconds: seconds + 200_000, nanoseconds: 0)).count == 19)
    }
}

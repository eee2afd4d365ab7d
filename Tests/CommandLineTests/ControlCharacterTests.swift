// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import reachability

/// Control characters are always escaped, whether they come from an argument or from the name of an interface.
@Suite("Control characters", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct ControlCharacterTests {
    /// Red text, in 7 and in 8 bits; a bell; a window's title; right-to-left text; a line separator; delete.
    static let evil = [
        "\u{1B}[31mred", "\u{9B}31mred", "a\u{7}b", "\u{1B}]0;mine\u{7}", "a\u{202E}b", "a\u{2028}b", "\u{7F}",
    ]

    /// The escaped form.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { isPrintable($0) ? String($0) : "\\u{\(String($0.value, radix: 16))}" }.joined()
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        !(0..<32).contains(scalar.value) && !(127..<160).contains(scalar.value)
            && ![0x2028, 0x202E].contains(scalar.value)
    }

    private static func isPrintable(_ lines: String) -> Bool {
        lines.unicodeScalars.allSatisfy { $0 == "\n" || isPrintable($0) }
    }

    @Test("are escaped in errors", arguments: evil)
    func complaints(evil: String) throws {
        let topology = try Machine()
        for words in [
            ["check", evil], ["check", "--", evil], ["check", "--\(evil)", "::1"], ["check", "--mark", evil, "::1"],
            ["check", "--interface", "\(evil):", "::1"], ["check", "--netns", evil, "::1"],
            ["check", "--netns", "/\(evil)", "::1"], ["check", "--server", evil, "name"],
            ["check", "fe80::1%\(evil):"], ["check", "1.2.3.4,\(evil)"], ["check", "http://\(evil)/"],
            ["path", "--\(evil)"], ["check", "--file", "/\(evil)"], ["help", evil], ["check", "--uid", evil, "::1"],
            ["wait", "--connect", "\(evil):80"], ["wait", "--connect", evil], ["completions", evil],
            ["check", "--color", evil, "::1"], ["wait", "--stable=\(evil)", "::1"],
            ["check", "10.0.0.0/\(evil)"], ["check", "http://\(evil):80"], ["check", "\(evil):80"],
        ] {
            let outcome = try topology.reachability(words)
            #expect(outcome.status == 64, "\(words)")
            #expect(outcome.complaints.contains(Self.escaped(evil)), "\(words): \(outcome.complaints.debugDescription)")
            #expect(Self.isPrintable(outcome.complaints), "\(words): \(outcome.complaints.debugDescription)")
            #expect(outcome.output.isEmpty)
        }
        let command = try topology.reachability("wait", "-q", "127.0.0.1", "--", evil)
        #expect(command.status == 127 && command.complaints.contains(Self.escaped(evil)))
        #expect(Self.isPrintable(command.complaints))
        // A newline in an argument begins no line.
        #expect(try topology.reachability("check", "a\nb").complaints.contains("a\\u{a}b"))
        let target = try topology.reachability(["wait", "--timeout", "0", "fe80::1%lo"])
        #expect(Self.isPrintable(target.complaints))
    }

    /// Such an interface may come later.
    @Test("in the zone of a target are escaped in results", arguments: evil)
    func zone(evil: String) throws {
        let outcome = try Machine().reachability(["check", "--explain", "fe80::1%\(evil)"])
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("fe80::1%\(Self.escaped(evil))"))
        #expect(Self.isPrintable(outcome.output + outcome.complaints))
    }

    @Test(
        "in the name of an interface are escaped in results", arguments: ["a\u{1B}[31mb", "a\u{9B}31mb", "a\u{202E}b"])
    func interface(name: String) throws {
        let topology = try Machine()
        try topology.wire(name, address: "10.0.0.1/24")
        try topology.ip("route add default via 10.0.0.254")
        try topology.ip("route add fe80::/64 dev \(name)")
        for words in [
            ["explain", "192.0.2.1"], ["explain", "default"], ["check", "fe80::5%\(name)"],
            ["explain", "fe80::5%\(name)"], ["path"],
        ] {
            let outcome = try topology.reachability(words)
            #expect(outcome.output.contains(Self.escaped(name)), "\(words): \(outcome)")
            #expect(Self.isPrintable(outcome.output), "\(words): \(outcome.output.debugDescription)")
        }
        for words in [["check", "--json", "192.0.2.1"], ["path", "--json"]] {
            let output = try topology.reachability(words).output
            #expect(!output.contains { $0 == "\u{1B}" || $0 == "\u{9B}" }, "\(output.debugDescription)")
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(output.utf8)) }
        }
        let watch = try RunningProgram(["watch", "fe80::5%\(name)"], in: topology)
        #expect(try watch.nextLine().contains("fe80::5%\(Self.escaped(name)): "))
        let table = try RunningProgram(
            ["watch", "192.0.2.1"], in: topology, onTerminalOf: TerminalSize(columns: 100, rows: 24))
        let text = try table.read { $0.hasSuffix(ControlSequence.showCursor) }
        #expect(text.contains("  \(Self.escaped(name))  "))
        #expect(!text.contains(name))
    }

    @Test("that are invalid UTF-8 are escaped")
    func badBytes() throws {
        let outcome = try Machine().reachability("x", before: #"set -- check "$(printf 'a\377b\033c')";"#)
        #expect(outcome.status == 64)
        #expect(outcome.complaints.contains(#"a\xffb\u{1b}c"#))
        #expect(Self.isPrintable(outcome.complaints))
    }
}

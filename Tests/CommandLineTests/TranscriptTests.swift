// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

/// Plays the transcripts of Tests/Transcripts, whose README says what they may contain.
@Suite("A transcript", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct TranscriptTests {
    private static let folder = "\(BuiltProduct.package)/Tests/Transcripts"
    private static let files = try! FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".transcript") }.sorted()

    @Test(arguments: files) func `is what the commands print`(file: String) throws {
        let path = "\(Self.folder)/\(file)"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var transcript = Transcript(text)
        #expect(!transcript.sections.isEmpty, "no line begins with \"== \"")
        for index in transcript.sections.indices { try transcript.sections[index].play() }
        if ProcessInfo.processInfo.environment["TRANSCRIPTS"] == "write" {
            return try transcript.text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        for command in transcript.sections.flatMap(\.commands) where command.printed != command.expected {
            Issue.record(
                "\(command.difference)",
                sourceLocation: SourceLocation(
                    fileID: "Transcripts/\(file)", filePath: path, line: command.line, column: 1))
        }
    }
}

/// A file: what stands before its first section, and its sections.
private struct Transcript {
    private let head: String
    var sections: [Section] = []

    init(_ text: String) {
        let lines = text.components(separatedBy: "\n")
        let starts = lines.indices.filter { lines[$0].hasPrefix("== ") }
        let ends = starts.dropFirst() + [lines.count]
        head = lines[..<(starts.first ?? lines.count)].joined(separator: "\n").trimmingCharacters(in: .newlines)
        for (start, end) in zip(starts, ends) {
            let used = lines[start..<end].reversed().drop(while: \.isEmpty).reversed()
            sections.append(Section(Array(used), at: start + 1))
        }
    }

    /// An empty line stands before each section.
    var text: String {
        ([head] + sections.map(\.text)).filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    /// What is played in a network of its own.
    struct Section {
        /// Its name, and what its network has.
        private let head: [String]
        var commands: [Command] = []

        init(_ lines: [String], at number: Int) {
            head = Array(lines.prefix { !$0.hasPrefix("$ ") })
            for (index, line) in lines.enumerated().dropFirst(head.count) {
                if line.hasPrefix("$ ") {
                    commands.append(Command(words: String(line.dropFirst(2)), line: number + index))
                } else {
                    commands[commands.count - 1].expected.append(line)
                }
            }
        }

        var text: String {
            (head + commands.flatMap { ["$ \($0.words)"] + $0.printed }).joined(separator: "\n")
        }
    }

    struct Command {
        let words: String
        let line: Int
        var expected: [String] = []
        /// What it has printed, with the lines that match what was expected as they were.
        var printed: [String] = []

        var difference: String {
            (["$ \(words)"] + printed + ["was expected to print"] + expected).joined(separator: "\n")
        }
    }
}

extension Transcript.Section {
    mutating func play() throws {
        let (machine, other) = (try Machine.withOwnFiles(), try Machine())
        let folder = TemporaryFolder()
        var names: [String: [String]] = [:]
        for words in head.dropFirst().map({ $0.split(separator: " ").map(String.init) }) {
            switch words.first {
            case "#": break
            case "wire":
                let addresses = try words[2...].map { try LinkAddress(reading: $0) }
                try machine.wire(
                    words[1], addresses, peer: "\(words[1])-peer", [], in: machine, index: 0, hasLinkLocalAddress: false
                )
            case "ip": try machine.ip(words[1...].joined(separator: " "))
            case "dormant": try machine.setOperationalState(.dormant, of: words[1])
            case "name": names[words[1]] = Array(words[2...])
            default:
                throw MachineError.mistake("A transcript cannot have the line \"\(words.joined(separator: " "))\".")
            }
        }
        let (server, serverWords) = machine.nameServer { [names] in Self.answer($0, names) }
        defer { server.stop() }
        let setUp = """
            PATH="\(BuiltProduct.folder):$PATH" OTHER="\(other.namespacePath)" SERVER="\(serverWords.joined(separator: " "))"
            VERSION="\(packageVersion)"
            cd "\(folder.path)"
            """
        for index in commands.indices {
            // The status of a pipe is that of the last command in it that has failed.
            let words = ["bash", "-o", "pipefail", "-c", "\(setUp)\n\(commands[index].words)"]
            commands[index].take(try machine.outcome(of: words))
        }
        withExtendedLifetime((folder, other)) {}
    }

    private static func answer(_ question: NameServer.Question, _ names: [String: [String]]) -> NameServer.Answer {
        guard let words = names[question.name] else { return .silence }
        if words == ["NXDOMAIN"] { return .fail(rcode: 3) }
        if words == ["SERVFAIL"] { return .fail(rcode: 2) }
        let addresses = words.map { IPAddress(text: $0) }.filter { ($0.family == .v4) == question.isA }
        return .answer(addresses.map { .address(question.name, $0) })
    }
}

extension Transcript.Command {
    fileprivate mutating func take(_ outcome: RunningProgram.Outcome) {
        var lines = Self.lines(of: outcome.output) + Self.lines(of: outcome.complaints).map { "! \($0)" }
        if outcome.status != 0 { lines.append("[\(outcome.status)]") }
        printed = lines.enumerated().map { index, line in
            index < expected.count && Self.matches(line, expected[index]) ? expected[index] : line
        }
    }

    private static func lines(of text: String) -> [String] {
        let lines = text.components(separatedBy: "\n")
        return lines.last == "" ? lines.dropLast() : lines
    }

    /// "…" in what is expected stands for any text.
    private static func matches(_ line: String, _ expected: String) -> Bool {
        let parts = expected.components(separatedBy: "…").map(NSRegularExpression.escapedPattern)
        return line.range(of: "^\(parts.joined(separator: ".*"))$", options: .regularExpression) != nil
    }
}

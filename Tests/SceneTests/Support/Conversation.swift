// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestScenes
import TestTopology
import Testing

/// What a driver wrote when a face was told something.
struct Telling {
    let face: String
    let question: String
    let answer: Answer
}

/// A driver in a network.
protocol Conversation: AnyObject {
    var driver: Driver { get }
    func ask(_ question: String) throws -> Answer
    func watch(_ question: String) throws
    /// The programs that tell, one after the other.
    var tellers: [Teller] { get }
}

/// A running program, and its tellings that were read so far.
final class Teller {
    private let program: RunningProgram
    var tellings: [Telling] = []
    /// Makes a telling of a line; nil if the line is something else.
    private let reading: (String) throws -> Telling?

    /// Far longer than the kernel takes to report a carrier (a second), and than a busy machine needs.
    static let limit: Duration = .seconds(30)

    struct Silence: Error, CustomStringConvertible {
        let description: String
    }

    init(_ words: [String], in topology: Machine, _ reading: @escaping (String) throws -> Telling?) throws {
        program = try RunningProgram(words, in: topology, takesInput: true, complaints: .passedOn)
        self.reading = reading
    }

    func stop() {
        do { try program.stop() } catch { Issue.record(error) }
    }

    func goOn() { program.send(SIGCONT) }

    /// Reads up to a line that is no telling.
    func reply(to line: String) throws -> String {
        program.type(line + "\n")
        let deadline = ContinuousClock.now + Self.limit
        while true {
            let text = try program.nextLine(until: deadline)
            guard let telling = try reading(text) else { return text }
            tellings.append(telling)
        }
    }

    /// Reads until the tellings are enough. Returns false if they do not come in time.
    func read(until deadline: ContinuousClock.Instant, _ enough: ([Telling]) -> Bool) throws -> Bool {
        while !enough(tellings) {
            guard let line = try? program.nextLine(until: deadline) else { return false }
            if let telling = try reading(line) { tellings.append(telling) }
        }
        return true
    }
}

/// A driver that is a program of its own.
final class ProgramConversation: Conversation {
    let driver: Driver
    let tellers: [Teller]

    init(_ driver: Driver, in topology: Machine, under wrapper: [String]) throws {
        self.driver = driver
        tellers = [
            try Teller(wrapper + (try driver.command), in: topology) { line in
                guard line.hasPrefix("told ") else { return nil }
                let words = line.split(separator: " ")
                let arrow = words.firstIndex(of: "->") ?? words.endIndex
                return Telling(
                    face: String(words[1]), question: words[2..<arrow].joined(separator: " "),
                    answer: Answer(pairs: words[arrow...]))
            }
        ]
    }

    func ask(_ question: String) throws -> Answer {
        Answer(pairs: try tellers[0].reply(to: "ask \(question)").split(separator: " "))
    }

    func watch(_ question: String) throws {
        _ = try tellers[0].reply(to: "watch \(question)")
    }
}

/// The commands `reachability check` and `reachability watch`, one process for each question. Each also watches the fence.
final class CommandConversation: Conversation {
    let driver = Driver.commandLine
    private(set) var tellers: [Teller] = []
    private let topology: Machine
    private let command: [String]

    init(in topology: Machine, under wrapper: [String]) throws {
        self.topology = topology
        command = try wrapper + Driver.commandLine.command
    }

    func ask(_ question: String) throws -> Answer {
        let program = try Teller(command + ["check"] + Self.words(question), in: topology) { line in
            Telling(face: "reachability", question: question, answer: try Line(line).answer)
        }
        guard try program.read(until: .now + Teller.limit, { !$0.isEmpty }) else {
            throw Teller.Silence(description: "no answer")
        }
        return program.tellings[0].answer
    }

    func watch(_ question: String) throws {
        guard question != Fence.address else { return }
        tellers.append(
            try Teller(command + ["watch"] + Self.words(question) + [Fence.address], in: topology) { text in
                let line = try Line(text)
                return Telling(
                    face: "reachability", question: line.target == Fence.address ? Fence.address : question,
                    answer: line.answer)
            })
    }

    private static func words(_ question: String) -> [String] {
        let words = question.split(separator: " ").map(String.init)
        let options = words.dropFirst().compactMap { word in
            switch word {
            case "transport=udp": "--udp"
            case "transport=tcp": nil as String?
            default: "--\(word)"
            }
        }
        return ["--json"] + options + [words[0]]
    }

    /// A line of `--json`.
    private struct Line: Decodable {
        let target: String
        let flags: UInt32
        let code: String
        let interface: String?
        let gateway: String?
        let source: String?

        init(_ line: String) throws {
            self = try JSONDecoder().decode(Self.self, from: Data(line.utf8))
        }

        var answer: Answer {
            Answer(fields: [
                .flags: "\(flags)", .code: code, .interface: interface ?? "none", .gateway: gateway ?? "none",
                .source: source ?? "none",
            ])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Foundation
import Glibc
import ReachabilityLinuxSystem
import TestScenes
import TestTopology

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
    /// The other end of its standard input and output.
    private let descriptor: Int32
    private let child: pid_t
    private var unread: [UInt8] = []
    var tellings: [Telling] = []
    /// Makes a telling of a line; nil if the line is something else.
    private let reading: (String) throws -> Telling?

    /// Far longer than the kernel takes to report a carrier (a second), and than a busy machine needs.
    static let limit: Duration = .seconds(30)

    struct Silence: Error, CustomStringConvertible {
        let description: String
    }

    init(_ words: [String], in topology: Topology, _ reading: @escaping (String) throws -> Telling?) throws {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Errno(rawValue: errno) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        for standard: Int32 in [0, 1] { unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], standard) }
        var arguments = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer {
            unsafe arguments.forEach { unsafe free($0) }
            unsafe posix_spawn_file_actions_destroy(&actions)
            close(ends[1])
        }
        var child = pid_t()
        let status = topology.run { unsafe posix_spawnp(&child, arguments[0]!, &actions, nil, arguments, environ) }
        (descriptor, self.child, self.reading) = (ends[0], child, reading)
        guard status == 0 else { throw Errno(rawValue: status) }
    }

    deinit {
        // No program was started if there is no number.
        if child > 0 {
            kill(child, SIGKILL)
            _ = waitpid(child, nil, 0)
        }
        close(descriptor)
    }

    /// Stops the program, and returns when it has stopped.
    func stop() {
        kill(child, SIGSTOP)
        var status: Int32 = 0
        while unsafe waitpid(child, &status, WUNTRACED) < 0, errno == EINTR {}
    }

    func goOn() {
        kill(child, SIGCONT)
    }

    func send(_ line: String) {
        // A program that has ended is noticed at the reply.
        _ = unsafe Glibc.send(descriptor, line + "\n", line.utf8.count + 1, Int32(MSG_NOSIGNAL))
    }

    /// Reads up to a line that is no telling.
    func reply(to line: String) throws -> String {
        send(line)
        let deadline = ContinuousClock.now + Self.limit
        while true {
            let text = try nextLine(until: deadline, for: "a reply to `\(line)`")
            guard let telling = try reading(text) else { return text }
            tellings.append(telling)
        }
    }

    /// Reads until the tellings are enough. Returns false if they do not come in time.
    func read(until deadline: ContinuousClock.Instant, _ enough: ([Telling]) -> Bool) throws -> Bool {
        while !enough(tellings) {
            guard let line = try? nextLine(until: deadline, for: "a telling") else { return false }
            if let telling = try reading(line) { tellings.append(telling) }
        }
        return true
    }

    private func nextLine(until deadline: ContinuousClock.Instant, for purpose: String) throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let left = ContinuousClock.now.duration(to: deadline)
            guard topology_wait_readable(descriptor, max(0, left.wholeMilliseconds)) > 0 else {
                throw Silence(description: "waited in vain for \(purpose)")
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { throw Silence(description: "the program ended instead of \(purpose)") }
            unread += buffer[..<count]
        }
    }
}

/// A driver that is a program of its own.
final class ProgramConversation: Conversation {
    let driver: Driver
    let tellers: [Teller]

    init(_ driver: Driver, in topology: Topology, under wrapper: [String]) throws {
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
    private let topology: Topology
    private let command: [String]

    init(in topology: Topology, under wrapper: [String]) throws {
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

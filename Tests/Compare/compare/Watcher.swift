// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
import ReachabilityLinuxSystem
import TestTopology

/// A child process that watches a network and answers for one host, with this package or with GLib.
///
/// It reads commands and writes answers and reports of changes, all as lines. `Tests/Compare/glib/glib-watcher.c` lists
/// them.
final class Watcher {
    /// What is compared.
    enum Kind: Sendable {
        case package
        /// This package on a loop of the program, without a thread.
        case packageOnLoop
        case glib(GLib)

        var isGLib: Bool {
            guard case .glib = self else { return false }
            return true
        }

        var name: String {
            switch self {
            case .package: "this package"
            case .packageOnLoop: "this package, on the program's loop"
            case .glib(let glib): glib.name
            }
        }
    }

    let kind: Kind
    let process: pid_t
    private let input: Int32
    private let output: Int32
    private var unread: [UInt8] = []
    /// The times of its reports (CLOCK_MONOTONIC), for each thing it reports.
    private(set) var told: [String: [UInt64]] = [:]

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a watcher in the given network.
    init(_ kind: Kind, of host: Scenario.Question, in topology: Topology) throws {
        let words =
            switch kind {
            case .package: ["/proc/self/exe", "--watch", host.text]
            case .packageOnLoop: ["/proc/self/exe", "--watch-on-loop", host.text]
            case .glib(let glib): [glib.program, host.target]
            }
        self.kind = kind
        (process, input, output) = try topology.run { try Self.start(words) }
    }

    deinit {
        close(input)
        close(output)
        kill(process, SIGKILL)
        _ = waitpid(process, nil, 0)
    }

    /// The child inherits the network namespace of the calling thread.
    private static func start(_ words: [String]) throws -> (pid_t, Int32, Int32) {
        var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard unsafe pipe(&input) == 0, unsafe pipe(&output) == 0 else {
            throw Errno(rawValue: errno)
        }
        // Other children must not inherit them. posix_spawn(3) clears the flag on the two that this child gets.
        for end in input + output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_adddup2(&actions, input[0], 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output[1], 1)
        var arguments = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer {
            unsafe arguments.forEach { unsafe free($0) }
            unsafe posix_spawn_file_actions_destroy(&actions)
            close(input[0])
            close(output[1])
        }
        var process = pid_t()
        let status = unsafe posix_spawn(&process, words[0], &actions, nil, &arguments, environ)
        guard status == 0 else { throw Errno(rawValue: status) }
        return (process, input[1], output[0])
    }

    // MARK: Commands

    /// Sends a command and returns the words of the answer.
    @discardableResult
    func say(_ command: String) throws -> [Substring] {
        let line = command + "\n"
        guard unsafe write(input, line, line.utf8.count) == line.utf8.count else {
            throw Failure(description: "the watcher no longer reads commands")
        }
        while true {
            guard let line = try nextLine(within: Self.answerTimeout) else {
                throw Failure(description: "no answer to \(command)")
            }
            let words = line.split(separator: " ")
            if !note(words) { return words }
        }
    }

    /// Waits until it has reported a thing more than `count` times. Returns false if that does not happen in time.
    func waitUntilTold(of thing: String, moreThan count: Int, timeout: Int32 = 5_000) throws -> Bool {
        while told[thing, default: []].count <= count {
            guard let line = try nextLine(within: timeout) else { return false }
            guard note(line.split(separator: " ")) else { throw Failure(description: "unexpected line: \(line)") }
        }
        return true
    }

    func count(of thing: String) -> Int { told[thing, default: []].count }

    private func note(_ words: [Substring]) -> Bool {
        guard words.count == 3, words[0] == "told", let time = UInt64(words[2]) else { return false }
        told[String(words[1]), default: []].append(time)
        return true
    }

    /// Milliseconds, far longer than any answer takes: GLib reads a million routes again and again.
    private static let answerTimeout: Int32 = 120_000

    private func nextLine(within timeout: Int32) throws -> Substring? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return Substring(decoding: unread[..<end], as: UTF8.self)
            }
            guard topology_wait_readable(output, timeout) > 0 else { return nil }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe read(output, &buffer, buffer.count)
            guard count > 0 else { throw Failure(description: "the watcher has ended") }
            unread += buffer[..<count]
        }
    }

    // MARK: Stopping

    /// Stops the process and returns when it has stopped.
    func stop() {
        kill(process, SIGSTOP)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, WUNTRACED) < 0, errno == EINTR {}
    }

    func goOn() {
        kill(process, SIGCONT)
    }
}

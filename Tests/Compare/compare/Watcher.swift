// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
import LinuxSystem
import TestTopology

/// A program that watches a network and answers for one host: this package, or GLib.
///
/// It is controlled by lines of text, listed in `Tests/Compare/glib/glib-watcher.c`, and tells changes by lines too.
final class Watcher {
    /// The compared programs.
    enum Kind: Sendable {
        case package
        case glib(program: String)
    }

    let process: pid_t
    private let input: Int32
    private let output: Int32
    private var unread: [UInt8] = []
    /// When it told each kind of change (CLOCK_MONOTONIC).
    private(set) var told: [String: [UInt64]] = [:]

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a watcher in the given network.
    init(_ kind: Kind, of target: String, keys: [String] = [], in topology: Topology) throws {
        let words =
            switch kind {
            case .package: ["/proc/self/exe", "--watch", target] + keys
            case .glib(let program): [program, target]
            }
        (process, input, output) = try topology.run { try Self.start(words) }
    }

    deinit {
        close(input)
        close(output)
        kill(process, SIGKILL)
        _ = waitpid(process, nil, 0)
    }

    /// A child inherits the namespace of the thread that calls posix_spawn(3).
    private static func start(_ words: [String]) throws -> (pid_t, Int32, Int32) {
        var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard unsafe pipe(&input) == 0, unsafe pipe(&output) == 0 else {
            throw Errno(rawValue: errno)
        }
        // Other children must not inherit these. posix_spawn(3) clears the flag on the two that it passes on.
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

    // MARK: Speaking

    /// Sends a command and returns the words of the answer.
    @discardableResult
    func say(_ command: String) throws -> [Substring] {
        let line = command + "\n"
        guard unsafe write(input, line, line.utf8.count) == line.utf8.count else {
            throw Failure(description: "the watcher does not listen any more")
        }
        while true {
            guard let line = try nextLine(within: Self.answerTimeout) else {
                throw Failure(description: "no answer to \(command)")
            }
            let words = line.split(separator: " ")
            if !note(words) { return words }
        }
    }

    /// Waits until it has told a change more often than given, or until it should have done so long ago.
    func waitUntilTold(of thing: String, moreThan count: Int, timeout: Int32 = 5_000) throws -> Bool {
        while told[thing, default: []].count <= count {
            guard let line = try nextLine(within: timeout) else { return false }
            guard note(line.split(separator: " ")) else { throw Failure(description: "unasked: \(line)") }
        }
        return true
    }

    func count(of thing: String) -> Int { told[thing, default: []].count }

    private func note(_ words: [Substring]) -> Bool {
        guard words.count == 3, words[0] == "told", let time = UInt64(words[2]) else { return false }
        told[String(words[1]), default: []].append(time)
        return true
    }

    /// Far longer than an answer takes, even while GLib reads a million routes repeatedly. After this, there will be
    /// none.
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

    /// Stops the program (SIGSTOP), and waits until it has stopped.
    func stop() {
        kill(process, SIGSTOP)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, WUNTRACED) < 0, errno == EINTR {}
    }

    func goOn() {
        kill(process, SIGCONT)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import TestHosts
import TestTopology

@_implementationOnly import CTestTopology

@testable import reachability

/// A built program that runs in a topology.
final class RunningProgram {
    /// The read end of its output: a pipe, or the other end of its terminal.
    let output: Int32
    private let complaints: Int32?
    let identifier: pid_t
    private var unread: [UInt8] = []
    private var status: Int32?

    /// - Parameters:
    ///   - ignored: a signal that is ignored when the program starts.
    ///   - wrapper: words before the program's own path.
    ///   - program: the program.
    init(
        _ words: [String], in topology: Topology, ignoring ignored: Int32 = 0, wrapper: [String] = [],
        program: String = "reachability"
    ) throws {
        var (output, complaints, child): (Int32, Int32, pid_t) = (-1, -1, 0)
        let started = unsafe Self.withArguments(wrapper + [Self.path(program)] + words) { arguments in
            topology.run { unsafe topology_start(arguments, ignored, &output, &complaints, &child) }
        }
        guard started == 0 else { throw TopologyError.system("start the program", Errno(rawValue: errno)) }
        (self.output, self.complaints, identifier) = (output, complaints, child)
    }

    /// Runs the program on a new terminal.
    init(
        _ words: [String], in topology: Topology, wrapper: [String] = [], onTerminalOf size: TerminalSize
    ) throws {
        var (terminal, child): (Int32, pid_t) = (-1, 0)
        let started = unsafe Self.withArguments(wrapper + [Self.path("reachability")] + words) { arguments in
            topology.run {
                unsafe topology_start_on_terminal(arguments, Int32(size.columns), Int32(size.rows), &terminal, &child)
            }
        }
        guard started == 0 else { throw TopologyError.system("start the program", Errno(rawValue: errno)) }
        (output, complaints, identifier) = (terminal, nil, child)
    }

    deinit {
        if status == nil {
            kill(identifier, SIGKILL)
            _ = waitpid(identifier, nil, 0)
        }
        close(output)
        if let complaints { close(complaints) }
    }

    /// The path of a product that was built together with these tests.
    static func path(_ product: String) -> String { BuiltProduct.path(product) }

    // MARK: Reading

    struct NoMoreOutput: Error, CustomStringConvertible {
        let description: String
    }

    /// Far longer than any output takes, in milliseconds.
    private static let waitLimit: Int32 = 60_000

    /// The next line of its results.
    func nextLine() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard try readMore() else { throw NoMoreOutput(description: "it ended after \(text(unread))") }
        }
    }

    /// Its output until the condition holds, or until it ends.
    @discardableResult
    func read(until condition: (String) -> Bool = { _ in false }) throws -> String {
        while !condition(text(unread)) {
            guard try readMore() else { break }
        }
        defer { unread = [] }
        return text(unread)
    }

    /// False at the end.
    private func readMore() throws -> Bool {
        guard let bytes = try Self.readSome(output, seen: unread) else { return false }
        unread += bytes
        return true
    }

    private static func readSome(_ descriptor: Int32, seen: [UInt8]) throws -> [UInt8]? {
        guard topology_wait_readable(descriptor, waitLimit) > 0 else {
            throw NoMoreOutput(description: "nothing more came after \(String(decoding: seen, as: UTF8.self))")
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        // Reading fails with EIO after the last process has closed the terminal.
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    // MARK: Ending

    func send(_ signal: Int32) {
        kill(identifier, signal)
    }

    /// Waits until a signal has stopped it.
    func waitUntilStopped() throws {
        var state: Int32 = 0
        try ProcessState.wait("the program is stopped") {
            unsafe waitpid(identifier, &state, WUNTRACED | WNOHANG) == identifier
        }
    }

    func type(_ keys: String) {
        _ = unsafe write(output, keys, keys.utf8.count)
    }

    /// How it ended.
    struct Outcome: Equatable {
        var status: Int32
        var output: String
        var complaints: String
    }

    func outcome() throws -> Outcome {
        let output = try read()
        var problems: [UInt8] = []
        while let complaints, let more = try Self.readSome(complaints, seen: problems) { problems += more }
        return Outcome(status: try reap(), output: output, complaints: text(problems))
    }

    /// Whether it has ended already.
    var hasEnded: Bool {
        var state: Int32 = 0
        guard status == nil, unsafe waitpid(identifier, &state, WNOHANG) == identifier else { return status != nil }
        status = Self.status(state)
        return true
    }

    private func reap() throws -> Int32 {
        if let status { return status }
        var state: Int32 = 0
        try ProcessState.wait("the program ends") { unsafe waitpid(identifier, &state, WNOHANG) == identifier }
        let ended = Self.status(state)
        status = ended
        return ended
    }

    /// The exit status; the negative number of the signal if one ended the program (wait(2)).
    private static func status(_ state: Int32) -> Int32 {
        state & 0x7F == 0 ? state >> 8 & 0xFF : -(state & 0x7F)
    }

    private static func withArguments(
        _ words: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        var arguments = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        return unsafe arguments.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
    }
}

extension Topology {
    /// Runs the program to its end.
    func reachability(_ words: String...) throws -> RunningProgram.Outcome {
        try RunningProgram(words, in: self).outcome()
    }

    /// A name server on loopback in this network, and the arguments that select it.
    func nameServer(_ script: @escaping ScriptedDNSServer.Script) -> (ScriptedDNSServer, words: [String]) {
        let server = run { ScriptedDNSServer(script) }
        return (server, ["--server", "127.0.0.1:\(server.port)"])
    }
}

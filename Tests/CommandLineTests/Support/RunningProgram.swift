// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Foundation
import Glibc
import ReachabilityLinuxSystem
import TestHosts
import TestTopology
import TestWaiting

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
    ///   - size: that of a new terminal on which the program runs, instead of writing into pipes.
    init(
        _ words: [String], in topology: Topology, ignoring ignored: Int32 = 0, wrapper: [String] = [],
        program: String = "reachability", onTerminalOf size: TerminalSize? = nil
    ) throws {
        var (output, complaints, child): (Int32, Int32, pid_t) = (-1, -1, 0)
        let started = unsafe Self.withArguments(wrapper + [BuiltProduct.path(program)] + words) { arguments in
            topology.run {
                guard let size else { return unsafe topology_start(arguments, ignored, &output, &complaints, &child) }
                return unsafe topology_start_on_terminal(
                    arguments, Int32(size.columns), Int32(size.rows), &output, &child)
            }
        }
        guard started == 0 else { throw TopologyError.system("start the program", Errno(rawValue: errno)) }
        (self.output, self.complaints, identifier) = (output, size == nil ? complaints : nil, child)
    }

    deinit {
        if status == nil {
            kill(identifier, SIGKILL)
            _ = waitpid(identifier, nil, 0)
        }
        close(output)
        if let complaints { close(complaints) }
    }

    // MARK: Reading

    struct NoMoreOutput: Error, CustomStringConvertible {
        let description: String
    }

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
        guard topology_wait_readable(descriptor, WaitLimit.milliseconds) > 0 else {
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

        var lines: [Substring] { output.split(separator: "\n") }

        /// It has printed nothing.
        static func silent(_ status: Int32 = 0) -> Outcome { Outcome(status: status, output: "", complaints: "") }

        /// It has only said what is wrong.
        static func complaint(_ status: Int32, _ words: String) -> Outcome {
            Outcome(status: status, output: "", complaints: "reachability: \(words)\n")
        }
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

// MARK: - Sleeping

extension RunningProgram {
    /// How often its threads went to sleep, which is how often they were woken or will be (proc(5), status).
    func switches() throws -> Int {
        try statuses().reduce(0) { sum, text in
            let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
        }
    }

    /// In how many nanoseconds its timer descriptors fire; 0 for one that has fired and was not read (proc(5), fdinfo).
    func timers() throws -> [Int] {
        let folder = "/proc/\(identifier)/fdinfo"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
            // A descriptor may have been closed since its number was read.
            let text = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
            // That of CLOCK_REALTIME (0) never fires. It is cancelled after a sleep of the machine (`ClockJumps`).
            guard !text.contains("clockid: 0\n"),
                let value = text.firstMatch(of: /it_value: \(([0-9]+), ([0-9]+)\)/)
            else { return nil }
            let left = Int(value.1)! * 1_000_000_000 + Int(value.2)!
            return left == 0 && text.contains("ticks: 0\n") ? nil : left
        }
    }

    /// Whether all its threads sleep.
    private func isAsleep() throws -> Bool { try statuses().allSatisfy { $0.contains("\nState:\tS") } }

    /// What the kernel tells of each of its threads.
    private func statuses() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/task").map { task in
            try String(contentsOfFile: "/proc/\(identifier)/task/\(task)/status", encoding: .utf8)
        }
    }

    /// Waits until a timer of `--stable 3600` is set, of which no minute has passed.
    func waitUntilStableTimer() throws {
        try ProcessState.wait("the time of an hour begins") {
            try requireRunning()
            return try timers().contains { $0 > 3_540_000_000_000 }
        }
    }

    /// Waits until it has looked at everything, and still runs: all its threads sleep, and none has set a timer but for what
    /// comes much later, such as the end of a name's time to live.
    func waitUntilAsleep() throws {
        try ProcessState.wait("it sleeps") {
            try requireRunning()
            return try timers().allSatisfy { $0 > 1_000_000_000 } && isAsleep()
        }
    }

    private func requireRunning() throws {
        guard !hasEnded else { throw NoMoreOutput(description: "it has ended after \(text(unread))") }
    }
}

extension Topology {
    /// A network whose link eth0 has the address 10.0.0.1.
    static func wired() throws -> Topology {
        let topology = try Topology()
        try topology.wire("eth0", address: "10.0.0.1/24")
        return topology
    }

    /// The same with a default route.
    static func routed() throws -> Topology {
        let topology = try wired()
        try topology.ip("route add default via 10.0.0.254")
        return topology
    }

    /// Runs the program to its end. `before` and `after` are shell text around it, such as a limit and a redirection.
    func reachability(_ words: String..., before: String = "", after: String = "") throws -> RunningProgram.Outcome {
        try reachability(words, before: before, after: after)
    }

    func reachability(
        _ words: [String], before: String = "", after: String = ""
    ) throws -> RunningProgram.Outcome {
        let isPlain = before.isEmpty && after.isEmpty
        let wrapper = isPlain ? [] : ["sh", "-c", "\(before) exec \"$0\" \"$@\" \(after)"]
        return try RunningProgram(words, in: self, wrapper: wrapper).outcome()
    }

    /// A name server on loopback in this network, and the arguments that select it.
    func nameServer(_ script: @escaping ScriptedDNSServer.Script) -> (ScriptedDNSServer, words: [String]) {
        let server = run { ScriptedDNSServer(script) }
        return (server, ["--server", "127.0.0.1:\(server.port)"])
    }

    /// One that knows this address for every name. If it holds its answers, `answer` lets them go.
    func nameServer(
        with address: String, ttl: UInt32 = 60, isHolding: Bool = false
    ) -> (ScriptedDNSServer, words: [String]) {
        nameServer { question in
            let records = ScriptedDNSServer.records(question, address, ttl)
            return isHolding ? .held(records) : .answer(records)
        }
    }
}

extension ScriptedDNSServer {
    fileprivate static func records(_ question: Question, _ address: String, _ ttl: UInt32) -> [DNSMessage.Record] {
        question.isA ? [.address(question.name, IPAddress(text: address), ttl: ttl)] : []
    }

    /// Answers with this address from now on, also what was asked before.
    func answer(with address: String, ttl: UInt32 = 60) {
        setScript { .answer(Self.records($0, address, ttl)) }
        release()
    }
}

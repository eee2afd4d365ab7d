// SPDX-License-Identifier: Apache-2.0

package import CTestTopology
import Glibc
import ReachabilityLinuxSystem
package import ReachabilityTestMachines
import TestWaiting

/// A program that runs beside a test, which reads what it writes. It ends with this object, or before.
package final class RunningProgram {
    /// Where its error output goes: into a pipe of its own, where its output goes, or where that of this process goes.
    package enum Complaints {
        case apart, withOutput, passedOn
    }

    /// The other end of its input, or of its terminal.
    private let input: Int32
    /// The read end of its output: a pipe, or the other end of its terminal.
    package let output: Int32
    private let complaints: Int32
    package let identifier: pid_t
    private var unread: [UInt8] = []
    private var status: Int32?

    /// - Parameters:
    ///   - machine: in whose network it runs; nil for that of the calling thread.
    ///   - ignored: a signal that is ignored when the program starts.
    ///   - takesInput: whether lines can be sent to it. Otherwise its input is empty.
    ///   - size: columns and rows of a new terminal on which the program runs, instead of writing into pipes.
    package init(
        _ words: [String], in machine: Machine? = nil, ignoring ignored: Int32 = 0, takesInput: Bool = false,
        complaints: Complaints = .withOutput, onTerminalOf size: (columns: Int, rows: Int)? = nil
    ) throws {
        let (unchanged, piped) = (Int32(topology_unchanged), Int32(topology_piped))
        let errors: [Complaints: Int32] = [.apart: piped, .withOutput: Int32(topology_with_output)]
        var ends = [takesInput ? piped : unchanged, piped, errors[complaints] ?? unchanged]
        var child: pid_t = 0
        var arguments = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        let start = { () -> Int32 in
            guard let size else { return unsafe topology_start(arguments, ignored, &ends, &child) }
            ends = [-1, -1, -1]
            return unsafe topology_start_on_terminal(
                arguments, Int32(size.columns), Int32(size.rows), &ends[1], &child)
        }
        let error = machine?.run(start) ?? start()
        (input, output, self.complaints, identifier) = (size == nil ? ends[0] : ends[1], ends[1], ends[2], child)
        guard error == 0 else {
            status = -1
            throw MachineError.system("start \(words[0])", Errno(rawValue: error))
        }
    }

    deinit {
        end()
        for descriptor in Set([input, output, complaints]) where descriptor >= 0 { close(descriptor) }
    }

    // MARK: Reading

    /// The program has ended, or says nothing more.
    package struct NoMoreOutput: Error, CustomStringConvertible {
        package let description: String
    }

    /// The next line of its results.
    package func nextLine(until deadline: ContinuousClock.Instant = .now + .seconds(WaitLimit.seconds)) throws -> String
    {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard try readMore(until: deadline) else { throw NoMoreOutput(description: "it ended after \(unreadText)") }
        }
    }

    /// Its output until the condition holds, or until it ends.
    @discardableResult
    package func read(until condition: (String) -> Bool = { _ in false }) throws -> String {
        while !condition(unreadText) {
            guard try readMore() else { break }
        }
        defer { unread = [] }
        return unreadText
    }

    /// Reads until a word comes, and returns what was read. Throws if the program ends before.
    @discardableResult
    package func waitForOutput(_ word: String) throws -> String {
        let text = try read { $0.contains(word) }
        guard text.contains(word) else { throw NoMoreOutput(description: "it ended after \"\(text)\"") }
        return text
    }

    /// What has come and was not returned.
    private var unreadText: String { String(decoding: unread, as: UTF8.self) }

    /// False at the end.
    private func readMore(until deadline: ContinuousClock.Instant = .now + .seconds(WaitLimit.seconds)) throws -> Bool {
        try Self.readSome(output, &unread, until: deadline)
    }

    private static func readSome(
        _ descriptor: Int32, _ seen: inout [UInt8], until deadline: ContinuousClock.Instant
    ) throws -> Bool {
        let left = ContinuousClock.now.duration(to: deadline)
        guard topology_wait_readable(descriptor, max(0, left.wholeMilliseconds)) > 0 else {
            throw NoMoreOutput(description: "nothing more came after \(String(decoding: seen, as: UTF8.self))")
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        // Reading fails with EIO after the last process has closed the terminal.
        if count > 0 { seen += buffer[..<count] }
        return count > 0
    }

    // MARK: Telling

    /// Types something on its terminal, or sends it. A program that has ended is noticed when something is read.
    package func type(_ keys: String) {
        guard input == output else { return _ = unsafe Glibc.send(input, keys, keys.utf8.count, Int32(MSG_NOSIGNAL)) }
        _ = unsafe write(input, keys, keys.utf8.count)
    }

    package func send(_ signal: Int32) {
        kill(identifier, signal)
    }

    /// Stops it, and returns when it has stopped.
    package func stop() throws {
        send(SIGSTOP)
        var state: Int32 = 0
        try ProcessState.wait("the program is stopped") {
            unsafe waitpid(identifier, &state, WUNTRACED | WNOHANG) == identifier
        }
    }

    /// Waits until it watches: its engine has a thread. What the client knows was asked before that was started, so every later
    /// change is told.
    package func waitUntilWatching() throws {
        try ProcessState.wait("the engine of the program runs") {
            ProcessState.threads(of: "\(identifier)").contains("reachability")
        }
    }

    // MARK: Ending

    /// How it ended.
    package struct Outcome: Equatable {
        package var status: Int32
        package var output: String
        package var complaints: String

        package init(status: Int32 = 0, output: String = "", complaints: String = "") {
            (self.status, self.output, self.complaints) = (status, output, complaints)
        }

        package var lines: [Substring] { output.split(separator: "\n") }
    }

    /// Reads to the end of the program.
    package func outcome() throws -> Outcome {
        let output = try read()
        var problems: [UInt8] = []
        let deadline = ContinuousClock.now + .seconds(WaitLimit.seconds)
        while complaints >= 0, try Self.readSome(complaints, &problems, until: deadline) {}
        try ProcessState.wait("the program ends") { hasEnded }
        return Outcome(status: status!, output: output, complaints: String(decoding: problems, as: UTF8.self))
    }

    /// Whether it has ended already.
    package var hasEnded: Bool {
        var state: Int32 = 0
        guard status == nil, unsafe waitpid(identifier, &state, WNOHANG) == identifier else { return status != nil }
        // The exit status; the negative number of the signal if one ended the program (wait(2)).
        status = state & 0x7F == 0 ? state >> 8 & 0xFF : -(state & 0x7F)
        return true
    }

    package func requireRunning() throws {
        guard !hasEnded else { throw NoMoreOutput(description: "it has ended after \(unreadText)") }
    }

    /// Kills it. A second call does nothing, because the number may belong to another process by then.
    package func end() {
        guard status == nil else { return }
        // The program may have inherited a mask that blocks all other signals.
        kill(identifier, SIGKILL)
        status = -SIGKILL
        _ = waitpid(identifier, nil, 0)
    }
}

extension RunningProgram {
    /// dnsmasq(8), which reads no file and knows what these words say. Returns when it has printed a word.
    package static func dnsmasq(
        _ words: [String], in machine: Machine? = nil, until word: String = "started"
    ) throws -> RunningProgram {
        let program = try RunningProgram(
            [
                "/usr/sbin/dnsmasq", "--no-daemon", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--user=root",
                "--pid-file=", "--bind-interfaces",
            ] + words, in: machine)
        try program.waitForOutput(word)
        return program
    }
}

extension Machine {
    /// Runs a program to its end.
    package func outcome(of words: [String]) throws -> RunningProgram.Outcome {
        try RunningProgram(words, in: self, complaints: .apart).outcome()
    }
}

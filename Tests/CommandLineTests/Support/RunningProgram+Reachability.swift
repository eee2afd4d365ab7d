// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReachabilityLinuxSystem
import TestTopology

@testable import reachability

extension RunningProgram {
    /// - Parameters:
    ///   - wrapper: words before the program's own path.
    ///   - program: the program, which was built beside the tests.
    convenience init(
        _ words: [String], in topology: Machine, ignoring ignored: Int32 = 0, wrapper: [String] = [],
        program: String = "reachability", onTerminalOf size: TerminalSize? = nil
    ) throws {
        try self.init(
            wrapper + [BuiltProduct.path(program)] + words, in: topology, ignoring: ignored, complaints: .apart,
            onTerminalOf: size.map { ($0.columns, $0.rows) })
    }
}

extension RunningProgram.Outcome {
    /// It has printed nothing.
    static func silent(_ status: Int32 = 0) -> Self { Self(status: status) }

    /// It has only said what is wrong.
    static func complaint(_ status: Int32, _ words: String) -> Self {
        Self(status: status, complaints: "reachability: \(words)\n")
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
}

extension Machine {
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
    func nameServer(_ script: @escaping NameServer.Script) -> (NameServer, words: [String]) {
        let server = run { NameServer(script) }
        return (server, ["--server", "127.0.0.1:\(server.port)"])
    }

    /// One that knows this address for every name. If it holds its answers, `answer` lets them go.
    func nameServer(
        with address: String, ttl: UInt32 = 60, isHolding: Bool = false
    ) -> (NameServer, words: [String]) {
        nameServer { question in
            let records = NameServer.records(question, address, ttl)
            return isHolding ? .held(records) : .answer(records)
        }
    }
}

extension NameServer {
    fileprivate static func records(_ question: Question, _ address: String, _ ttl: UInt32) -> [DNSMessage.Record] {
        question.isA ? [.address(question.name, IPAddress(text: address), ttl: ttl)] : []
    }

    /// Answers with this address from now on, also what was asked before.
    func answer(with address: String, ttl: UInt32 = 60) {
        setScript { .answer(Self.records($0, address, ttl)) }
        release()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import TestTopology
import Testing

/// The programs where few descriptors may be open (RLIMIT_NOFILE, getrlimit(2)): from none but the standard streams to
/// more than any of them needs.
@Suite(
    "The programs with few descriptors", .timeLimit(.minutes(10)), .needs(.namespaces),
    .disabled(if: Sanitizer.isOn, "a sanitizer opens files itself"))
struct FewDescriptorsTests {
    private static let limits = 3...64

    private static func start(_ words: [String], limit: Int, in topology: Machine) throws -> RunningProgram {
        let wrapper = ["/bin/sh", "-c", "ulimit -n \(limit) && exec \"$@\"", "sh"]
        return try RunningProgram(
            Array(words.dropFirst()), in: topology, wrapper: wrapper, program: words.first ?? "")
    }

    private static func hasComplained(_ outcome: RunningProgram.Outcome) -> Bool {
        outcome.status > 0 && !outcome.complaints.isEmpty
    }

    /// One of the two, and with the least and the most descriptors a certain one.
    private static func expect(
        _ hasAnswer: Bool, orError hasComplained: Bool, limit: Int, _ seen: @autoclosure () -> Any
    ) {
        #expect(hasAnswer != hasComplained, "at most \(limit) open: \(seen())")
        #expect(hasAnswer || limit < limits.last!, "\(limit) are enough: \(seen())")
        #expect(hasComplained || limit > limits.first!, "\(limit) are too few: \(seen())")
    }

    private static func withServer(_ body: (Machine, _ words: [String]) throws -> Void) throws {
        let topology = try Machine.routed()
        let (server, words) = topology.nameServer(with: "192.0.2.1")
        defer { server.stop() }
        try body(topology, words)
    }

    @Test(
        "answer correctly or report an error",
        arguments: [
            ["reachability", "check", "192.0.2.1"], ["reachability", "check", "192.0.2.1", "localhost"],
            ["reachability", "explain", "default"], ["reachability", "wait", "192.0.2.1", "localhost"],
            ["reachability", "path"], ["scutil", "-r", "192.0.2.1"], ["scutil", "-r", "localhost"],
            ["scutil", "--nwi"],
        ])
    func once(_ words: [String]) throws {
        let topology = try Machine.routed()
        let whole = try Self.start(words, limit: 1024, in: topology).outcome()
        #expect(whole.status == 0)
        // "satisfied, IPv4", "default: Reachable" and so on: enough to recognize the correct answer.
        let beginning = whole.output.prefix(15)
        for limit in Self.limits {
            let outcome = try Self.start(words, limit: limit, in: topology).outcome()
            let hasAnswer = outcome.status == 0 && outcome.output.hasPrefix(beginning)
            Self.expect(hasAnswer, orError: Self.hasComplained(outcome), limit: limit, outcome)
        }
    }

    @Test(
        "answer for a name correctly or report an error",
        arguments: [("check", "host.example: Reachable\n"), ("wait", "")])
    func name(verb: String, answer: String) throws {
        try Self.withServer { topology, server in
            for limit in Self.limits {
                // Where a descriptor is lacking, waiting would not end.
                let options = verb == "wait" && limit < Self.limits.last! ? ["--timeout", "0.5"] : []
                let words = ["reachability", verb] + options + server + ["host.example"]
                let outcome = try Self.start(words, limit: limit, in: topology).outcome()
                let hasAnswer = outcome.status == 0 && outcome.output == answer
                Self.expect(hasAnswer, orError: Self.hasComplained(outcome), limit: limit, outcome)
            }
        }
    }

    @Test(
        "print the present state before any change, or report an error",
        arguments: [
            ("reachability watch 192.0.2.1", "Z 192.0.2.1: Reachable\n"),
            ("reachability watch localhost", "Z localhost: Reachable,Local Address,"),
            ("reachability watch host.example 192.0.2.1", "Z 192.0.2.1: Reachable\n"),
            ("reachability path --watch", "Z satisfied, IPv4"), ("scutil -W -r 192.0.2.1", "\nReachable\n"),
            ("scutil -W -r localhost", "\nReachable,Local Address,"), ("scutil -W --nwi", "\n   eth0 : flags "),
        ])
    func following(_ words: String, state: String) throws {
        try Self.withServer { topology, server in
            let words =
                words.split(separator: " ").map(String.init) + (words.hasPrefix("reachability watch") ? server : [])
            for limit in Self.limits {
                let program = try Self.start(words, limit: limit, in: topology)
                // It either runs until the signal, or has ended with an error. A name that cannot be resolved has no state yet.
                let seen = try program.read { $0.contains(state) }
                if seen.contains(state) { program.send(SIGTERM) }
                let outcome = try program.outcome()
                let hasAnswer = seen.contains(state) && [130, -SIGTERM].contains(outcome.status)
                // scutil, like Apple's, prints this error among its results.
                let isSaid = !outcome.complaints.isEmpty || (seen + outcome.output).contains(" failed: ")
                let hasComplained = !hasAnswer && outcome.status > 0 && isSaid
                Self.expect(hasAnswer, orError: hasComplained, limit: limit, (seen, outcome))
            }
        }
    }
}

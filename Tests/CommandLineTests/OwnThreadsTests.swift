// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestTopology
import Testing

/// The programs have one thread that prints, and at most one for changes and name servers. libdispatch's workers need
/// descriptors and /proc, and end the program without them.
@Suite(
    "The threads of the programs", .timeLimit(.minutes(10)), .needs(.namespaces),
    .disabled(if: Sanitizer.isOn, "a sanitizer may start a thread"))
struct OwnThreadsTests {
    private static func threadCount(of program: RunningProgram) throws -> Int {
        try CallingThread.execute(["ls", "/proc/\(program.identifier)/task"]).split(separator: "\n").count
    }

    @Test("are two at most while name servers are asked", arguments: ["check", "wait"])
    func asking(_ verb: String) throws {
        let topology = try Machine()
        let (server, words) = topology.nameServer { _ in .held([]) }
        defer { server.stop() }
        let names = (0..<20).map { "n\($0).example" }
        let program = try RunningProgram([verb, "--timeout", "60"] + words + names + ["127.0.0.1"], in: topology)
        try server.wait(forQuestions: 2 * names.count)
        #expect(try Self.threadCount(of: program) <= 2)
    }

    @Test(
        "are two at most while they wait for changes",
        arguments: [
            ["reachability", "watch", "127.0.0.1"], ["reachability", "path", "--watch"],
            ["scutil", "-W", "-r", "127.0.0.1"], ["scutil", "-W", "-r", "localhost"], ["scutil", "-W", "--nwi"],
        ])
    func following(_ words: [String]) throws {
        let program = try RunningProgram(Array(words.dropFirst()), in: Machine(), program: words[0])
        // The first callback is the last that scutil prints for a name before it sleeps.
        let last = words == ["scutil", "-W", "-r", "localhost"] ? "callback" : ""
        _ = try program.read { $0.contains("\n") && $0.contains(last) }
        #expect(try Self.threadCount(of: program) <= 2)
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestTopology
import Testing

/// The programs under Examples, as a reader would run them.
@Suite("An example", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct ExampleTests {
    @Test(
        "ends with a sentence if the name can never be one",
        arguments: ["example-check", "example-follow"])
    func badName(program: String) throws {
        let outcome = try RunningProgram(["bad name"], in: Machine.routed(), program: program).outcome()
        let sentence = "cannot use the name 'bad name': the host name contains white space; pass the name alone\n"
        #expect(outcome == .init(status: 0, output: sentence, complaints: ""))
    }

    @Test("asks once, and prints one line")
    func check() throws {
        let topology = try Machine.routed()
        let program = try RunningProgram(["192.0.2.1"], in: topology, program: "example-check")
        #expect(try program.outcome() == .init(status: 0, output: "192.0.2.1: Reachable\n", complaints: ""))
        try topology.ip("route add prohibit 192.0.2.1")
        let again = try RunningProgram(["192.0.2.1"], in: topology, program: "example-check")
        #expect(try again.outcome() == .init(status: 0, output: "192.0.2.1: Not Reachable\n", complaints: ""))
    }

    @Test("is called back, and gets the same as a sequence")
    func follow() throws {
        let topology = try Machine.routed()
        let program = try RunningProgram(["192.0.2.1"], in: topology, program: "example-follow")
        #expect(try program.nextLine() == "now: Reachable")
        #expect(try program.nextLine() == "in the sequence: Reachable")
        try topology.ip("route del default")
        #expect(
            try Set([program.nextLine(), program.nextLine()])
                == ["called back: Not Reachable", "in the sequence: Not Reachable"])
    }

    @Test("of older sources runs unchanged")
    func port() throws {
        let topology = try Machine.routed()
        let program = try RunningProgram(["localhost"], in: topology, program: "example-port")
        #expect(try program.nextLine() == "online")
    }

    @Test("brings a connection through all its states")
    func connection() throws {
        let topology = try Machine()
        let output = try topology.run { () throws(MachineError) in
            try CallingThread.execute([
                PackageFiles.path("Examples/ConnectionStates/demo"), BuiltProduct.path("connection-states"),
            ])
        }
        let states = output.split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.hasPrefix("path:") }
            .map { $0.prefix { $0 != "(" } }
        #expect(
            states == [
                "setup", "preparing", "waiting", "preparing", "ready", "can carry data", "cannot carry data",
                "can carry data", "failed", "cancelled",
            ])
    }
}

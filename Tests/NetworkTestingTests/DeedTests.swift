// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import NetworkTesting

/// What is told of a test that ran on a machine of its own, for each thing that it may do. The program of these tests runs once more
/// for each row, as users run theirs.
@Suite struct DeedTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let deed: String
        /// Its issues, by parts of their texts, with `known` or `warning` before those that are.
        var issues: [String] = []
        var cancellation: String?
        /// Whether the issues are where they were recorded; otherwise they are at the test.
        var isInBody = true
        var output: [String] = []
        var lacks: String?

        var testDescription: String { deed }
    }

    static let rows = [
        Row(deed: "useMachine"),
        Row(deed: "pass", lacks: "what a passing test prints"),
        Row(deed: "fail", issues: ["Expectation failed: (1 + 1 → 2) == 3\nsums"]),
        Row(deed: "pass,failOnce,warn", issues: ["with 1 argument name → \"failOnce\"", "warning: careful"]),
        Row(deed: "record", issues: ["two\nlines"]),
        Row(deed: "warn", issues: ["warning: careful"]),
        Row(deed: "know", issues: ["known: known\nas expected"]),
        Row(deed: "print", issues: ["failed"], output: ["to the output\n", "to the error output\n"]),
        Row(deed: "crash", issues: ["crashed with signal"], isInBody: false, output: ["a last word", "a crash"]),
        Row(deed: "exit", issues: ["exited with status 0 before the test had ended"], isInBody: false),
        Row(deed: "exitLate", issues: ["ended with status 5 after the test"], isInBody: false),
        Row(deed: "takeTurns,takeTurns,takeTurns"),
        Row(deed: "passExitTest"),
        Row(deed: "failExitTest", issues: ["Expectation failed"]),
    ]

    @Test(arguments: rows) func `is told as it was`(_ row: Row) async throws {
        let run = try await Run(row.deed)
        let told = run.outcome.issues.map { ($0.isKnown ? "known: " : $0.isWarning ? "warning: " : "") + $0.text }
        #expect(told.count == row.issues.count && zip(told, row.issues).allSatisfy { $0.contains($1) }, "\(told)")
        for issue in run.outcome.issues {
            let place = try #require(issue.place)
            #expect(place.fileID == "NetworkTestingTests/Deeds.swift")
            #expect((place.line != run.line) == row.isInBody)
        }
        #expect(run.ending.manner == .status(run.outcome.isFailure ? 1 : 0))
        for part in row.output { #expect(run.ending.output.contains(part)) }
        if let lacks = row.lacks { #expect(!run.ending.output.contains(lacks)) }
    }

    #if compiler(>=6.3)
    @Test func `says why a test was cancelled`() async throws {
        #expect(try await Run("cancel", of: "cancels").outcome.cancellation == #"it "rains""#)
    }
    #endif

    @Test func `kills a test that blocks, and shows its stacks`() async throws {
        let run = try await Run("block", of: "blocks")
        let told = run.outcome.issues.map(\.text)
        #expect(
            told.count == 1 && told[0].hasPrefix("The test did not end: its process told of nothing for 3.0 seconds"))
        #expect(Files.isMissing("/usr/bin/gdb") || run.ending.output.contains("Thread 1"))
    }

    @Test func `runs all tests in one process if it is told to`() async throws {
        let run = try await Run("useMachine", ["NETWORK_TESTING=here"])
        #expect(run.outcome.issues.isEmpty && run.ending.manner == .status(0))
        #expect(try await Run("pass", ["NETWORK_TESTING=here"]).ending.output.contains("what a passing test prints"))
    }

    @Test func `ends its processes when it is killed`() async throws {
        let file = "/tmp/deed-\(getpid())"
        // It reports nothing while it waits for its process.
        let run = try await Run("stay", ["DEED_FILE=\(file)"], limit: .seconds(10))
        defer { unsafe unlink(file) }
        #expect(run.ending.manner == .killed(after: .seconds(10)))
        let number = String(decoding: try Files.contents(of: file), as: UTF8.self)
        try await WaitLimit.wait(for: "the process of the test to end") {
            Files.linkTarget(of: "/proc/\(number)/exe") == nil
        }
    }
}

/// A run of the program of these tests in which one test is chosen, and does a deed.
struct Run {
    let ending: Ending
    let outcome: Outcome
    /// That of the test.
    let line: Int

    init(
        _ deed: String, of test: String = "does", _ variables: [String] = [], by wrapper: [String] = [],
        limit: Duration = .seconds(120)
    ) async throws {
        let program = try #require(Files.linkTarget(of: "/proc/self/exe"))
        let options = [
            program, "--testing-library", "swift-testing", "--filter", "^NetworkTestingTests.*\(test)\\(",
            "--event-stream-output-path", "/proc/self/fd/3", "--event-stream-version", Machines.streamVersion,
        ]
        let own = Machines.environment.filter { !$0.hasPrefix("NETWORK_TESTING=") }
        ending = try await ProcessRunner.run(
            Program(
                arguments: ["env", "DEED=\(deed)"] + variables + wrapper + options, environment: own, limit: limit,
                isTest: false))
        let stream = String(decoding: ending.stream, as: UTF8.self).replacing(#"\/"#, with: "/")
        let found = stream.firstMatch(of: /"id":"(NetworkTestingTests\.[^"]*\.swift:(\d+):\d+)"/)
        let (_, name, line) = try #require(found, "\(ending.output)").output
        outcome = Outcome(of: String(name), ending)
        self.line = try #require(Int(line))
    }
}

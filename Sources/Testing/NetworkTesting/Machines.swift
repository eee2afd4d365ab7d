// SPDX-License-Identifier: Apache-2.0

import Testing

#if os(Linux)
import ReachabilityLinuxSystem
import ReachabilityTestMachines

@_implementationOnly import CReachabilityTesting

/// Runs tests on machines of their own, each in its own process.
enum Machines {
    private static let mode = EnvironmentVariable.value(of: "NETWORK_TESTING") ?? ""

    /// Whether a test fails if it cannot have a machine: true if "required", "here" or any other value was given.
    static var areRequired: Bool { !mode.isEmpty }

    /// Whether this process is such a machine, or runs its tests without one.
    static var isHere: Bool { reachability_testing_is_own_network() != 0 || mode == "here" && refusedHere == nil }

    /// Prints the state of the networks at the end of a test that has its own process.
    static func printStates() { if mode != "here" { print(Machine.states) } }

    private static var refusedHere: String? {
        let text = unsafe String(cString: reachability_testing_refusal())
        return text.isEmpty ? nil : text
    }

    /// Why no machine can be made, and what would allow it. Nil if machines can be made.
    static var refusal: String? {
        get async { await trial.value }
    }

    /// Makes one machine, in a process that then ends. Reading a system setting instead would not reveal everything that may
    /// refuse it.
    private static let trial = Task<String?, Never> {
        if isHere { return nil }
        if let refusedHere { return Refusal(cause: refusedHere).description }
        do throws(Errno) {
            let ending = try await ProcessRunner.run(process("try", [], limit: .seconds(60)))
            if ending.manner == .status(0) { return nil }
            let cause = ending.output.split(separator: "\n").last.map(String.init)
            return Refusal(cause: cause ?? "\(ending.manner)").description
        } catch {
            return Refusal(cause: "starting a process: \(error)").description
        }
    }

    /// Runs a test on its own machine.
    static func outcome(of test: Test, limit: Duration) async -> Outcome {
        if let refusal = await refusal { return Outcome(failure: "It \(refusal)") }
        let name = String(describing: test.id)
        // A test with a time limit ends by itself there, unless it blocks its thread.
        let limit = test.timeLimit.map { $0 + .seconds(15) } ?? limit
        do throws(Errno) {
            return Outcome(of: name, try await ProcessRunner.run(process("make", options(for: name), limit: limit)))
        } catch {
            return Outcome(failure: "The process of the test could not be started: \(error).")
        }
    }

    /// Runs the program of the tests again. The constructor in CTesting reads the variable.
    private static func process(_ wish: String, _ options: [String], limit: Duration) -> Program {
        let name = "REACHABILITY_TEST_MACHINE="
        let others = environment.filter { !$0.hasPrefix(name) }
        let program = Files.linkTarget(of: "/proc/self/exe") ?? CommandLine.arguments[0]
        return Program(
            arguments: [program] + options, environment: others + [name + "\(wish) \(getpid())"], limit: limit)
    }

    #if compiler(>=6.3)
    static let streamVersion = "6.3"
    #else
    static let streamVersion = "0"
    #endif

    static var environment: [String] {
        var words: [String] = []
        while let word = unsafe environ[words.count] { unsafe words.append(String(cString: word)) }
        return words
    }

    /// The testing library writes nothing but the event stream; any other output is the test's own.
    private static func options(for test: String) -> [String] {
        // A raw identifier may contain the end of the quotation.
        let pattern = test.split(separator: #"\E"#, omittingEmptySubsequences: false).joined(separator: #"\E\\E\Q"#)
        // The arguments of a test share a machine, so they run one after another.
        var options = [
            "--testing-library", "swift-testing", "--no-parallel", "--filter", #"^\Q\#(pattern)\E$"#, "--verbosity",
            "\(Int.min)",
            "--event-stream-output-path", "/proc/self/fd/3", "--event-stream-version", streamVersion,
        ]
        let own = CommandLine.arguments
        if let index = own.firstIndex(of: "--attachments-path") { options += own[index...].prefix(2) }
        return options
    }
}
#else
/// Only Linux has network namespaces.
enum Machines {
    static var isHere: Bool { false }
    static func printStates() {}
    static var areRequired: Bool { false }
    static var refusal: String? {
        get async { "needs Linux" }
    }

    static func outcome(of test: Test, limit: Duration) async -> Outcome { Outcome() }
}

/// Never made, as every test is skipped.
struct Outcome: Sendable {
    func report(_ test: Test) throws {}
}
#endif

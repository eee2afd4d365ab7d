// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import Testing

#if os(Linux)
import ReachabilityLinuxSystem
#endif

extension Trait where Self == NetworkTrait {
    /// Gives each test its own machine, with a network that is empty except for `lo`. On a suite, the trait applies to all tests
    /// inside.
    ///
    /// A test runs in its own process, with its own network and mount namespaces. If it has several arguments, they run there one
    /// after another. Its result, and all issues that it records, are reported as if it had run in this process. A test that
    /// reports nothing for longer than its `.timeLimit`, or for five minutes, is killed.
    ///
    /// If the machine cannot be made, the test is skipped, and the reason says what would allow it. With
    /// `NETWORK_TESTING=required` in the environment, the test fails instead. With `NETWORK_TESTING=here`, all tests run in this
    /// process, and share one machine.
    public static var network: Self { NetworkTrait(limit: .seconds(300)) }
}

/// The type of the trait `.network`.
public struct NetworkTrait: TestTrait, SuiteTrait, TestScoping {
    /// How long the process of a test may report nothing, unless the test has a time limit.
    let limit: Duration

    package init(limit: Duration) {
        self.limit = limit
    }

    /// Always true: the tests of a suite have its trait.
    public var isRecursive: Bool { true }

    /// Provides a scope for each function, and inside it one for each test case.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        test.isSuite ? nil : self
    }

    /// Skips a test that cannot have its own machine, unless one is required.
    public func prepare(for test: Test) async throws {
        guard let reason = await Machines.refusal, !Machines.areRequired else { return }
        try await ConditionTrait.disabled("\(reason)", sourceLocation: test.sourceLocation).prepare(for: test)
    }

    /// Runs the test in its own process, and reports its result in the first test case here.
    ///
    /// The result is reported in a test case because, from Swift 6.4 on, issues count as the test's only there: a test starts
    /// inside its scope.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if Machines.isHere {
            // The process of a single test prints this; its output is shown only if the test fails.
            defer { if testCase == nil { Machines.printStates() } }
            return try await function()
        }
        if let report = Report.current {
            // The suite and the test may both have the trait.
            return testCase == nil ? try await function() : try report.make(test)
        }
        let report = Report(await Machines.outcome(of: test, limit: limit))
        try await Report.$current.withValue(report, operation: function)
        // A test may have no cases.
        try report.make(test)
    }
}

/// A result that has to be reported once.
private final class Report: Sendable {
    @TaskLocal static var current: Report?

    private let outcome: Mutex<Outcome?>

    init(_ outcome: Outcome) {
        self.outcome = Mutex(outcome)
    }

    func make(_ test: Test) throws {
        try outcome.withLock { $0.take() }?.report(test)
    }
}

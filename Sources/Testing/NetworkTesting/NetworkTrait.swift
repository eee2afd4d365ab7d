// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import Testing

#if os(Linux)
import ReachabilityLinuxSystem
#endif

extension Trait where Self == NetworkTrait {
    /// Gives each test a machine of its own, with a network that is empty but for `lo`. On a suite it holds for all tests inside.
    ///
    /// The test runs in a process of its own, in network and mount namespaces that only it has. Its arguments run there one after the other. Its
    /// result, and all that it recorded, is reported as if it had run here. A test that reports nothing for longer than its
    /// `.timeLimit`, or five minutes, is killed.
    ///
    /// Where the machine cannot be made, the test is skipped, and the reason says what allows it. With `NETWORK_TESTING=required`
    /// in the environment it fails. With `NETWORK_TESTING=here` all tests run in this process, which has one machine for all.
    public static var network: Self { NetworkTrait(limit: .seconds(300)) }
}

/// The type of the trait `.network`.
public struct NetworkTrait: TestTrait, SuiteTrait, TestScoping {
    /// How long the process of a test may tell of nothing, unless the test has a limit of its own.
    let limit: Duration

    package init(limit: Duration) {
        self.limit = limit
    }

    /// The tests of a suite have its trait.
    public var isRecursive: Bool { true }

    /// Provides a scope for each function, and in it for each of its cases.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        test.isSuite ? nil : self
    }

    /// Skips what cannot have a machine of its own, unless that is required.
    public func prepare(for test: Test) async throws {
        guard let reason = await Machines.refusal, !Machines.areRequired else { return }
        try await ConditionTrait.disabled("\(reason)", sourceLocation: test.sourceLocation).prepare(for: test)
    }

    /// Runs the test in a process of its own, and reports in its first case here what became of it there.
    ///
    /// What is recorded counts as the test's in a case alone: from Swift 6.4 on a test starts inside of its scope.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if Machines.isHere {
            // A process of one test prints this, and what it printed is shown only if the test has failed.
            defer { if testCase == nil { Machines.printStates() } }
            return try await function()
        }
        if let report = Report.current {
            // A trait of the suite and one of the test are the same.
            return testCase == nil ? try await function() : try report.make(test)
        }
        let report = Report(await Machines.outcome(of: test, limit: limit))
        try await Report.$current.withValue(report, operation: function)
        // A test may have no cases.
        try report.make(test)
    }
}

/// What has to be reported, once.
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

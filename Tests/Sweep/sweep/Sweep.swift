// SPDX-License-Identifier: Apache-2.0

import CSystemCallFaults
import Dispatch
import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import Synchronization
import TestTopology

/// Runs a workload again and again, each time with another failure.
struct Sweep {
    private struct Fault {
        let number: Int32
        let choice: Int32
    }

    private let workload: Workload
    private let network: Network
    private var generator: SeededGenerator
    private let seed: UInt64
    private var (calls, pairs, tried, unmet, errors) = (0, 0, 0, 0, 0)
    private(set) var wrongCount = 0
    /// The names of the calls that have failed.
    private var names: Set<String> = []
    /// How many descriptors are open when nothing is under way.
    private var descriptors = 0

    init(_ workload: Workload, _ network: Network, seed: UInt64) {
        (self.workload, self.network, self.seed) = (workload, network, seed)
        generator = SeededGenerator(seed: seed)
    }

    var summary: String {
        """
        seed \(seed)
        \(workload.name): \(calls) calls, \(pairs) pairs of a call and an error; \(tried) tried, \(errors) led to an error, \
        in \(unmet) the call was not reached; \(wrongCount) wrong
        They are \(names.sorted().joined(separator: ", ")).
        """
    }

    mutating func run(_ count: Int) throws {
        // What is made once in a process is there afterwards, also what Dispatch needs for its timers.
        let isLater = DispatchSemaphore(value: 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { isLater.signal() }
        try isLater.wait(for: "a timer of Dispatch")
        for _ in 0..<5 { try attempt(nil) }
        try settle { _ in true }
        descriptors = Self.openDescriptors
        calls = try attempt(nil)
        var all: [Fault] = []
        for number in 1...Int32(calls) {
            var choices: Int32 = 0
            _ = unsafe faults_call(number, &choices)
            for choice in 0..<choices { all.append(Fault(number: number, choice: choice)) }
        }
        pairs = all.count
        let chosen = count == 0 ? all[...] : all.shuffled(using: &generator).prefix(count)
        for fault in chosen { try attempt(fault) }
        try attempt(nil)
        tried = chosen.count
        // A sweep in which hardly anything has failed shows nothing. Nor does a whole one of which no failure was told; of a few pairs
        // that were drawn, all may be made good.
        if 2 * unmet > tried { wrong("nothing", "\(unmet) of \(tried) calls were not reached") }
        if tried == pairs, errors == 0 { wrong("nothing", "none of \(tried) failures was told as an error") }
    }

    /// Returns the number of calls.
    @discardableResult
    private mutating func attempt(_ fault: Fault?) throws -> Int {
        // Several waits in vain are no hang.
        faults_limit(UInt32(4 * WaitLimit.seconds))
        let attempt = Attempt(fault.map { ($0.number, $0.choice) })
        do { try workload.run(network, attempt) } catch { attempt.note("\(error)") }
        let calls = attempt.end()
        if fault == nil {
            // What is wrong without a failure is no result.
            if let problem = attempt.problems.first { throw MachineError.timedOut(waitingFor: problem, last: "") }
        } else {
            if let call = attempt.failed?.call { names.insert(call) } else { unmet += 1 }
            if attempt.hadError { errors += 1 }
        }
        for problem in attempt.problems { wrong(attempt.failure ?? "nothing", problem) }
        if descriptors > 0 {
            do {
                try settle { [descriptors] in $0 <= descriptors }
            } catch {
                wrong(attempt.failure ?? "nothing", "left are \(ProcessState.threads) and \(Self.openFiles)")
                descriptors = Self.openDescriptors
            }
        }
        faults_limit(0)
        return calls
    }

    private mutating func wrong(_ failure: String, _ problem: String) {
        wrongCount += 1
        say("WRONG \(workload.name), \(failure): \(problem)", to: 2)
    }

    /// Waits until the threads of the package have ended, and so many descriptors are open.
    private func settle(_ isEnough: (Int) -> Bool) throws {
        try WaitLimit.wait(for: "the threads to end", within: Attempt.patience) {
            // Of engines, of resolutions without one, and of questions in another namespace.
            ProcessState.count(named: "reachability", "netns") == 0 && isEnough(Self.openDescriptors)
        }
    }

    private static var openFiles: [String] {
        (0..<Int32(64)).compactMap { Files.linkTarget(of: "/proc/self/fd/\($0)") }
    }

    private static var openDescriptors: Int { openFiles.count }
}

/// One run of a workload. The failure may come from `begin` to `end`.
final class Attempt {
    private let fault: (number: Int32, choice: Int32)?
    private(set) var isOpen = false
    private(set) var problems: [String] = []
    /// Whether a failure was reported as an error.
    private(set) var hadError = false
    /// The call that has failed, and its error.
    private(set) var failed: (call: String, error: Errno)?
    var failure: String? { failed.map { "call \(fault?.number ?? 0), \($0.call): \($0.error)" } }
    private var calls = 0

    init(_ fault: (Int32, Int32)?) { self.fault = fault }

    /// The calls of this thread count from here on, and those of the threads that it starts.
    func begin() {
        isOpen = true
        faults_begin(fault?.number ?? 0, fault?.choice ?? 0)
        faults_count_thread(true)
    }

    /// Returns the number of calls so far.
    @discardableResult
    func end() -> Int {
        guard isOpen else { return calls }
        faults_count_thread(false)
        noteFailure()
        calls = Int(faults_end())
        isOpen = false
        return calls
    }

    private func noteFailure() {
        var error: Int32 = 0
        guard let name = unsafe faults_failed(&error) else { return }
        failed = unsafe (String(cString: name), Errno(rawValue: error))
    }

    func note(_ problem: String) { problems.append(problem) }

    /// The failure was told as a state.
    func noteError() { hadError = true }

    /// No number comes twice in a run of the program.
    func nextNumber() -> Int {
        Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    private static let lastNumber = Atomic(0)

    /// The limit of a wait, in seconds. What is right comes in two.
    static let patience = 30

    /// Does something that may fail. Nil if it does, which is right only if a call has failed.
    @discardableResult
    func attempt<Value>(_ what: String, _ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch let error as WaitTimeout {
            note("\(what): \(error)")
        } catch {
            noteFailure()
            hadError = true
            if !isOpen || failure == nil || isPassing || !names(error) { note("\(what): \(error)") }
        }
        return nil
    }

    /// Whether the call only has to be repeated: a signal came, or there was nothing to receive yet.
    private var isPassing: Bool {
        guard let failed else { return false }
        return failed.error == .interrupted || failed.error == .wouldBlock && failed.call.hasPrefix("recv")
    }

    /// Whether an error says what has failed, if it says anything.
    private func names(_ error: any Error) -> Bool {
        guard let error = error as? ReachabilityError, let number = error.errno else { return true }
        return number == failed?.error.rawValue && error.description.hasPrefix("cannot ")
    }

    /// Asks. An error is as right as the answer while a call may fail.
    func ask<Value: Equatable>(_ what: String, _ expected: Value, _ body: () throws -> Value) {
        guard let answer = attempt(what, body), answer != expected else { return }
        note("\(what): \(answer) instead of \(expected)")
    }

    /// Waits until what was told last is this.
    func wait<Value: Equatable>(_ what: String, _ expected: Value, _ told: () throws -> Value?) {
        do {
            try outside { try WaitLimit.wait(for: what, within: Self.patience) { try told() == expected } }
        } catch {
            note("\(what): \((try? told()).map { "\($0)" } ?? "nothing") was told last, and not \(expected)")
        }
    }

    /// Does what belongs to the test: its calls do not count.
    func outside<Value>(_ body: () throws -> Value) rethrows -> Value {
        let before = faults_count_thread(false)
        defer { faults_count_thread(before) }
        return try body()
    }
}

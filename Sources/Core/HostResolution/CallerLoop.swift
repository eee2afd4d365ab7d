// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// An event loop without a thread of its own, for threads that wait for their lookups. One of them runs the loop while
/// the others sleep. When it has its answer, or no more time, another takes over. The resolvers that share configuration
/// files share it.
final class CallerLoop: Sendable {
    let loop: EventLoop
    private let notifier: ConfigurationNotifier
    private let state = ConditionLock(State())

    private struct State {
        /// Whether a thread runs the loop.
        var isRunning = false
        var lastCaller: UInt64 = 0
        var answers: [UInt64: Resolution] = [:]
    }

    /// Fails if descriptors or memory are exhausted.
    init(_ files: ConfigurationFiles) throws(Errno) {
        loop = try EventLoop(time: files.time)
        // Looking after each turn costs less than waiting for events does, as most lookups are short.
        notifier = files.notifier(on: loop, usesEvents: false)
    }

    deinit {
        // What was enqueued for the loop would keep it otherwise.
        loop.stop()
        withoutCancellation { loop.turn() }
    }

    func resolve(
        _ query: NameQuery, _ resolver: Resolver, _ driver: LookupDriver, _ plan: Resolver.Plan, deadline: BootTime,
        enough: @escaping @Sendable ([IPAddress]) -> Bool
    ) -> Resolution {
        let caller = state.withLock { state in
            state.lastCaller += 1
            return state.lastCaller
        }
        let waiter = LookupDriver.Waiter(enough: enough, progress: { _ in }) { [state] resolution in
            state.withLock { $0.answers[caller] = resolution }
            state.broadcast()
        }
        _ = driver.start(query, resolver, plan, deadline: deadline, waiter)
        while true {
            let (answer, mayRun) = state.withLock { state in
                let answer = state.answers.removeValue(forKey: caller)
                let mayRun = answer == nil && !state.isRunning
                if mayRun { state.isRunning = true }
                return (answer, mayRun)
            }
            if let answer { return answer }
            if let failure = loop.failure {
                return Resolution(
                    query, Finding(.couldNotAsk(failure), .none), made: loop.now(),
                    configuration: resolver.configuration)
            }
            if mayRun {
                while loop.failure == nil, state.withLock({ $0.answers[caller] == nil }) {
                    loop.turn(waiting: true, last: notifier.lookWithoutEvents)
                }
                state.withLock { $0.isRunning = false }
                state.broadcast()
            } else {
                state.wait(atMost: nil) { $0.isRunning && $0.answers[caller] == nil }
            }
        }
    }
}

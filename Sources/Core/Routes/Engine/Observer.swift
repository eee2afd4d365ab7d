// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// A subscriber for use inside this package. It calls a function on the engine's thread, during the evaluation, with each new
/// answer: the present one first, then each that differs. It also calls the function once when the kernel begins to refuse to
/// answer; the end of a refusal is reported only if the answer then differs from the last one.
package final class Observer: Subscriber {
    package typealias Body = @Sendable (_ watch: Watch, _ causes: ChangeKinds) -> Void

    private struct State {
        var body: Body?
        var failed: (@Sendable (ReachabilityError) -> Void)?
        /// The version of the last answer; nil before the first.
        var version: UInt8?
        var isRefused = false
    }

    package let wantsEveryEvaluation: Bool
    private let state: Lock<State>

    /// - Parameters:
    ///   - everyEvaluation: whether to call the function after evaluations that found the same answer, too.
    ///   - failed: called if the engine fails. Nothing follows.
    package init(
        everyEvaluation: Bool = false, failed: @escaping @Sendable (ReachabilityError) -> Void = { _ in },
        _ body: @escaping Body
    ) {
        wantsEveryEvaluation = everyEvaluation
        state = Lock(State(body: body, failed: failed))
    }

    package func notify(_ watch: Watch, _ batch: inout DeliveryBatch) {
        let body = state.withLock { state -> Body? in
            defer {
                state.isRefused = watch.isRefused
                if !watch.isRefused { state.version = watch.version }
            }
            let isNew = watch.isRefused ? !state.isRefused : state.version != watch.version || wantsEveryEvaluation
            return isNew ? state.body : nil
        }
        body?(watch, batch.causes)
    }

    package func end(because error: ReachabilityError) {
        let failed = state.withLock { state in
            defer { (state.body, state.failed) = (nil, nil) }
            return state.failed
        }
        failed?(error)
    }

    /// Ends the calls. If this is called on another thread than the engine's, a call that the engine is about to make may still
    /// begin.
    package func end() { state.remove { ($0.body.take(), $0.failed.take()) } }
}

// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem

extension ReachabilityRef {
    /// Suspends until the target is reachable and no connection has to be made first.
    ///
    /// ```swift
    /// try await ref.waitUntilReachable(timeout: .seconds(30))
    /// ```
    ///
    /// - Parameter timeout: the longest time to wait; nil for no limit. A negative one is over at once.
    /// - Throws: ``ReachabilityError`` with the code `timedOut` or `cancelled`; other codes if changes cannot be watched.
    public func waitUntilReachable(timeout: Duration? = nil) async throws(ReachabilityError) {
        let engine = try acquireEngine()
        let waiter = Waiter()
        let keys = keysOfWatch
        let outcome = await withTaskCancellationHandler {
            unsafe await withUnsafeContinuation { continuation in
                guard unsafe waiter.begin(continuation) else { return }
                engine.add(waiter, to: target, keys)
                if let timeout { engine.finish(waiter, after: timeout) }
            }
        } onCancel: {
            waiter.finish(.cancelled)
        }
        if timeout != nil { engine.cancelTimer(of: waiter) }
        namespace.sharedEngine.remove(waiter, from: target, keys)
        switch outcome {
        case .reachable: return
        case .timedOut:
            throw ReachabilityError(.timedOut, "wait for", target.description, "it did not become reachable in time")
        case .cancelled:
            throw ReachabilityError(.cancelled, "wait for", target.description, "the task was cancelled")
        }
    }
}

/// One suspended task. The first outcome resumes it; later ones have no effect.
final class Waiter: WatchSubscriber {
    enum Outcome: Sendable {
        case reachable, timedOut, cancelled
    }

    /// Safe: only one thread takes the continuation out, under the lock, and that thread resumes it.
    @safe private enum State {
        case notBegun
        case waiting(UnsafeContinuation<Outcome, Never>)
        case finished(Outcome)
    }

    private let state = Lock(State.notBegun)
    let timer = Timer()

    final class Timer: @unchecked Sendable {  // confined to the engine's thread
        var value: LoopTimer?
    }

    /// Returns false if there was an outcome before. The task then goes on at once.
    func begin(_ continuation: UnsafeContinuation<Outcome, Never>) -> Bool {
        let early = state.withLock { state -> Outcome? in
            if case .finished(let outcome) = state { return outcome }
            state = unsafe .waiting(continuation)
            return nil
        }
        if let early { unsafe continuation.resume(returning: early) }
        return early == nil
    }

    func finish(_ outcome: Outcome) {
        let continuation = unsafe state.withLock { state -> UnsafeContinuation<Outcome, Never>? in
            switch state {
            case .finished: return nil
            case .notBegun:
                state = .finished(outcome)
                return nil
            case .waiting(let continuation):
                state = .finished(outcome)
                return unsafe continuation
            }
        }
        unsafe continuation?.resume(returning: outcome)
    }

    func notify(_ observation: Observation, _ resolution: Resolution?) -> Registration? {
        if observation.flags.isReachable { finish(.reachable) }
        return nil
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityNetlink

extension ReachabilityRef {
    /// Suspends until the target is reachable without a connection having to be made first.
    ///
    /// ```swift
    /// try await ref.waitUntilReachable(timeout: .seconds(30))
    /// ```
    ///
    /// - Parameter timeout: the longest time to wait; nil for no limit. A negative time passes at once.
    /// - Throws: ``ReachabilityError`` with the code `timedOut` or `cancelled`; with other codes if changes cannot be watched.
    public func waitUntilReachable(timeout: Duration? = nil) async throws(ReachabilityError) {
        let engine = try acquireEngine()
        let waiter = Waiter(for: self)
        let outcome = await withTaskCancellationHandler {
            unsafe await withUnsafeContinuation { unsafe waiter.begin($0, on: engine, timeout) }
        } onCancel: {
            waiter.finish(.cancelled)
        }
        try waiter.end(outcome, on: engine)
    }
}

/// One suspended task. The first outcome resumes it; later ones have no effect.
///
/// The functions that the task calls before and after it is suspended are never inlined. Otherwise the suspended task would
/// include room for their temporaries, and Swift would allocate another kilobyte for it.
final class Waiter: Subscriber {
    enum Outcome: Sendable {
        case reachable, timedOut, cancelled
        case failed(ReachabilityError)
    }

    /// Safe: only one thread takes the continuation out, under the lock, and that thread resumes it.
    @safe private enum State {
        case notBegun
        case waiting(UnsafeContinuation<Outcome, Never>)
        case finished(Outcome)
    }

    private let state = Lock(State.notBegun)
    // The waiter keeps neither the reference nor the engine alive. The engine keeps the waiter a little longer than the task
    // does. If the waiter kept the reference, the engine's thread might be the last to release it, and with it the client's
    // callback.
    private let subject: Subject
    private let namespace: NamespaceContext
    private let keys: RoutingKeys
    private let timer = Timer()

    private final class Timer: @unchecked Sendable {  // confined to the engine's thread
        var value: LoopTimer?
    }

    @inline(never)
    init(for reference: ReachabilityRef) {
        beginWork()
        defer { endWork() }
        (subject, namespace, keys) = (reference.subject, reference.namespace, reference.keysOfWatch)
    }

    /// Suspends the task, unless there is an outcome already; then the task continues at once.
    @inline(never)
    func begin(_ continuation: UnsafeContinuation<Outcome, Never>, on engine: Engine, _ timeout: Duration?) {
        undisturbed {
            let early = state.withLock { state -> Outcome? in
                if case .finished(let outcome) = state { return outcome }
                state = unsafe .waiting(continuation)
                return nil
            }
            if let early { return unsafe continuation.resume(returning: early) }
            engine.add(self, to: subject, keys)
            guard let timeout else { return }
            engine.loop.enqueue { [loop = engine.loop, timer] in
                timer.value = loop.schedule(at: loop.now().advanced(by: timeout)) { self.finish(.timedOut) }
            }
        }
    }

    /// Called once, when the task continues.
    @inline(never)
    func end(_ outcome: Outcome, on engine: Engine) throws(ReachabilityError) {
        try undisturbed { () throws(ReachabilityError) in
            engine.loop.enqueue { [loop = engine.loop, timer] in
                if let timer = timer.value.take() { loop.cancel(timer) }
            }
            namespace.sharedEngine.remove(self, from: subject, keys)
            switch outcome {
            case .reachable: return
            case .failed(let error): throw error
            case .timedOut:
                throw ReachabilityError(
                    .timedOut, "wait for", subject.description, "it did not become reachable in time")
            case .cancelled:
                throw ReachabilityError(.cancelled, "wait for", subject.description, "the task was cancelled")
            }
        }
    }

    func finish(_ outcome: Outcome) {
        undisturbed {
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
    }

    func notify(_ watch: Watch, _ batch: inout DeliveryBatch) {
        if watch.answer?.flags.isReachable == true { finish(.reachable) }
    }

    func end(because error: ReachabilityError) { finish(.failed(error)) }
}

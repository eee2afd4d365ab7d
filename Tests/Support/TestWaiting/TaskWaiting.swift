// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

extension Task where Failure == Never {
    /// The task's value. `value` itself waits for ever, and heeds no cancelling of whoever waits.
    package func value(for what: String) async throws -> Success {
        try await withCheckedThrowingContinuation { continuation in
            let first = FirstResult(continuation)
            Task<Void, Never> { first.resume(.success(await value)) }
            DispatchQueue.global().asyncAfter(deadline: WaitLimit.end) { first.resume(.failure(WaitTimeout(what))) }
        }
    }
}

/// Resumes a task with the first of several results.
private final class FirstResult<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, any Error>?>

    init(_ continuation: CheckedContinuation<Value, any Error>) {
        self.continuation = Mutex(continuation)
    }

    func resume(_ result: Result<Value, any Error>) {
        continuation.withLock { $0.take() }?.resume(with: result)
    }
}

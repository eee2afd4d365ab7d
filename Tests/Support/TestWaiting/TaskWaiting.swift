// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

extension Task {
    /// The value of the task, within the limit. `value` itself waits for ever, and ignores cancellation of the waiting task.
    package func value(for what: String) async throws -> Success {
        try await withCheckedThrowingContinuation { continuation in
            let first = FirstResult(continuation)
            Task<Void, Never>(priority: .high) { first.resume(await result.mapError { $0 }) }
            DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: WaitLimit.end) {
                first.resume(.failure(WaitTimeout(what)))
            }
        }
    }
}

extension WaitLimit {
    /// Waits for a condition in a task, and leaves its thread to other tasks meanwhile. The tasks of a process have no more
    /// threads than there are processors.
    package static func wait(for what: String, until holds: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        var pause = Duration.microseconds(100)
        while try !holds() {
            guard ContinuousClock.now < end else { throw WaitTimeout(what) }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(20))
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

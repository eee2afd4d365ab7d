// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem

extension ReachabilityRef {
    /// The present flags, without blocking a thread while a name is being resolved.
    ///
    /// ```swift
    /// let flags = try await ref.flags()
    /// ```
    ///
    /// - Throws: ``ReachabilityError`` if the kernel cannot be asked, or with the code `cancelled`.
    public func flags() async throws(ReachabilityError) -> ReachabilityFlags {
        try flags(resolvedTo: await resolutionWithoutBlocking())
    }

    /// Resolves the target's name, if it has one, while the task is suspended.
    func resolutionWithoutBlocking() async throws(ReachabilityError) -> Resolution? {
        guard let host = hostToResolve else { return nil }
        if let known = host.resolver.known(host.query), known.isComplete { return known }
        // The result passes under a lock. The continuation could carry it too. But if it is resumed before the task has
        // suspended, Thread Sanitizer does not see the order of the two (swift_continuation_await, Swift 6.3).
        let result = ConditionLock<Result<Resolution?, ReachabilityError>?>(nil)
        let lookup = Lock<CancellationToken?>(nil)
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let finish: @Sendable (Result<Resolution?, ReachabilityError>) -> Void = { found in
                    result.withLock { $0 = found }
                    continuation.resume()
                }
                do throws(ReachabilityError) {
                    let token = try resolve { finish(.success($0)) }
                    lookup.withLock { $0 = token }
                    // If the task was cancelled before, the handler below has found no token.
                    if Task.isCancelled { token?.cancel() }
                } catch {
                    finish(.failure(error))
                }
            }
        } onCancel: {
            lookup.withLock(\.self)?.cancel()
        }
        guard let resolution = try result.withLock(\.self)?.get() else { return nil }
        if resolution.outcome == .cancelled {
            throw ReachabilityError(.cancelled, "resolve", host.name.description, "the task was cancelled")
        }
        return resolution
    }
}

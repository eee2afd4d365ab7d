// SPDX-License-Identifier: Apache-2.0

import HostResolution
import Synchronization

extension ReachabilityRef {
    /// The present flags, without blocking a thread while a name is being resolved.
    ///
    /// ```swift
    /// let flags = try await ref.flags()
    /// ```
    ///
    /// - Throws: ``ReachabilityError`` where the kernel could not be asked, or with the code `cancelled`.
    public func flags() async throws(ReachabilityError) -> ReachabilityFlags {
        try flags(resolvedTo: await resolutionWithoutBlocking())
    }

    /// Resolves the target's name, where there is one to resolve, while the task is suspended.
    func resolutionWithoutBlocking() async throws(ReachabilityError) -> Resolution? {
        guard let host = hostToResolve else { return nil }
        if let known = resolver(for: host).known(host.name), known.isComplete { return known }
        let cancellation = LookupCancellation()
        let outcome = await withTaskCancellationHandler {
            await handedOver { (give: @escaping @Sendable (Result<Resolution?, ReachabilityError>) -> Void) in
                do throws(ReachabilityError) {
                    if let token = try resolve({ give(.success($0)) }) { cancellation.arm(token) }
                } catch {
                    give(.failure(error))
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        let resolution = try outcome.get()
        if resolution?.outcome == .cancelled {
            throw ReachabilityError(.cancelled, "resolve", host.name.description, "the task was cancelled")
        }
        return resolution
    }
}

/// Suspends until another thread gives a value, once.
///
/// The value passes under a lock. The runtime would bring it over as well; but where it comes before the task has begun
/// to wait, the runtime does not tell Thread Sanitizer so (swift_continuation_await, Swift 6.3).
private func handedOver<Value: Sendable>(_ begin: (_ give: @escaping @Sendable (Value) -> Void) -> Void) async -> Value
{
    let parcel = Parcel<Value>()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        begin { value in
            parcel.value.withLock { $0 = value }
            continuation.resume()
        }
    }
    guard let value = parcel.value.withLock(\.self) else { preconditionFailure("resumed without a value") }
    return value
}

private final class Parcel<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}

/// Brings a cancellation and the lookup it is meant for together, whichever comes first.
private final class LookupCancellation: Sendable {
    private enum State {
        case idle, armed(LookupToken), cancelled
    }

    private let state = Mutex(State.idle)

    func arm(_ token: LookupToken) {
        let isLate = state.withLock { state in
            if case .cancelled = state { return true }
            state = .armed(token)
            return false
        }
        if isLate { token.cancel() }
    }

    func cancel() {
        let token = state.withLock { state -> LookupToken? in
            defer { state = .cancelled }
            if case .armed(let token) = state { return token }
            return nil
        }
        token?.cancel()
    }
}

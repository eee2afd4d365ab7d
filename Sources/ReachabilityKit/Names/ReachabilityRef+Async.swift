// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HostResolution
import LinuxSystem
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
        guard let resolution = try await resolutionWithoutBlocking() else { return try getFlags() }
        guard case .name(let host) = target else { return try getFlags() }
        return try verdict(on: host, resolution: resolution).flags
    }

    /// Resolves the target's name on the engine's thread; nil where there is nothing to resolve.
    func resolutionWithoutBlocking() async throws(ReachabilityError) -> Resolution? {
        guard case .name(let host) = target, host.policy == .resolve, !isScheduled else { return nil }
        let resolver = resolver(for: host)
        if let known = resolver.known(host.name), known.isComplete { return known }
        guard let engine = try? stack.engineHost.acquire(for: stack) else {
            // Nothing hears of changes here, but a thread can still ask.
            return await handedOver { give in
                DispatchQueue.global().async { [self] in
                    let deadline = SystemTime().now().advanced(by: host.patience)
                    give(resolver.resolve(host.name, deadline: deadline, enough: host.enough(stack, keys)))
                }
            }
        }
        defer { stack.engineHost.release() }
        let cancellation = LookupCancellation()
        let resolution = await withTaskCancellationHandler {
            await handedOver { (give: @escaping @Sendable (Resolution) -> Void) in
                let deadline = SystemTime().now().advanced(by: host.patience)
                let token = resolver.resolve(
                    host.name, on: engine.loop, deadline: deadline, enough: host.enough(stack, keys), completion: give)
                cancellation.arm(token)
            }
        } onCancel: {
            cancellation.cancel()
        }
        if resolution.outcome == .cancelled {
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

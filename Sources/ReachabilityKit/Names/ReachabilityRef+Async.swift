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
        if let known = host.resolver.known(host.name), known.isComplete { return known }
        guard let engine = try? stack.engineHost.acquire(for: stack) else {
            // Nothing hears of changes here, but a thread can still ask.
            return await withCheckedContinuation { continuation in
                DispatchQueue.global().async { [self] in
                    let deadline = SystemTime().now().advanced(by: host.patience)
                    continuation.resume(
                        returning: host.resolver.resolve(
                            host.name, deadline: deadline, enough: host.enough(stack, keys)))
                }
            }
        }
        defer { stack.engineHost.release() }
        let cancellation = LookupCancellation()
        let resolution = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Resolution, Never>) in
                let deadline = SystemTime().now().advanced(by: host.patience)
                let token = host.resolver.resolve(
                    host.name, on: engine.loop, deadline: deadline, enough: host.enough(stack, keys)
                ) { continuation.resume(returning: $0) }
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

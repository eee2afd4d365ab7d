// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import ReachabilityLinuxSystem
import ReachabilityNetlink

extension ReachabilityRef {
    /// Calls `handler` on a queue with the present flags, for a name as soon as it is resolved, and then with each change.
    ///
    /// ```swift
    /// let observation = try host.observe(on: .main) { flags in print(flags) }
    /// ```
    ///
    /// The first call always comes. Another interface by which packets leave is a change, too. Calls come one at a time, whatever the
    /// queue is, each with the newest flags. There are none while the kernel refuses to answer about the target: ``getFlags()`` throws
    /// why. A reference may be observed any number of times, also while it is scheduled.
    ///
    /// - Parameters:
    ///   - queue: where the handlers are called.
    ///   - failed: called once if changes cannot be watched any more. What was told before that is true until then.
    ///   - handler: called with the flags.
    /// - Returns: ends the calls when it is cancelled or released. It does not keep the reference, which may be released before it.
    /// - Throws: ``ReachabilityError`` if the kernel's changes cannot be watched.
    public func observe(
        on queue: DispatchQueue, failed: (@Sendable (ReachabilityError) -> Void)? = nil,
        _ handler: @escaping @Sendable (ReachabilityFlags) -> Void
    ) throws(ReachabilityError) -> ReachabilityObservation {
        try undisturbed { () throws(ReachabilityError) in
            try Self.checkQueues()
            let client = ClientHandler<Result<Observation, ReachabilityError>>()
            client.setHandler { told in
                switch told {
                case .success(let observation): handler(observation.flags)
                case .failure(let error): failed?(error)
                }
            }
            client.begin(at: .queue(queue))
            let token = try observe(failed: { client.note(.failure($0)) }) { state in
                if !state.isRefused { client.note(.success(state.observation)) }
            }
            return ReachabilityObservation {
                client.end()
                token.cancel()
            }
        }
    }
}

/// What ``ReachabilityRef/observe(on:failed:_:)`` has begun. Releasing it ends the calls, as ``cancel()`` does.
///
/// In the child of a fork, an observation that the parent has made calls nobody. In the parent it goes on.
public final class ReachabilityObservation: Sendable {
    private let token: CancellationToken
    /// The last, because stored properties are released in this order.
    private let released = EndOfRelease()

    init(_ end: @escaping @Sendable () -> Void) {
        token = CancellationToken(end)
    }

    deinit {
        EndOfRelease.begin()
        token.cancel()
    }

    /// Ends the calls, and releases the handler. If it is called on the queue that the handler is called on, no further call begins
    /// after this has returned. May be called from any thread and more than once.
    public func cancel() { token.cancel() }
}

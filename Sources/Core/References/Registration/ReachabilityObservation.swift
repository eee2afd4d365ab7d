// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import ReachabilityLinuxSystem
import ReachabilityNetlink

extension ReachabilityRef {
    /// Calls `handler` on `queue` with the present flags, for a name as soon as it is resolved, and then with each change.
    ///
    /// ```swift
    /// let observation = try host.observe(on: .main) { flags in print(flags) }
    /// ```
    ///
    /// The first call always comes. There is also a call when packets begin to leave by another interface, even if the flags stay
    /// the same. Calls come one at a time, even on a concurrent queue, and each has the newest flags. There are no calls while
    /// the kernel refuses to answer about the target; ``getFlags()`` throws the reason. A reference may be observed any number of
    /// times, also while it is scheduled.
    ///
    /// - Parameters:
    ///   - queue: the queue on which the handlers are called.
    ///   - failed: called once if changes cannot be watched any longer. The flags reported last were right until then.
    ///   - handler: called with the flags.
    /// - Returns: an observation, which ends the calls when it is cancelled or released. It does not keep the reference alive,
    ///   and does not need it.
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

/// An observation begun by ``ReachabilityRef/observe(on:failed:_:)``. Releasing it ends the calls, as ``cancel()`` does.
///
/// In the child of a fork, the parent's observation makes no calls there. It continues in the parent.
public final class ReachabilityObservation: Sendable {
    private let token: CancellationToken
    /// The last property, because stored properties are released in the order of their declaration.
    private let released = EndOfRelease()

    init(_ end: @escaping @Sendable () -> Void) {
        token = CancellationToken(end)
    }

    deinit {
        EndOfRelease.begin()
        token.cancel()
    }

    /// Ends the calls, and releases the handler. May be called from any thread, and more than once. If it is called on the serial
    /// queue of the handler, no further call begins after it has returned.
    public func cancel() { token.cancel() }
}

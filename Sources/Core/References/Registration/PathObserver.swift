// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Passes paths on, until its body is taken out.
package final class PathObserver: PathSubscriber {
    let body: Lock<(@Sendable (NetworkPath) -> Void)?>
    private let failed: @Sendable (ReachabilityError) -> Void
    private let refused: @Sendable (ReachabilityError) -> Void

    package init(
        failed: @escaping @Sendable (ReachabilityError) -> Void = { _ in },
        refused: @escaping @Sendable (ReachabilityError) -> Void = { _ in },
        _ body: @escaping @Sendable (NetworkPath) -> Void
    ) {
        self.body = Lock(body)
        self.failed = failed
        self.refused = refused
    }

    package func observe(_ path: NetworkPath) { body.withLock(\.self)?(path) }

    package func noteRefusal(_ error: ReachabilityError) { refused(error) }

    package func end(because error: ReachabilityError) { failed(error) }
}

extension PathSource {
    /// Calls `body` on the engine's thread with the present path, and then with each change. No further call begins after the
    /// result was cancelled.
    ///
    /// - Parameters:
    ///   - failed: called if the engine fails. Nothing follows.
    ///   - refused: called when the kernel begins to refuse to answer. The next call of `body` is the end of that.
    package func observe(
        failed: @escaping @Sendable (ReachabilityError) -> Void = { _ in },
        refused: @escaping @Sendable (ReachabilityError) -> Void = { _ in },
        _ body: @escaping @Sendable (NetworkPath) -> Void
    ) throws(ReachabilityError) -> CancellationToken {
        let observer = PathObserver(failed: failed, refused: refused, body)
        let subscription = try subscribe(observer)
        return CancellationToken {
            observer.body.remove { $0.take() }
            subscription.cancel()
        }
    }
}

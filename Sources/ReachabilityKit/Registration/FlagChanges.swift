// SPDX-License-Identifier: Apache-2.0

/// The flags of a reference as they change: the present ones first, for a name as soon as it is resolved, then each
/// change. A consumer that is slower than the changes sees the newest.
///
/// Ends when the task is cancelled. Where changes cannot be heard at all it ends at once;
/// ``ReachabilityRef/observeFlags()`` says why.
public struct FlagChanges: AsyncSequence, Sendable {
    /// The flags.
    public typealias Element = ReachabilityFlags
    /// A sequence of flags does not fail.
    public typealias Failure = Never

    private let reference: ReachabilityRef

    init(_ reference: ReachabilityRef) {
        self.reference = reference
    }

    /// Begins to watch. Each iterator watches for itself.
    public func makeAsyncIterator() -> Iterator {
        Iterator(Self.stream(reference).makeAsyncIterator())
    }

    /// Waits for the flags to change.
    public struct Iterator: AsyncIteratorProtocol {
        private var stream: AsyncStream<ReachabilityFlags>.Iterator

        init(_ stream: AsyncStream<ReachabilityFlags>.Iterator) {
            self.stream = stream
        }

        /// The next flags; nil when the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> ReachabilityFlags? {
            await stream.next(isolation: actor)
        }
    }

    private static func stream(_ reference: ReachabilityRef) -> AsyncStream<ReachabilityFlags> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            do throws(ReachabilityError) {
                let subscription = try reference.observe { continuation.yield($0.observation.flags) }
                continuation.onTermination = { _ in subscription.cancel() }
            } catch {
                continuation.finish()
            }
        }
    }
}

extension ReachabilityRef {
    /// The flags as they change, beginning with the present ones.
    ///
    /// ```swift
    /// for await flags in ref.flagChanges { print(flags) }
    /// ```
    public var flagChanges: FlagChanges { FlagChanges(self) }

    /// The same, for those who want to know why changes cannot be heard where they cannot.
    public func observeFlags() throws(ReachabilityError) -> FlagChanges {
        _ = try namespace.sharedEngine.acquire(for: namespace)
        namespace.sharedEngine.release()
        return flagChanges
    }
}

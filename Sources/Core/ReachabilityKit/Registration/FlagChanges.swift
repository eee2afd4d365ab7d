// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The flags of a reference as they change. The first element is the present flags, for a name as soon as it is resolved;
/// each change follows. A consumer that is slower than the changes gets the newest. There is no element while the kernel refuses
/// to answer about the target: ``ReachabilityRef/getFlags()`` throws why.
///
/// The sequence ends when the task is cancelled, and if changes cannot be watched any more. If they cannot be watched at all, it
/// ends at once; ``ReachabilityRef/observeFlags()`` throws the reason.
public struct FlagChanges: AsyncSequence, Sendable {
    /// The flags.
    public typealias Element = ReachabilityFlags
    /// The sequence does not fail.
    public typealias Failure = Never

    private let reference: ReachabilityRef

    init(_ reference: ReachabilityRef) {
        self.reference = reference
    }

    /// Begins to watch. Each iterator watches independently.
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
                let observation = try reference.observe(failed: { _ in continuation.finish() }) {
                    continuation.yield($0.observation.flags)
                }
                continuation.onTermination = { _ in observation.cancel() }
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

    /// The same as ``flagChanges``, but throws if changes cannot be watched.
    public func observeFlags() throws(ReachabilityError) -> FlagChanges {
        _ = try acquireEngine()
        namespace.sharedEngine.release()
        return flagChanges
    }
}

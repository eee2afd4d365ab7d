// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// A sequence of the values of something that the network determines: the present value first, then each change. A consumer that
/// is slower than the changes gets only the newest value.
///
/// ```swift
/// for try await flags in ref.flagChanges { print(flags) }
/// ```
///
/// The sequence ends when the task is cancelled. It throws ``ReachabilityError`` if changes cannot be watched, either from the
/// start or not any longer; the last value before the error was right until then.
public struct NetworkChanges<Element: Sendable>: AsyncSequence, Sendable {
    /// The error if changes cannot be watched, or not any longer.
    public typealias Failure = ReachabilityError

    private let watch: @Sendable (ChangeFeed<Element>) throws(ReachabilityError) -> CancellationToken

    /// - Parameter watch: begins to feed an iterator, and returns a token that ends this.
    package init(_ watch: @escaping @Sendable (ChangeFeed<Element>) throws(ReachabilityError) -> CancellationToken) {
        self.watch = watch
    }

    /// Begins to watch. Iterators are independent of each other.
    public func makeAsyncIterator() -> Iterator {
        undisturbed {
            let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(1))
            let feed = ChangeFeed(continuation)
            let observation = LateCancellation()
            continuation.onTermination = { _ in observation.cancel() }
            do throws(ReachabilityError) {
                observation.hold(try watch(feed))
            } catch {
                feed.fail(error)
            }
            return Iterator(stream.makeAsyncIterator(), feed)
        }
    }

    /// Waits for each next value.
    public struct Iterator: AsyncIteratorProtocol {
        private var stream: AsyncStream<Element>.Iterator
        private let feed: ChangeFeed<Element>

        init(_ stream: AsyncStream<Element>.Iterator, _ feed: ChangeFeed<Element>) {
            (self.stream, self.feed) = (stream, feed)
        }

        /// The next value. Nil if the task was cancelled, or if no value can follow.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ReachabilityError) -> Element? {
            // A stream still gives the element that was there before the task was cancelled.
            if let element = await stream.next(isolation: actor) { return Task.isCancelled ? nil : element }
            if let error = feed.takeFailure() { throw error }
            return nil
        }
    }
}

/// The source of an iterator's values, which may be fed from any thread. The newest value is kept until the iterator takes it.
package final class ChangeFeed<Element: Sendable>: Sendable {
    private let continuation: AsyncStream<Element>.Continuation
    private let failure = Lock<ReachabilityError?>(nil)
    private let last = Lock<Element?>(nil)

    init(_ continuation: AsyncStream<Element>.Continuation) { self.continuation = continuation }

    package func tell(_ element: Element) { continuation.yield(element) }

    /// Ends the sequence. The iterator still reads the last element.
    package func end() { continuation.finish() }

    /// Ends the sequence, which then throws the error.
    package func fail(_ error: ReachabilityError) {
        failure.withLock { $0 = error }
        end()
    }

    /// The error, once.
    func takeFailure() -> ReachabilityError? { failure.withLock { $0.take() } }

    /// Delivers an element if it differs from the last one that was delivered by this method.
    package func tellIfNew(_ element: Element) where Element: Equatable {
        let before = last.withLock { last in
            defer { last = element }
            return last
        }
        if element != before { tell(element) }
    }
}

extension ReachabilityRef {
    /// The flags as they change, the present ones first: for a name, as soon as it is resolved. An element also comes when
    /// packets begin to leave by another interface, even if the flags stay the same. No element comes while the kernel refuses to
    /// answer about the target; ``getFlags()`` throws the reason.
    public var flagChanges: NetworkChanges<ReachabilityFlags> {
        undisturbed {
            NetworkChanges { feed throws(ReachabilityError) in
                try self.observe(failed: { feed.fail($0) }) { state in
                    if !state.isRefused { feed.tell(state.observation.flags) }
                }
            }
        }
    }
}

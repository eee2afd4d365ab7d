// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Something that the network decides, as it changes: the present value first, then each change. A consumer that is slower than
/// the changes gets the newest.
///
/// ```swift
/// for try await flags in ref.flagChanges { print(flags) }
/// ```
///
/// The sequence ends when the task is cancelled. It throws ``ReachabilityError`` if changes cannot be watched, be it at the beginning
/// or later; what was told before that is true until then.
public struct NetworkChanges<Element: Sendable>: AsyncSequence, Sendable {
    /// Changes cannot be watched, or not any more.
    public typealias Failure = ReachabilityError

    private let watch: @Sendable (ChangeFeed<Element>) throws(ReachabilityError) -> CancellationToken

    /// - Parameter watch: begins to feed an iterator. Returns what ends this.
    package init(_ watch: @escaping @Sendable (ChangeFeed<Element>) throws(ReachabilityError) -> CancellationToken) {
        self.watch = watch
    }

    /// Begins to watch. Each iterator watches independently.
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

    /// Waits for the next value.
    public struct Iterator: AsyncIteratorProtocol {
        private var stream: AsyncStream<Element>.Iterator
        private let feed: ChangeFeed<Element>

        init(_ stream: AsyncStream<Element>.Iterator, _ feed: ChangeFeed<Element>) {
            (self.stream, self.feed) = (stream, feed)
        }

        /// The next value; nil when the task was cancelled, or when nothing can follow.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ReachabilityError) -> Element? {
            if let element = await stream.next(isolation: actor) { return element }
            if let error = feed.takeFailure() { throw error }
            return nil
        }
    }
}

/// What an iterator is fed by, on any thread. The newest value is kept until it is taken.
package final class ChangeFeed<Element: Sendable>: Sendable {
    private let continuation: AsyncStream<Element>.Continuation
    private let failure = Lock<ReachabilityError?>(nil)
    private let last = Lock<Element?>(nil)

    init(_ continuation: AsyncStream<Element>.Continuation) { self.continuation = continuation }

    package func tell(_ element: Element) { continuation.yield(element) }

    /// Nothing follows. The element that was told last is still read.
    package func end() { continuation.finish() }

    /// The same, and the reason is thrown afterwards.
    package func fail(_ error: ReachabilityError) {
        failure.withLock { $0 = error }
        end()
    }

    /// The reason, once.
    func takeFailure() -> ReachabilityError? { failure.withLock { $0.take() } }

    /// Tells an element that is not what this told last.
    package func tellIfNew(_ element: Element) where Element: Equatable {
        let before = last.withLock { last in
            defer { last = element }
            return last
        }
        if element != before { tell(element) }
    }
}

extension ReachabilityRef {
    /// The flags as they change. The first ones come as soon as they are known, for a name when it is resolved. Another
    /// interface by which packets leave is told as a change, too. There are none while the kernel refuses to answer about the target:
    /// ``getFlags()`` throws why.
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

// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityRoutes

/// Reports the path by which packets can leave this machine, now and at each change.
///
/// ```swift
/// let monitor = NWPathMonitor()
/// monitor.pathUpdateHandler = { path in print(path.status) }
/// monitor.start(queue: DispatchQueue(label: "path"))
/// ```
///
/// The first update always comes, soon after the start. A monitor is cancelled when it is released. It belongs to the network
/// namespace of the thread that makes it.
public final class NWPathMonitor: Sendable {
    let observer: PathObserver
    private let released = EndOfRelease()

    /// Watches the default path.
    public init() {
        beginWork()
        defer { endWork() }
        observer = PathObserver(PathRestriction())
    }

    /// Watches the path over interfaces of one type.
    public init(requiredInterfaceType: NWInterface.InterfaceType) {
        beginWork()
        defer { endWork() }
        observer = PathObserver(PathRestriction(required: requiredInterfaceType.kind))
    }

    /// Watches the path over interfaces of all other types.
    public init(prohibitedInterfaceTypes: [NWInterface.InterfaceType]) {
        beginWork()
        defer { endWork() }
        observer = PathObserver(PathRestriction(prohibited: Set(prohibitedInterfaceTypes.map(\.kind))))
    }

    deinit {
        EndOfRelease.begin()
        observer.cancel()
    }

    /// Called on the monitor's queue with the path soon after the start, and then at each change. It may be set at any time: if
    /// there was no handler before, the new one is called with the present path. The monitor keeps its handler until it is
    /// released, so a handler that holds the monitor keeps it alive.
    @preconcurrency public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { undisturbed { observer.handler } }
        set { undisturbed { observer.setHandler(newValue) } }
    }

    /// The latest path. Before the start, the kernel is asked for it, without NetworkManager's hints; after `cancel`, it is the
    /// last one.
    public var currentPath: NWPath {
        undisturbed { observer.currentPath }
    }

    /// The queue on which the handler is called; nil before the start and after `cancel`.
    public var queue: DispatchQueue? {
        undisturbed { observer.queue }
    }

    /// Begins to watch. A second start is ignored. After `cancel`, a monitor can be started again; the handler is then called
    /// with the present path first.
    public func start(queue: DispatchQueue) {
        undisturbed { observer.start(queue) }
    }

    /// Stops watching, and ends the loops over the monitor's paths. If it is called on the monitor's serial queue, the handler is
    /// not called again after it has returned.
    public func cancel() {
        undisturbed { observer.cancel() }
    }
}

/// A monitor is also a sequence of paths: the present path first, then one for each change.
///
/// ```swift
/// for await path in NWPathMonitor() { print(path.status) }
/// ```
///
/// `start` is not needed: each loop begins to watch at its first iteration. A loop ends when its task or the monitor is
/// cancelled, or when changes can no longer be watched. A loop that is slower than the changes gets only the latest path.
extension NWPathMonitor: AsyncSequence {
    /// A path.
    public typealias Element = NWPath
    /// The sequence never throws.
    public typealias Failure = Never

    /// Waits for the next path.
    public struct Iterator: AsyncIteratorProtocol {
        private let monitor: NWPathMonitor
        private var stream: AsyncStream<NWPath>.Iterator?

        init(_ monitor: NWPathMonitor) {
            self.monitor = monitor
        }

        /// The next path; nil after the task or the monitor was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> NWPath? {
            if stream == nil { stream = monitor.paths().makeAsyncIterator() }
            return await stream?.next(isolation: actor)
        }

        /// The next path; nil after the task or the monitor was cancelled.
        public mutating func next() async -> NWPath? {
            await next(isolation: nil)
        }
    }

    /// Makes an iterator, which watches independently of others.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    private func paths() -> AsyncStream<NWPath> {
        undisturbed {
            let observer = observer
            return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let sequence = PathSequenceObserver(continuation, observer.restriction)
                continuation.onTermination = { _ in
                    observer.detach(sequence)
                    sequence.stop()
                }
                guard observer.attach(sequence) else { return sequence.finish() }
                sequence.start(observer.source)
            }
        }
    }
}

/// Yields each change that clients can see to a stream.
final class PathSequenceObserver: Sendable {
    private let continuation: AsyncStream<NWPath>.Continuation
    private let restriction: PathRestriction
    private let last = Lock<NWPath?>(nil)
    private let subscription = LateCancellation()

    init(_ continuation: AsyncStream<NWPath>.Continuation, _ restriction: PathRestriction) {
        self.continuation = continuation
        self.restriction = restriction
    }

    func start(_ source: PathSource) {
        guard let subscription = try? source.observe(failed: { _ in self.finish() }, { self.note($0) }) else {
            // If changes cannot be watched, there is still the present path.
            note((try? source.current()) ?? NetworkPath())
            continuation.finish()
            return
        }
        self.subscription.hold(subscription)
    }

    private func note(_ path: NetworkPath) {
        let path = NWPath(path.view(restriction))
        let isNew = last.withLock { last in
            defer { last = path }
            return last != path
        }
        if isNew { continuation.yield(path) }
    }

    func finish() {
        continuation.finish()
    }

    func stop() {
        subscription.cancel()
    }
}

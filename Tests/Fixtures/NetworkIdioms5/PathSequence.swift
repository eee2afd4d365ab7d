// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Client code, in the form clients write it.

import Network

// A publisher of paths that starts when there is demand and stops when it is cancelled, with sequences instead of
// Combine.

/// The first attempt: it has to be started by hand.
public final class NWPathMonitorWrapper: @unchecked Sendable {
    private let monitor: NWPathMonitor
    private let queue: DispatchQueue = .global(qos: .background)
    private let subject = AsyncStream.makeStream(of: NWPath.self)

    public init(
        monitor: NWPathMonitor = NWPathMonitor()
    ) {
        self.monitor = monitor
        self.monitor.pathUpdateHandler = {
            self.subject.continuation.yield($0)
        }
    }

    public func start() {
        monitor.start(
            queue: queue
        )
    }

    public func stop() {
        monitor.cancel()
        subject.continuation.finish()
    }

    public func pathUpdates() -> AsyncStream<NWPath> {
        subject.stream
    }
}

extension NWPathMonitor {
    /// The second: it starts by itself.
    public func pathUpdates(
        on queue: DispatchQueue = .global(qos: .background)
    ) -> PathUpdates {
        PathUpdates(
            monitor: self,
            queue: queue
        )
    }

    public struct PathUpdates: AsyncSequence {
        public typealias Element = NWPath
        public typealias AsyncIterator = AsyncStream<NWPath>.AsyncIterator

        private let monitor: NWPathMonitor
        private let queue: DispatchQueue

        fileprivate init(
            monitor: NWPathMonitor,
            queue: DispatchQueue
        ) {
            self.monitor = monitor
            self.queue = queue
        }

        public func makeAsyncIterator() -> AsyncIterator {
            let (monitor, queue) = (monitor, queue)
            let stream = AsyncStream<NWPath> { continuation in
                guard monitor.pathUpdateHandler == nil else {
                    continuation.finish()
                    return
                }
                monitor.pathUpdateHandler = { path in
                    continuation.yield(path)
                }
                continuation.onTermination = { _ in monitor.cancel() }
                monitor.start(
                    queue: queue
                )
            }
            return stream.makeAsyncIterator()
        }
    }
}

/// Publishes a boolean to a view.
@MainActor
public final class ViewModel {
    public private(set) var isConnected: Bool = false
    private var observation: Task<Void, Never>?

    public init(
        _ updates: NWPathMonitor.PathUpdates
    ) {
        observation = Task { [weak self] in
            for await path in updates {
                self?.isConnected = path.status == .satisfied
            }
        }
    }

    deinit {
        observation?.cancel()
    }
}

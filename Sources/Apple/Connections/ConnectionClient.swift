// SPDX-License-Identifier: Apache-2.0

package import Dispatch
package import ReachabilityLinuxSystem

/// What a connection reports.
package enum ConnectionEvent: Hashable, Sendable {
    case state(ConnectionMachine.State)
    /// Whether data can pass.
    case viability(Bool)
    /// Whether a new connection would leave by another interface.
    case betterPath(Bool)
}

/// The client's side of a connection: its observer, and its queue, on which callbacks run one after the other.
package final class ConnectionClient: Sendable {
    package typealias Observer = @Sendable (ConnectionEvent) -> Void

    private struct Locked {
        var observer: Observer?
        var state = ConnectionMachine.State.setup
        var queue: DispatchQueue?
        /// Callbacks that have not run yet. The client's queue may be concurrent, so at most one block of ours is on it
        /// at a time. (A serial queue that targets it would do the same, but libdispatch keeps half a kilobyte for each
        /// such queue after it is released: measured, and constant over ten thousand.) It makes one call, so that other
        /// blocks of the client come in between.
        var pending = FIFO<@Sendable () -> Void>()
        var isDelivering = false
        var ends: (local: InternetSocket.End, remote: InternetSocket.End)?
    }

    private let locked = Lock(Locked())

    init() {}

    /// The latest state; the observer may not have been called with it yet.
    package var state: ConnectionMachine.State { locked.withLock(\.state) }
    /// The failure of a request that is made after the end.
    var endFailure: ConnectionFailure { if case .failed(let failure) = state { failure } else { .system(.cancelled) } }
    package var queue: DispatchQueue? { locked.withLock(\.queue) }
    /// The addresses of an established connection.
    package var ends: (local: InternetSocket.End, remote: InternetSocket.End)? { locked.withLock(\.ends) }

    /// Sets who is called with each event. It is released after the last one.
    package func setObserver(_ observer: Observer?) {
        // The old observer is released outside the lock: a deinitializer of the client's may call anything.
        locked.remove { locked in
            defer { locked.observer = observer }
            return locked.observer
        }
    }

    func begin(on queue: DispatchQueue) {
        locked.withLock { $0.queue = queue }
    }

    func establish(_ local: InternetSocket.End, _ remote: InternetSocket.End) {
        locked.withLock { $0.ends = (local, remote) }
    }

    func report(_ event: ConnectionEvent) {
        if case .state(let state) = event { locked.withLock { $0.state = state } }
        deliver { self.locked.withLock(\.observer)?(event) }
    }

    /// Runs a callback on the client's queue. A client that cancels before the start has given none, and any will do.
    package func deliver(_ callback: @escaping @Sendable () -> Void) {
        let isDelivering = locked.withLock { locked in
            locked.pending.append(callback)
            defer { locked.isDelivering = true }
            return locked.isDelivering
        }
        if !isDelivering { deliverNext() }
    }

    private func deliverNext() {
        (queue ?? .global()).async { [self] in
            undisturbed {
                if let callback = locked.withLock({ $0.pending.popFirst() }) { callback() }
                let isMore = locked.withLock { locked in
                    locked.isDelivering = !locked.pending.isEmpty
                    return locked.isDelivering
                }
                if isMore { deliverNext() }
            }
        }
    }

    /// Releases the observer after its last call: it often holds an object that holds the connection.
    func finish() {
        deliver { self.setObserver(nil) }
    }
}

/// The settings of a TCP connection.
package struct ConnectionSettings: Hashable, Sendable {
    /// The longest that preparing may take; nil for as long as the kernel tries.
    package var timeLimit: Duration?
    /// Whether small writes leave at once (TCP_NODELAY).
    package var hasNoDelay = false
    /// Whether and how the kernel probes an idle peer.
    package var keepalive: Keepalive?

    /// The address and port to connect from; nil for the kernel's choice. An address of zeros stands for any address.
    package var localEnd: InternetSocket.End?
    /// Whether other sockets may have the same local end.
    package var allowsReuse = false

    /// Zero stands for the system's setting.
    package struct Keepalive: Hashable, Sendable {
        package var idleSeconds: Int32
        package var intervalSeconds: Int32
        package var count: Int32

        package init(idleSeconds: Int32 = 0, intervalSeconds: Int32 = 0, count: Int32 = 0) {
            self.idleSeconds = idleSeconds
            self.intervalSeconds = intervalSeconds
            self.count = count
        }
    }

    package init() {}
}

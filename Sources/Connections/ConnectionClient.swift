// SPDX-License-Identifier: Apache-2.0

package import Dispatch
package import LinuxSystem
import Synchronization

/// The client's side of a connection: its handlers, and the queue they run on, one after the other.
///
/// A handler is looked up when its turn has come, so one that was set in the meantime is called and one that was taken
/// away is not.
package final class ConnectionClient: Sendable {
    package struct Handlers: Sendable {
        package var state: (@Sendable (ConnectionMachine.State) -> Void)?
        package var viability: (@Sendable (Bool) -> Void)?
        package init() {}
    }

    private struct State {
        var handlers = Handlers()
        var connection = ConnectionMachine.State.setup
        var queue: DispatchQueue?
        /// What is still to be done on the client's queue. That one may run many things at a time, so only one of
        /// them is ever on it. (A serial queue on top of it would do the same; but libdispatch keeps half a kilobyte
        /// of each: measured, and steady over ten thousand.)
        var mail: [@Sendable () -> Void] = []
        var isMailUnderWay = false
        var ends: (local: StreamSocket.End, remote: StreamSocket.End)?
    }

    private let locked = Mutex(State())

    init() {}

    /// The state that was reached last; its handler may not have been called yet.
    package var state: ConnectionMachine.State { locked.withLock(\.connection) }
    /// What is told to those who ask for something after the end.
    var end: ConnectionFailure { if case .failed(let failure) = state { failure } else { .system(.cancelled) } }
    package var queue: DispatchQueue? { locked.withLock(\.queue) }
    /// Both ends of the connection, once it is there.
    package var ends: (local: StreamSocket.End, remote: StreamSocket.End)? { locked.withLock(\.ends) }
    package var handlers: Handlers { locked.withLock(\.handlers) }

    /// Changes the handlers. What an old one holds is let go of outside the lock: its deinitializer may call anything.
    package func change<Handler: Sendable>(
        _ handler: any WritableKeyPath<Handlers, Handler> & Sendable, to new: Handler
    ) {
        _ = locked.withLock { state in
            let old = state.handlers[keyPath: handler]
            state.handlers[keyPath: handler] = new
            return old
        }
    }

    func begin(on queue: DispatchQueue) {
        locked.withLock { $0.queue = queue }
    }

    func establish(_ local: StreamSocket.End, _ remote: StreamSocket.End) {
        locked.withLock { $0.ends = (local, remote) }
    }

    func tell(_ state: ConnectionMachine.State) {
        locked.withLock { $0.connection = state }
        deliver { self.handlers.state?(state) }
    }

    func tellViability(_ isViable: Bool) {
        deliver { self.handlers.viability?(isViable) }
    }

    /// Has something done on the client's queue. Who cancels before the start has given none, and any will do.
    package func deliver(_ work: @escaping @Sendable () -> Void) {
        let queue = locked.withLock { state -> DispatchQueue? in
            state.mail.append(work)
            guard !state.isMailUnderWay else { return nil }
            state.isMailUnderWay = true
            return state.queue ?? .global()
        }
        queue?.async { self.deliverMail() }
    }

    private func deliverMail() {
        while true {
            let mail = locked.withLock { state in
                state.isMailUnderWay = !state.mail.isEmpty
                defer { state.mail = [] }
                return state.mail
            }
            if mail.isEmpty { return }
            for work in mail { work() }
        }
    }

    /// Lets go of the handlers after the last was called: they often hold what holds the connection.
    func finish() {
        deliver {
            _ = self.locked.withLock { state in
                defer { state.handlers = Handlers() }
                return state.handlers
            }
        }
    }
}

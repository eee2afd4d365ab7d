// SPDX-License-Identifier: Apache-2.0

package import Dispatch
import LinuxSystem
import Synchronization

/// A connection over TCP: its outside, which may be called from any thread. What it does is in ``ConnectionCore``.
///
/// Handlers and completions are called on the client's queue, in order, and never inside a call of the client's. It
/// goes on until it is cancelled.
package final class Connection: Sendable {
    package let client = ConnectionClient()
    private let transport: any ConnectionTransport
    private let core: ConnectionCore
    private let phase: Mutex<Phase>
    /// What is done with the core before it has a thread, and where it gets none.
    private let threadless = WorkInTurn()

    private enum Phase {
        /// Not started: what is asked for is kept.
        case idle([@Sendable (ConnectionCore) -> Void])
        case running
        case over
    }

    /// - Parameters:
    ///   - timeLimit: the longest that preparing may take.
    ///   - refusal: why this connection can never be, where it cannot.
    package init(
        _ transport: any ConnectionTransport, timeLimit: Duration? = nil, refusal: ConnectionFailure? = nil
    ) {
        self.transport = transport
        phase = Mutex(.idle([]))
        core = ConnectionCore(transport, client, timeLimit: timeLimit, refusal: refusal)
    }

    package var state: ConnectionMachine.State { client.state }

    /// Begins to connect. A second start is ignored.
    package func start(queue: DispatchQueue) {
        phase.withLock { phase in
            guard case .idle(let waiting) = phase else { return }
            client.begin(on: queue)
            do throws(ConnectionFailure) {
                try transport.open()
            } catch {
                phase = .over
                return threadless.add { [core] in
                    core.refusal = core.refusal ?? error
                    core.start()
                    for work in waiting { work(core) }
                }
            }
            phase = .running
            transport.enqueue { [self] in
                core.finished = { self.phase.withLock { $0 = .over } }
                core.start()
                for work in waiting { work(core) }
            }
        }
        threadless.run()
    }

    /// Has content sent after what was given before; nil for none.
    ///
    /// - Parameters:
    ///   - isLast: tells the peer that nothing follows.
    ///   - completion: told when the content is with the kernel, or cannot be sent.
    package func send(
        _ content: (any ConnectionContent)?, isLast: Bool = false,
        _ completion: @escaping @Sendable (ConnectionFailure?) -> Void
    ) {
        perform {
            $0.send(content, isLast: isLast, completion)
        } orElse: { client in
            let failure = client.end
            client.deliver { completion(failure) }
        }
    }

    /// Has bytes received: at least `minimum`, fewer at the end of the stream, and at most `maximum`.
    package func receive(minimum: Int, maximum: Int, _ completion: @escaping @Sendable (ReceivedContent) -> Void) {
        perform {
            $0.receive(minimum: minimum, maximum: maximum, completion)
        } orElse: { client in
            let content = ReceivedContent(bytes: [], isEnd: false, failure: client.end)
            client.deliver { completion(content) }
        }
    }

    /// Tries again at once, where the connection waits.
    package func restart() {
        perform { $0.restart() }
    }

    /// Ends it. What was asked for and not done fails; the state that follows is the last.
    ///
    /// - Parameter isForced: resets an established connection instead of ending it in order.
    package func cancel(isForced: Bool = false) {
        phase.withLock { phase in
            switch phase {
            case .idle(let waiting):
                phase = .over
                threadless.add { [core] in
                    for work in waiting { work(core) }
                    core.cancel(isForced: isForced)
                }
            case .running: transport.enqueue { [core] in core.cancel(isForced: isForced) }
            // Once it was cancelled, its thread may still be at it, and there is nothing to do.
            case .over where client.state != .cancelled: threadless.add { [core] in core.cancel(isForced: isForced) }
            case .over: break
            }
        }
        threadless.run()
    }

    private func perform(
        _ work: @escaping @Sendable (ConnectionCore) -> Void, orElse refuse: (ConnectionClient) -> Void = { _ in }
    ) {
        let isOver = phase.withLock { phase in
            switch phase {
            case .idle(let waiting):
                phase = .idle(waiting + [work])
                return false
            case .running:
                // Inside the lock, so that whoever calls first comes first.
                transport.enqueue { [core] in work(core) }
                return false
            case .over: return true
            }
        }
        if isOver { refuse(client) }
    }
}

/// What a wish to receive ended with.
package struct ReceivedContent: Sendable {
    package let bytes: [UInt8]
    /// The peer will send nothing more.
    package let isEnd: Bool
    package let failure: ConnectionFailure?
}

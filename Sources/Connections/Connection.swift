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
        let waiting = phase.withLock { phase -> [@Sendable (ConnectionCore) -> Void]? in
            guard case .idle(let waiting) = phase else { return nil }
            client.begin(on: queue)
            phase = .running
            do throws(ConnectionFailure) {
                try transport.open()
            } catch {
                phase = .over
                core.refusal = core.refusal ?? error
            }
            guard case .running = phase else { return waiting }
            transport.enqueue { [self] in
                core.finished = { self.phase.withLock { $0 = .over } }
                core.start()
                for work in waiting { work(core) }
            }
            return nil
        }
        guard let waiting else { return }
        // There is no thread, and so nobody else who could touch the core.
        core.start()
        for work in waiting { work(core) }
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
            client.deliver { completion(.system(.cancelled)) }
        }
    }

    /// Has bytes received: at least `minimum`, fewer at the end of the stream, and at most `maximum`.
    package func receive(minimum: Int, maximum: Int, _ completion: @escaping @Sendable (ReceivedContent) -> Void) {
        perform {
            $0.receive(minimum: minimum, maximum: maximum, completion)
        } orElse: { client in
            client.deliver { completion(ReceivedContent(bytes: [], isEnd: false, failure: .system(.cancelled))) }
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
        let waiting = phase.withLock { phase -> [@Sendable (ConnectionCore) -> Void]? in
            switch phase {
            case .idle(let waiting):
                phase = .over
                return waiting
            case .running:
                transport.enqueue { [core] in core.cancel(isForced: isForced) }
                return nil
            case .over: return client.state == .cancelled ? nil : []
            }
        }
        guard let waiting else { return }
        for work in waiting { work(core) }
        core.cancel(isForced: isForced)
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

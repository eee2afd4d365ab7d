// SPDX-License-Identifier: Apache-2.0

package import Dispatch
import ReachabilityLinuxSystem

/// A TCP connection, as its client sees it: every method may be called from any thread. ``ConnectionCore`` does the
/// work.
///
/// The observer and the completions are called on the client's queue, in order, and never inside one of these methods.
/// A connection lasts until it is cancelled.
package final class Connection: Sendable {
    private typealias Work = @Sendable (ConnectionCore) -> Void

    private enum Phase {
        /// Not started. Requests are kept.
        case idle([Work])
        /// The core runs on the transport's thread.
        case onThread
        /// That thread fails, and takes no more. Requests are kept until the core has left it.
        case leavingThread([Work])
        /// The core runs on the client's queue, between the callbacks: those run one at a time too.
        case onQueue
        case over
    }

    package let client = ConnectionClient()
    private let transport: (any ConnectionTransport)?
    private let refusal: ConnectionFailure?
    private let core: ConnectionCore
    private let phase: Lock<Phase>

    /// - Parameters:
    ///   - transport: nil only if the connection is impossible.
    ///   - timeLimit: the longest that preparing may take.
    ///   - refusal: why the connection is impossible, if it is.
    package init(
        _ transport: (any ConnectionTransport)?, timeLimit: Duration? = nil, refusal: ConnectionFailure? = nil
    ) {
        self.transport = transport
        self.refusal = refusal
        phase = Lock(.idle([]))
        core = ConnectionCore(transport, client, timeLimit: timeLimit)
    }

    package var state: ConnectionMachine.State { client.state }

    /// Begins to connect. A second start is ignored.
    package func start(queue: DispatchQueue) {
        phase.withLock { phase in
            guard case .idle(let kept) = phase else { return }
            client.begin(on: queue)
            core.connection = self
            do throws(ConnectionFailure) {
                if let refusal { throw refusal }
                try transport?.open()
                try transport?.enqueue { [core] in core.start() }
                phase = .onThread
            } catch {
                phase = .onQueue
                enqueue(in: &phase) { [error] in $0.fail(error) }
            }
            for work in kept { enqueue(in: &phase, work) }
        }
    }

    /// Sends content after what was given before; nil for none.
    ///
    /// - Parameters:
    ///   - isLast: whether the peer is told that nothing follows.
    ///   - completion: called when the kernel has taken the content, or will not.
    package func send(
        _ content: (any ConnectionContent)?, isLast: Bool = false,
        _ completion: @escaping @Sendable (ConnectionFailure?) -> Void
    ) {
        perform {
            $0.send(content, isLast: isLast, completion)
        } orElse: { client in
            let failure = client.endFailure
            client.deliver { completion(failure) }
        }
    }

    /// Receives bytes: at least `minimum`, fewer at the end of the stream, and at most `maximum`.
    package func receive(minimum: Int, maximum: Int, _ completion: @escaping @Sendable (ReceivedContent) -> Void) {
        perform {
            $0.receive(minimum: minimum, maximum: maximum, completion)
        } orElse: { client in
            let content = ReceivedContent(bytes: [], isEnd: false, failure: client.endFailure)
            client.deliver { completion(content) }
        }
    }

    /// Tries again at once if the connection is waiting.
    package func restart() {
        perform { $0.restart() }
    }

    /// Gives up the addresses that are being tried, and goes on to the next ones. An established connection fails.
    package func cancelCurrentEnd() {
        perform { $0.cancelCurrentEnd() }
    }

    /// Ends the connection. Unfinished sends and receives fail. The state that follows is the last one.
    ///
    /// - Parameter isForced: resets an established connection instead of closing it in order, also while it is being closed.
    package func cancel(isForced: Bool = false) {
        phase.withLock { phase in
            switch phase {
            case .idle(let kept):
                core.connection = self
                phase = .onQueue
                for work in kept { enqueue(in: &phase, work) }
            case .over:
                if isForced { try? transport?.enqueue { [core] in core.resetEnd() } }
                return
            case .onThread, .leavingThread, .onQueue: break
            }
            enqueue(in: &phase) { $0.cancel(isForced: isForced) }
        }
    }

    private func perform(_ work: @escaping Work, orElse refuse: (ConnectionClient) -> Void = { _ in }) {
        let isOver = phase.withLock { phase in
            switch phase {
            case .idle(let kept): phase = .idle(kept + [work])
            // Inside the lock, so that the order of the calls is kept.
            case .onThread, .leavingThread, .onQueue: enqueue(in: &phase, work)
            case .over: return true
            }
            return false
        }
        if isOver { refuse(client) }
    }

    private func enqueue(in phase: inout Phase, _ work: @escaping Work) {
        switch phase {
        case .idle, .over: break
        case .onThread:
            do throws(ConnectionFailure) {
                try transport?.enqueue { [core] in work(core) }
            } catch {
                phase = .leavingThread([work])
            }
        case .leavingThread(let kept): phase = .leavingThread(kept + [work])
        case .onQueue: client.deliver { [core] in work(core) }
        }
    }

    // MARK: From the core

    func coreHasLeftThread() {
        phase.withLock { phase in
            let kept: [Work] = if case .leavingThread(let kept) = phase { kept } else { [] }
            phase = .onQueue
            for work in kept { enqueue(in: &phase, work) }
        }
    }

    func coreHasFinished() { phase.withLock { $0 = .over } }
}

/// The outcome of one receive.
package struct ReceivedContent: Sendable {
    package let bytes: [UInt8]
    /// Whether the peer will send nothing more.
    package let isEnd: Bool
    package let failure: ConnectionFailure?
}

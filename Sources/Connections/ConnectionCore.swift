// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// A connection's inside, which lives on the transport's thread: does what ``ConnectionMachine`` decides.
final class ConnectionCore: @unchecked Sendable {  // confined to the transport's thread
    private let transport: any ConnectionTransport
    let client: ConnectionClient
    private let timeLimit: Duration?
    /// Why this connection can never be.
    var refusal: ConnectionFailure?
    /// Called when nothing will happen any more.
    var finished: () -> Void = {}

    private var machine = ConnectionMachine()
    private var actions: [ConnectionMachine.Action] = []
    private var isPerforming = false

    private var attempt: ConnectionAttempt?
    private var path: (any ConnectionTask)?
    private(set) var stream: (any ConnectionStream)?
    private var candidate: (any ConnectionStream)?
    var sends = SendQueue<@Sendable (ConnectionFailure?) -> Void>()
    var receives = ReceiveQueue<@Sendable (ReceivedContent) -> Void>()
    var watched: StreamEvents??
    /// What broke the connection, where sending was told.
    var broken: Errno?

    init(
        _ transport: any ConnectionTransport, _ client: ConnectionClient, timeLimit: Duration?,
        refusal: ConnectionFailure?
    ) {
        self.transport = transport
        self.client = client
        self.timeLimit = timeLimit
        self.refusal = refusal
    }

    /// What transfers that can never be are told; nil as long as they may be.
    var end: ConnectionFailure? {
        switch machine.state {
        case .failed(let failure): failure
        case .cancelled: .system(.cancelled)
        case .setup, .preparing, .waiting, .ready: nil
        }
    }

    // MARK: Events

    func start() {
        if let refusal { perform(machine.refuse(refusal)) } else { perform(machine.start()) }
    }

    func restart() { perform(machine.restart()) }
    func cancel(isForced: Bool) {
        // What the kernel still takes is sent in order before the end of the stream: all of it, as there is no other turn.
        if !isForced { flush(calls: .max) }
        perform(machine.cancel(isForced: isForced))
    }

    /// The established stream is gone. A failure that comes with the last of several calls is told once.
    func streamFailed(_ failure: ConnectionFailure) {
        if machine.state == .ready { perform(machine.streamFailed(failure)) }
    }

    private func attemptFinished(_ outcome: Result<any ConnectionStream, ConnectionFailure>) {
        attempt = nil
        switch outcome {
        case .success(let stream):
            candidate = stream
            perform(machine.attemptSucceeded())
        case .failure(let failure): perform(machine.attemptFailed(failure))
        }
    }

    // MARK: Actions

    /// What follows from an action is done after what was due before.
    private func perform(_ new: [ConnectionMachine.Action]) {
        actions += new
        guard !isPerforming else { return }
        isPerforming = true
        while !actions.isEmpty { perform(actions.removeFirst()) }
        isPerforming = false
    }

    private func perform(_ action: ConnectionMachine.Action) {
        switch action {
        case .tell(let state): client.tell(state)
        case .tellViability(let isViable): client.tellViability(isViable)
        case .follow:
            path = transport.follow { [weak self] obstacle in
                guard let self else { return }
                perform(machine.pathObserved(obstacle))
            }
        case .followStream:
            path?.cancel()
            guard let candidate else { preconditionFailure("no stream to follow") }
            stream = candidate
            self.candidate = nil
            client.establish(candidate.localEnd, candidate.remoteEnd)
            path = transport.follow(candidate) { [weak self] isReachable in
                guard let self else { return }
                perform(machine.streamPathObserved(isReachable: isReachable))
            }
        case .unfollow:
            path?.cancel()
            path = nil
        case .beginAttempt:
            let attempt = ConnectionAttempt(transport) { [weak self] outcome in self?.attemptFinished(outcome) }
            self.attempt = attempt
            attempt.begin(timeLimit: timeLimit)
        case .endAttempt:
            attempt?.abandon()
            attempt = nil
        case .openTransfers: transfer()
        case .failTransfers(let failure): failTransfers(failure)
        case .closeStream(let isReset):
            stream?.close(isReset: isReset)
            stream = nil
        case .finish:
            client.finish()
            finished()
            finished = {}
            transport.close()
        }
    }
}

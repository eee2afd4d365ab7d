// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// The inside of a connection: does what ``ConnectionMachine`` decides. Lives on the transport's thread, or on the
/// client's queue if there is no such thread.
final class ConnectionCore: @unchecked Sendable {  // confined as said above
    private let possibleTransport: (any ConnectionTransport)?
    let client: ConnectionClient
    private let timeLimit: Duration?
    /// Held from the start to the last action.
    var connection: Connection?

    private var machine = ConnectionMachine()
    private var actions: [ConnectionMachine.Action] = []
    private var isPerforming = false

    private var attempt: ConnectionAttempt?
    private var observation: CancellationToken?
    /// Of the thread.
    private var failureObservation: CancellationToken?
    private(set) var stream: (any ConnectionStream)?
    /// What follows the last action. Kept after that, as the client may be in a hurry.
    private var streamEnd: StreamEnd?
    /// The attempt's stream, until the machine takes it.
    private var newStream: (any ConnectionStream)?
    var sends = SendQueue()
    var receives = ReceiveQueue()
    /// The events that the stream is asked for; nil if for none.
    var watched: Epoll.Interest?
    /// The error that ended sending, kept for receiving: a socket reports it once.
    var sendError: Errno?

    init(_ transport: (any ConnectionTransport)?, _ client: ConnectionClient, timeLimit: Duration?) {
        possibleTransport = transport
        self.client = client
        self.timeLimit = timeLimit
    }

    /// The failure of every further request; nil while requests can succeed.
    var endFailure: ConnectionFailure? {
        switch machine.state {
        case .failed(let failure): failure
        case .cancelled: .system(.cancelled)
        case .setup, .preparing, .waiting, .ready: nil
        }
    }

    private var transport: any ConnectionTransport {
        guard let possibleTransport else { preconditionFailure("an impossible connection was started") }
        return possibleTransport
    }

    // MARK: Events

    func start() {
        failureObservation = transport.whenFailed { [weak self] in self?.leaveThread(because: $0) }
        perform(machine.start())
    }

    /// The connection is impossible.
    func fail(_ failure: ConnectionFailure) { perform(machine.fail(failure, isCut: !sends.isEmpty)) }

    /// The last call on the transport's thread, which has failed.
    private func leaveThread(because failure: ConnectionFailure) {
        failureObservation = nil
        fail(failure)
        connection?.coreHasLeftThread()
    }

    func restart() { perform(machine.restart()) }

    func cancelCurrentEnd() {
        if machine.state == .ready {
            perform(machine.streamFailed(.system(.cancelled), isCut: true))
        } else {
            attempt?.failConnecting(with: .system(.cancelled))
        }
    }

    func cancel(isForced: Bool) {
        // Everything the kernel still takes is sent before the end of the stream, in one go: there is no later event.
        if !isForced { flush(calls: .max) }
        perform(machine.cancel(isCut: isForced || !sends.isEmpty))
    }

    /// The client does not want to wait for the end of a stream that it has cancelled.
    func resetEnd() { streamEnd.take()?.close(isReset: true) }

    /// The established stream is gone. Several calls in a row may meet the failure; it counts once.
    func streamFailed(_ failure: ConnectionFailure) {
        if machine.state == .ready { perform(machine.streamFailed(failure, isCut: !sends.isEmpty)) }
    }

    private func attemptFinished(_ outcome: Result<any ConnectionStream, ConnectionFailure>) {
        attempt = nil
        switch outcome {
        case .success(let stream):
            newStream = stream
            perform(machine.attemptSucceeded())
        case .failure(let failure): perform(machine.attemptFailed(failure))
        }
    }

    // MARK: Actions

    /// An action may cause further ones before it returns. Those are done after the ones that were due before.
    private func perform(_ new: [ConnectionMachine.Action]) {
        actions += new
        guard !isPerforming else { return }
        isPerforming = true
        while !actions.isEmpty { perform(actions.removeFirst()) }
        isPerforming = false
    }

    private func perform(_ action: ConnectionMachine.Action) {
        switch action {
        case .report(let event): client.report(event)
        case .observeHost:
            observation = transport.observeHost { [weak self] obstacle in
                guard let self else { return }
                perform(machine.hostObserved(obstacle))
            }
        case .observeStream:
            observation?.cancel()
            guard let newStream else { preconditionFailure("no stream to observe") }
            stream = newStream
            self.newStream = nil
            client.establish(newStream.localEnd, newStream.remoteEnd)
            observation = transport.observe(newStream) { [weak self] fate in
                guard let self else { return }
                perform(machine.streamObserved(fate))
            }
        case .stopObserving:
            observation?.cancel()
            observation = nil
        case .beginAttempt:
            let attempt = ConnectionAttempt(transport) { [weak self] outcome in self?.attemptFinished(outcome) }
            self.attempt = attempt
            attempt.begin(timeLimit: timeLimit)
        case .endAttempt:
            attempt?.abandon()
            attempt = nil
        case .beginTransfers: transfer()
        case .failTransfers(let failure): failTransfers(failure)
        case .closeStream(let isReset):
            stream?.close(isReset: isReset)
            stream = nil
        case .endStream:
            streamEnd = stream.map { StreamEnd(of: $0, on: transport) }
            stream = nil
        case .finish:
            client.finish()
            connection?.coreHasFinished()
            connection = nil
            failureObservation?.cancel()
            failureObservation = nil
            if let streamEnd { streamEnd.begin() } else { possibleTransport?.close() }
        }
    }
}

/// Sending and receiving. Requests that come before the connection is established wait for it.
extension ConnectionCore {
    func send(_ content: (any ConnectionContent)?, isLast: Bool, _ completion: @escaping SendQueue.Completion) {
        if let endFailure { return client.deliver { completion(endFailure) } }
        sends.append(content, isLast: isLast, completion)
        transfer()
    }

    func receive(minimum: Int, maximum: Int, _ completion: @escaping ReceiveQueue.Completion) {
        if let endFailure {
            return client.deliver { completion(ReceivedContent(bytes: [], isEnd: false, failure: endFailure)) }
        }
        receives.append(minimum: minimum, maximum: maximum, completion)
        transfer()
    }

    /// Sends and receives what is possible now, and asks the stream for an event if something is left.
    func transfer() {
        guard let stream else { return }
        // Received bytes come first: they may explain why the peer takes no more.
        let received = receives.drain(from: stream, afterSendError: sendError, client.deliver)
        if case .failed(let error) = received { return streamFailed(.system(error)) }
        let sent = flush()
        if case .failed(let error) = sent {
            // EPIPE only says that the peer takes no more. What it sent may still be there to be read. A lack of memory is not the
            // socket's: nothing would follow.
            if error != .brokenPipe { sendError = sendError ?? error }
            if receives.isEmpty || receives.hasEnded || error.isShortage {
                return streamFailed(.system(sendError ?? error))
            }
        }
        var events: Epoll.Interest = []
        if received == .blocked { events.insert(.readable) }
        if sent == .blocked { events.insert(.writable) }
        watch(events, stream)
    }

    @discardableResult
    func flush(calls: Int = TransferLimit.callsPerEvent) -> SendQueue.Outcome {
        guard let stream else { return .empty }
        return sends.drain(into: stream, calls: calls, client.deliver)
    }

    func failTransfers(_ failure: ConnectionFailure) {
        sends.failAll(failure, client.deliver)
        receives.failAll(failure, client.deliver)
    }

    private func watch(_ events: Epoll.Interest, _ stream: any ConnectionStream) {
        guard watched != events else { return }
        watched = events
        do throws(Errno) {
            try stream.watch(events) { [weak self] events in self?.streamIsReady(events) }
        } catch {
            streamFailed(.system(error))
        }
    }

    private func streamIsReady(_ events: Epoll.Interest) {
        guard let stream else { return }
        guard !events.isDisjoint(with: .failed) else { return transfer() }
        // What came before the end can still be read, over as many events as that takes. Then reading reports the end
        // or the error to the receives that remain: a socket that has hung up never blocks (tcp_recvmsg_locked in
        // net/ipv4/tcp.c).
        if !receives.isEmpty { transfer() }
        guard self.stream != nil, receives.isEmpty else { return }
        if let error = stream.takeError() { return streamFailed(.system(error)) }
        // Both directions have ended in order. epoll would report that again and again, and no further event matters:
        // the bytes that can be read are there.
        watched = nil
        try? stream.watch(nil) { _ in }
    }
}

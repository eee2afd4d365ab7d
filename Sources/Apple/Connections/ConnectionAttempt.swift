// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// One attempt to connect, from resolving the name to the first address that answers: does what ``HappyEyeballs``
/// decides. Lives on the transport's thread.
final class ConnectionAttempt {
    private let transport: any ConnectionTransport
    private let finished: (Result<any ConnectionStream, ConnectionFailure>) -> Void

    private var eyeballs = HappyEyeballs()
    private var actions: [HappyEyeballs.Action] = []
    private var isPerforming = false
    private var isOver = false

    private var resolution: CancellationToken?
    private var delay: CancellationToken?
    private var limit: CancellationToken?
    private var connecting: [IPAddress: CancellationToken] = [:]
    private var failures: [ConnectionFailure] = []

    init(
        _ transport: any ConnectionTransport,
        finished: @escaping (Result<any ConnectionStream, ConnectionFailure>) -> Void
    ) {
        self.transport = transport
        self.finished = finished
    }

    /// - Parameter timeLimit: the longest the attempt may take, including the name's resolution.
    func begin(timeLimit: Duration?) {
        if let timeLimit {
            limit = transport.schedule(after: timeLimit) { [weak self] in self?.end(.failure(.system(.timedOut))) }
        }
        let report = SentToLoop { [weak self] (progress: ResolutionProgress) in self?.resolved(progress) }
        let token = transport.resolve { report.value($0) }
        if isOver { token.cancel() } else { resolution = token }
    }

    /// Gives up the addresses that are being tried now. Those that follow are tried.
    func failConnecting(with failure: ConnectionFailure) {
        let given = connecting
        for (address, token) in given where !isOver {
            token.cancel()
            connected(address, .failure(failure))
        }
    }

    /// Cancels everything without a report.
    func abandon() {
        isOver = true
        for token in [resolution, delay, limit] { token?.cancel() }
        for token in connecting.values { token.cancel() }
        (resolution, delay, limit, connecting) = (nil, nil, nil, [:])
    }

    private func end(_ outcome: Result<any ConnectionStream, ConnectionFailure>) {
        abandon()
        finished(outcome)
    }

    // MARK: Events

    private func resolved(_ progress: ResolutionProgress) {
        // The resolver may report once more after it was cancelled.
        guard !isOver else { return }
        switch progress {
        case .addresses(let addresses):
            perform(eyeballs.addressesFound(DestinationSelection.sorted(addresses, source: transport.source)))
        case .ended(let failure):
            resolution = nil
            if let failure { failures.append(failure) }
            perform(eyeballs.resolutionEnded())
        }
    }

    private func connected(_ address: IPAddress, _ outcome: Result<any ConnectionStream, ConnectionFailure>) {
        connecting[address] = nil
        guard !isOver else {
            if case .success(let stream) = outcome { stream.close(isReset: true) }
            return
        }
        switch outcome {
        case .success(let stream):
            perform(eyeballs.connected(address))
            end(.success(stream))
        case .failure(let failure):
            failures.append(failure)
            perform(eyeballs.failed(address))
        }
    }

    // MARK: Actions

    /// An action may cause further ones before it returns, as when connecting fails at once. Those are done after the
    /// ones that were due before.
    private func perform(_ new: [HappyEyeballs.Action]) {
        actions += new
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while !actions.isEmpty, !isOver { perform(actions.removeFirst()) }
    }

    private func perform(_ action: HappyEyeballs.Action) {
        switch action {
        case .attempt(let address): connect(to: address)
        case .abandon(let address): connecting.removeValue(forKey: address)?.cancel()
        case .startDelay(let duration):
            delay?.cancel()
            delay = transport.schedule(after: duration) { [weak self] in
                guard let self else { return }
                delay = nil
                perform(eyeballs.delayPassed())
            }
        case .stopDelay:
            delay?.cancel()
            delay = nil
        case .giveUp: end(.failure(.mostInformative(of: failures) ?? .system(.networkUnreachable)))
        }
    }

    private func connect(to address: IPAddress) {
        var isFinished = false
        let token = transport.connect(to: address) { [weak self] outcome in
            isFinished = true
            if let self {
                connected(address, outcome)
            } else if case .success(let stream) = outcome {
                stream.close(isReset: true)
            }
        }
        if isOver {
            token.cancel()
        } else if !isFinished {
            connecting[address] = token
        }
    }
}

/// One attempt to connect, for a client that only wants to know whether it succeeds. The connection is closed at once.
/// Unlike ``Connection`` it needs no queue, and so no further thread.
package final class ConnectionTrial: @unchecked Sendable {  // `attempt` is confined to the transport's thread
    private let transport: any ConnectionTransport
    private var attempt: ConnectionAttempt?
    private var failure: CancellationToken?

    private init(_ transport: any ConnectionTransport) {
        self.transport = transport
    }

    /// - Parameters:
    ///   - timeLimit: the longest it may take, including the name's resolution.
    ///   - finished: called once on the transport's thread, with nil after a success. Not called after a cancellation.
    /// - Returns: ends the attempt.
    /// - Throws: if there is no thread for it.
    package static func begin(
        _ transport: any ConnectionTransport, timeLimit: Duration,
        finished: @escaping @Sendable (ConnectionFailure?) -> Void
    ) throws(ConnectionFailure) -> CancellationToken {
        try transport.open()
        let trial = ConnectionTrial(transport)
        do throws(ConnectionFailure) {
            try transport.enqueue { trial.begin(timeLimit, finished) }
        } catch {
            transport.close()
            throw error
        }
        return CancellationToken {
            // A thread that fails has ended it.
            try? transport.enqueue { trial.end() }
        }
    }

    private func begin(_ timeLimit: Duration, _ finished: @escaping @Sendable (ConnectionFailure?) -> Void) {
        let attempt = ConnectionAttempt(transport) { [self] outcome in
            switch outcome {
            case .success(let stream):
                stream.close(isReset: false)
                finished(nil)
            case .failure(let failure): finished(failure)
            }
            end()
        }
        failure = transport.whenFailed { [self] in
            finished($0)
            end()
        }
        self.attempt = attempt
        attempt.begin(timeLimit: timeLimit)
    }

    private func end() {
        attempt?.abandon()
        failure?.cancel()
        (attempt, failure) = (nil, nil)
        transport.close()
    }
}

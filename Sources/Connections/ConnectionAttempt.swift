// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NetworkFacts

/// One try to get a connection, from resolving to the first address that answers: does what ``HappyEyeballs`` decides.
/// Lives on the transport's thread.
final class ConnectionAttempt {
    private let transport: any ConnectionTransport
    private let finished: (Result<any ConnectionStream, ConnectionFailure>) -> Void

    private var eyeballs = HappyEyeballs()
    private var actions: [HappyEyeballs.Action] = []
    private var isPerforming = false
    private var isOver = false

    private var resolution: (any ConnectionTask)?
    private var delay: (any ConnectionTask)?
    private var limit: (any ConnectionTask)?
    private var connecting: [IPAddress: any ConnectionTask] = [:]
    private var failures: [ConnectionFailure] = []

    init(
        _ transport: any ConnectionTransport,
        finished: @escaping (Result<any ConnectionStream, ConnectionFailure>) -> Void
    ) {
        self.transport = transport
        self.finished = finished
    }

    /// - Parameter timeLimit: the longest it may take, name and all.
    func begin(timeLimit: Duration?) {
        if let timeLimit {
            limit = transport.schedule(after: timeLimit) { [weak self] in self?.end(.failure(.system(.timedOut))) }
        }
        let carrier = Confined(WeakAttempt(self))
        let task = transport.resolve { carrier.value.attempt?.resolved($0) }
        if isOver { task.cancel() } else { resolution = task }
    }

    /// Gives everything up and tells nobody.
    func abandon() {
        isOver = true
        for task in [resolution, delay, limit] { task?.cancel() }
        for task in connecting.values { task.cancel() }
        (resolution, delay, limit, connecting) = (nil, nil, nil, [:])
    }

    private func end(_ outcome: Result<any ConnectionStream, ConnectionFailure>) {
        abandon()
        finished(outcome)
    }

    // MARK: Events

    private func resolved(_ progress: ResolutionProgress) {
        guard !isOver else { return }
        switch progress {
        case .addresses(let addresses):
            perform(eyeballs.know(DestinationSelection.sorted(addresses, source: transport.source)))
        case .ended(let failure):
            resolution = nil
            if let failure { failures.append(failure) }
            perform(eyeballs.endResolution())
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

    /// An attempt may fail inside the call that begins it. What follows from that is done after what was due before.
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
        case .giveUp: end(.failure(.mostTelling(of: failures) ?? .system(.networkUnreachable)))
        }
    }

    private func connect(to address: IPAddress) {
        var isFinished = false
        let task = transport.connect(to: address) { [weak self] outcome in
            isFinished = true
            if let self {
                connected(address, outcome)
            } else if case .success(let stream) = outcome {
                stream.close(isReset: true)
            }
        }
        if isOver {
            task.cancel()
        } else if !isFinished {
            connecting[address] = task
        }
    }
}

/// Passes something of the transport's thread through a closure that is called there.
struct Confined<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

private struct WeakAttempt {
    weak var attempt: ConnectionAttempt?
    init(_ attempt: ConnectionAttempt) { self.attempt = attempt }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking

/// When a request is performed, and when it is performed again. Pure: each event returns the actions to perform, in order.
struct WaitMachine {
    enum Action: Hashable {
        case attempt
        /// End the attempt. Its outcome does not count any more.
        case abandon
        /// Tell the client that a wait begins.
        case report(ConnectivityObstacle)
        /// Fail the request with the error of the last attempt.
        case failAsAttempt
        case fail(URLError.Code)
    }

    private enum State {
        /// Nothing is known of the network.
        case starting
        case waiting(ConnectivityObstacle)
        /// - isOutdated: whether the network has changed since the attempt began.
        case attempting(isOutdated: Bool)
    }

    private let repetition: Repetition
    private var state = State.starting
    private var obstacle: ConnectivityObstacle?
    /// Whether a lost connection was followed by a new attempt, without a change of the network since.
    private var hasRepeatedAtOnce = false

    init(_ repetition: Repetition) {
        self.repetition = repetition
    }

    /// What the client waits for now; nil if it does not.
    var waitsFor: ConnectivityObstacle? {
        if case .waiting(let obstacle) = state { obstacle } else { nil }
    }

    // MARK: Events

    /// The network was looked at for the first time, or has changed.
    ///
    /// - Parameters:
    ///   - obstacle: why the host cannot be reached in an allowed way; nil if it can.
    ///   - isSevered: whether the connection of the attempt can carry nothing any more.
    mutating func networkObserved(_ obstacle: ConnectivityObstacle?, isSevered: Bool = false) -> [Action] {
        self.obstacle = obstacle
        hasRepeatedAtOnce = false
        switch state {
        case .starting: return proceed()
        case .waiting: return proceed(isWaiting: true)
        case .attempting:
            let isForbidden = obstacle == .cellular || obstacle == .expensive
            guard isForbidden || isSevered else {
                state = .attempting(isOutdated: true)
                return []
            }
            if repetition == .always { return [.abandon] + proceed() }
            return [.abandon, .fail(isForbidden ? .dataNotAllowed : .networkConnectionLost)]
        }
    }

    /// The attempt has failed.
    mutating func attemptFailed(_ failure: AttemptFailure) -> [Action] {
        guard case .attempting(let isOutdated) = state else { fatalError("an attempt failed while \(state)") }
        let hasNetworkChanged = isOutdated || obstacle != nil
        switch failure {
        case .notSent where repetition != .never: break
        case .lost where repetition == .always: break
        case .unclear where repetition == .always && hasNetworkChanged: break
        case .notSent, .lost, .unclear, .other: return [.failAsAttempt]
        }
        if hasNetworkChanged { return proceed() }
        if case .lost = failure, !hasRepeatedAtOnce {
            hasRepeatedAtOnce = true
            return proceed()
        }
        return wait(for: .failed(failure.code))
    }

    private mutating func proceed(isWaiting: Bool = false) -> [Action] {
        guard let obstacle else {
            state = .attempting(isOutdated: false)
            return [.attempt]
        }
        guard isWaiting else { return wait(for: obstacle) }
        state = .waiting(obstacle)
        return []
    }

    private mutating func wait(for obstacle: ConnectivityObstacle) -> [Action] {
        state = .waiting(obstacle)
        return [.report(obstacle)]
    }
}

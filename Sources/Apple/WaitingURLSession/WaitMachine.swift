// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink

/// What the error of an attempt says about the request.
enum AttemptFailure: Hashable {
    /// No connection was made, so no byte of the request has left.
    case notSent(URLError.Code)
    /// The connection broke. The server may have received the request.
    case lost(URLError.Code)
    /// The network may be the reason. It is, if it has changed.
    case unclear(URLError.Code)
    /// Something else, which a change of the network does not mend.
    case other(URLError.Code)

    /// - Parameter isAnswered: whether a server has answered in this attempt, as with a demand for a password.
    init(_ error: any Error, isAnswered: Bool = false) {
        guard let error = error as? URLError else {
            self = .other(.unknown)
            return
        }
        let isNotSent = !isAnswered && Self.saysNotSent(error)
        switch error.code {
        case _ where isNotSent: self = .notSent(error.code)
        case .networkConnectionLost, .cannotConnectToHost, .notConnectedToInternet: self = .lost(error.code)
        case .unknown, .timedOut, .cannotFindHost, .dnsLookupFailed: self = .unclear(error.code)
        default: self = .other(error.code)
        }
    }

    /// `cannotConnectToHost` alone does not say it. FoundationNetworking gives that code to any failure after another
    /// address of the host has refused a connection, and `unknown` where there is no route (`urlErrorCode` in
    /// MultiHandle.swift). The words are libcurl's, for CURLE_COULDNT_CONNECT.
    private static func saysNotSent(_ error: URLError) -> Bool {
        switch error.code {
        case .notConnectedToInternet, .cannotFindHost, .dnsLookupFailed: true
        default:
            ["Failed to connect to ", "Couldn't connect to ", "Could not connect to "]
                .contains { error.localizedDescription.hasPrefix($0) }
        }
    }

    var code: URLError.Code {
        switch self {
        case .notSent(let code), .lost(let code), .unclear(let code), .other(let code): code
        }
    }
}

/// Whether a request may be performed more than once.
enum Repetition: Hashable {
    /// Also if the server may have received it.
    case always
    /// Only if no byte of it has left.
    case ifNotSent
    /// The body of the request can be read only once, or changes of the network cannot be observed.
    case never

    init(_ request: URLRequest) {
        // RFC 9110 9.2.2. Methods are case-sensitive.
        let idempotent: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]
        if request.httpBodyStream != nil {
            self = .never
        } else {
            self = idempotent.contains(request.httpMethod ?? "GET") ? .always : .ifNotSent
        }
    }
}

/// When one hop of a request is performed, and when it is performed again. Pure: each event returns the actions to perform,
/// in order.
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

    private var repetition: Repetition
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

    /// Changes of the network cannot be observed any more. A request that waits is performed at once, for the last time.
    mutating func watchFailed() -> [Action] {
        (repetition, obstacle) = (.never, nil)
        if case .attempting = state { return [] }
        return proceed()
    }

    /// The attempt has failed.
    mutating func attemptFailed(_ failure: AttemptFailure) -> [Action] {
        guard case .attempting(let isOutdated) = state else {
            assertionFailure("an attempt failed while \(state)")
            return [.failAsAttempt]
        }
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

/// What matters of the network to a request, at one moment.
struct NetworkSnapshot: Hashable, Sendable {
    /// Why the host cannot be reached in an allowed way; nil if it can.
    var obstacle: ConnectivityObstacle?
    /// The addresses that this machine may have sent from. Empty if they do not matter, as for a host on this machine.
    var addresses: Set<IPAddress> = []

    /// Nothing is known of the network, and nothing stands in the way.
    static let open = NetworkSnapshot()

    /// Nil if not all is known yet.
    init?(_ view: GateView) {
        switch view.obstacles.first {
        case nil: break
        case .unknown: return nil
        case .unreachable, .unstable: obstacle = .unreachable
        // Only mobile networks are prohibited by kind.
        case .interface: obstacle = .cellular
        case .expensive, .constrained: obstacle = .expensive
        }
        let remote = view.host.contains { $0.flags.contains(.reachable) && !$0.flags.contains(.isLocalAddress) }
        if obstacle != .unreachable, remote {
            addresses = Set(view.path.interfaces.flatMap(\.ownAddresses).map(\.address))
        }
    }

    private init() {}

    /// Whether a connection that was made at the time of an earlier snapshot can carry nothing any more: the machine is on
    /// the network again, and has none of the addresses that it had. (Linux does not end such connections.)
    func severs(_ earlier: NetworkSnapshot) -> Bool {
        obstacle != .unreachable && !addresses.isEmpty && !earlier.addresses.isEmpty
            && addresses.isDisjoint(with: earlier.addresses)
    }
}

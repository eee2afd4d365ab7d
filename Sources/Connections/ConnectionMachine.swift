// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The life of a connection, from setup to its end. Pure: each event returns what is to be done, in order; the owner
/// does it. An event that cannot happen in a state traps, with the state in the message.
package struct ConnectionMachine: Sendable {
    /// What the client sees.
    package enum State: Hashable, Sendable {
        /// Not started.
        case setup
        /// Names are being resolved, and addresses tried.
        case preparing
        /// There is no way now. A change of the network leads back to `preparing`.
        case waiting(ConnectionFailure)
        case ready
        /// It is over, and not by the client's wish. The client still has to cancel.
        case failed(ConnectionFailure)
        case cancelled
    }

    package enum Action: Hashable, Sendable {
        /// Tell the client the new state.
        case tell(State)
        /// Tell the client whether data can pass.
        case tellViability(Bool)
        /// Be told of the ways to the host, until `unfollow`.
        case follow
        /// Be told, instead of that, of the way that this connection's packets take.
        case followStream
        case unfollow
        /// Resolve and connect, from the beginning.
        case beginAttempt
        case endAttempt
        /// Send what was waiting to be sent, and receive what was asked for.
        case openTransfers
        /// Tell everybody who waits for a transfer that it failed.
        case failTransfers(ConnectionFailure)
        case closeStream(isReset: Bool)
        /// Let go of everything: nothing will happen any more.
        case finish
    }

    package private(set) var state = State.setup
    /// Nil as long as the network was not looked at since the connection was started.
    private var wasReachable: Bool?
    private var isViable = false
    /// The network changed after the attempt began that is under way.
    private var isAttemptOutdated = false

    package init() {}

    // MARK: The client

    package mutating func start() -> [Action] {
        // As on Apple's systems, only the first start counts.
        guard state == .setup else { return [] }
        return [.follow] + prepare()
    }

    /// A connection that cannot be, such as one of a protocol that is not here.
    package mutating func refuse(_ failure: ConnectionFailure) -> [Action] {
        guard state == .setup else { return [] }
        state = .failed(failure)
        return [.failTransfers(failure), .tell(state)]
    }

    /// Tries again at once. Only somebody who waits can want that.
    package mutating func restart() -> [Action] {
        guard case .waiting = state else { return [] }
        return prepare()
    }

    package mutating func cancel(isForced: Bool) -> [Action] {
        let before = state
        guard before != .cancelled else { return [] }
        state = .cancelled
        var actions: [Action] = []
        switch before {
        case .setup, .failed: break
        case .preparing: actions += [.endAttempt, .unfollow]
        case .waiting: actions += [.unfollow]
        case .ready: actions += [.unfollow, .closeStream(isReset: isForced)]
        case .cancelled: preconditionFailure("cancelled twice")
        }
        return actions + [.failTransfers(.system(.cancelled)), .tell(.cancelled), .finish]
    }

    // MARK: The attempt

    package mutating func attemptSucceeded() -> [Action] {
        guard state == .preparing else { preconditionFailure("an attempt succeeded while \(state)") }
        state = .ready
        isViable = true
        return [.followStream, .tell(.ready), .tellViability(true), .openTransfers]
    }

    package mutating func attemptFailed(_ failure: ConnectionFailure) -> [Action] {
        guard state == .preparing else { preconditionFailure("an attempt failed while \(state)") }
        // The network is another than when this began, so its end says nothing about how things are.
        if isAttemptOutdated, failure.isPassing { return beginAttempt() }
        return stopPreparing(failure)
    }

    private mutating func prepare() -> [Action] {
        state = .preparing
        return [.tell(.preparing)] + beginAttempt()
    }

    private mutating func beginAttempt() -> [Action] {
        isAttemptOutdated = false
        return [.beginAttempt]
    }

    private mutating func stopPreparing(_ failure: ConnectionFailure) -> [Action] {
        guard failure.isPassing else {
            state = .failed(failure)
            return [.unfollow, .failTransfers(failure), .tell(state)]
        }
        state = .waiting(failure)
        return [.tell(state)]
    }

    // MARK: The network

    /// How the host can be reached was looked at for the first time, or is another than before.
    ///
    /// - Parameter obstacle: why there is no way; nil where there is one.
    package mutating func pathObserved(_ obstacle: ConnectionFailure?) -> [Action] {
        let isFirst = wasReachable == nil
        wasReachable = obstacle == nil
        switch state {
        case .preparing:
            if let obstacle { return [.endAttempt] + stopPreparing(obstacle) }
            if !isFirst { isAttemptOutdated = true }
            return []
        case .waiting(let failure):
            guard obstacle == nil else { return [] }
            // The first look says how things were from the beginning. It is news only to those who found no way.
            return isFirst && !failure.meansNoWay ? [] : prepare()
        case .ready, .failed: return []
        case .setup, .cancelled: preconditionFailure("the network was looked at while \(state)")
        }
    }

    /// Whether packets of this connection can leave now.
    package mutating func streamPathObserved(isReachable: Bool) -> [Action] {
        guard state == .ready else {
            if case .failed = state { return [] }
            preconditionFailure("the connection's path was looked at while \(state)")
        }
        guard isReachable != isViable else { return [] }
        isViable = isReachable
        return [.tellViability(isReachable)]
    }

    // MARK: The stream

    /// The established connection is gone: reset, or given up by the kernel.
    package mutating func streamFailed(_ failure: ConnectionFailure) -> [Action] {
        guard state == .ready else { preconditionFailure("the stream failed while \(state)") }
        state = .failed(failure)
        return [.unfollow, .closeStream(isReset: false), .failTransfers(failure), .tell(state)]
    }
}

extension ConnectionFailure {
    /// Whether a way to the host is what was missing, and not the host's consent.
    fileprivate var meansNoWay: Bool {
        switch self {
        case .unresolved: true
        case .system(let error):
            // A host that does not answer on its link is found out after three seconds, long after the first look.
            [.networkUnreachable, .networkDown, .hostUnreachable, .addressNotAvailable, .permissionDenied]
                .contains(error)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

package import ReachabilityKit
import ReachabilityLinuxSystem

/// The states of a connection, from setup to its end. Pure: each event returns the actions to perform, in order. An
/// event that is impossible in the present state traps in a debug build, with the state in the message. Otherwise it is
/// ignored: a client's process does not end for it.
package struct ConnectionMachine: Sendable {
    package enum State: Hashable, Sendable {
        /// Not started.
        case setup
        /// Resolving the name and trying addresses.
        case preparing
        /// The host cannot be reached now. A change of the network leads back to `preparing`.
        case waiting(ConnectionFailure)
        case ready
        /// Ended by a failure. The client still has to cancel.
        case failed(ConnectionFailure)
        case cancelled
    }

    package enum Action: Hashable, Sendable {
        /// Report this to the client.
        case report(ConnectionEvent)
        /// Observe whether there is a route to the host, until `stopObserving`.
        case observeHost
        /// Observe the route of the established connection's own packets instead.
        case observeStream
        case stopObserving
        /// Resolve and connect, from the beginning.
        case beginAttempt
        case endAttempt
        /// Send and receive what the client has asked for so far.
        case beginTransfers
        /// Fail every unfinished send and receive.
        case failTransfers(ConnectionFailure)
        case closeStream(isReset: Bool)
        /// End the stream in order, so that the peer gets all that was sent.
        case endStream
        /// Release everything: nothing follows.
        case finish
    }

    package private(set) var state = State.setup
    /// Whether the route to the host was looked up since the start.
    private var hasObservedHost = false
    private var isViable = false
    private var hasBetterPath = false
    /// Whether the network has changed since the present attempt began.
    private var isAttemptOutdated = false

    // MARK: The client

    package mutating func start() -> [Action] {
        // As on Apple's systems, only the first start counts.
        guard state == .setup else { return [] }
        return [.observeHost] + prepare()
    }

    /// Ends a connection that is impossible, such as one of a protocol that is not offered, or one whose thread has failed.
    ///
    /// - Parameter isCut: whether not all was sent. Then the peer must not see an end in order: it would take a part for the whole.
    package mutating func fail(_ failure: ConnectionFailure, isCut: Bool) -> [Action] {
        var actions: [Action] = []
        switch state {
        case .failed, .cancelled: return []
        case .setup: break
        case .preparing: actions = [.endAttempt, .stopObserving]
        case .waiting: actions = [.stopObserving]
        case .ready: actions = [.stopObserving, .closeStream(isReset: isCut)]
        }
        state = .failed(failure)
        return actions + [.failTransfers(failure), .report(.state(state))]
    }

    /// Tries again at once, if the connection is waiting.
    package mutating func restart() -> [Action] {
        guard case .waiting = state else { return [] }
        return prepare()
    }

    /// - Parameter isCut: whether not all was sent, or the client does not care.
    package mutating func cancel(isCut: Bool) -> [Action] {
        var actions: [Action] = []
        switch state {
        case .cancelled: return []
        case .setup, .failed: break
        case .preparing: actions += [.endAttempt, .stopObserving]
        case .waiting: actions += [.stopObserving]
        case .ready: actions += [.stopObserving, isCut ? .closeStream(isReset: true) : .endStream]
        }
        state = .cancelled
        return actions + [.failTransfers(.system(.cancelled)), .report(.state(.cancelled)), .finish]
    }

    // MARK: The attempt

    package mutating func attemptSucceeded() -> [Action] {
        guard state == .preparing else { return impossible("an attempt succeeded") }
        state = .ready
        isViable = true
        return [.observeStream, .report(.state(.ready)), .report(.viability(true)), .beginTransfers]
    }

    package mutating func attemptFailed(_ failure: ConnectionFailure) -> [Action] {
        guard state == .preparing else { return impossible("an attempt failed") }
        // The network has changed since the attempt began, so its failure says nothing about the present.
        // What the client has given up is not begun again.
        if isAttemptOutdated, failure.isTemporary, failure != .system(.cancelled) { return beginAttempt() }
        return stopPreparing(failure)
    }

    private mutating func prepare() -> [Action] {
        state = .preparing
        return [.report(.state(.preparing))] + beginAttempt()
    }

    private mutating func beginAttempt() -> [Action] {
        isAttemptOutdated = false
        return [.beginAttempt]
    }

    private mutating func stopPreparing(_ failure: ConnectionFailure) -> [Action] {
        guard failure.isTemporary else {
            state = .failed(failure)
            return [.stopObserving, .failTransfers(failure), .report(.state(state))]
        }
        state = .waiting(failure)
        return [.report(.state(state))]
    }

    // MARK: The network

    /// The route to the host was looked up for the first time, or has changed.
    ///
    /// - Parameter obstacle: why the host cannot be reached; nil if it can.
    package mutating func hostObserved(_ obstacle: ConnectionFailure?) -> [Action] {
        let isFirst = !hasObservedHost
        hasObservedHost = true
        switch state {
        case .preparing:
            if let obstacle { return [.endAttempt] + stopPreparing(obstacle) }
            if !isFirst { isAttemptOutdated = true }
            return []
        case .waiting(let failure):
            guard obstacle == nil else { return [] }
            // The first look shows the state from before the start. It matters only to a failure for want of a route.
            return isFirst && !failure.isMissingRoute ? [] : prepare()
        case .ready, .failed: return []
        case .setup, .cancelled: return impossible("the host was observed")
        }
    }

    /// The established connection was looked at. Its own failure comes by `streamFailed`.
    package mutating func streamObserved(_ fate: SocketFate.State) -> [Action] {
        guard state == .ready else {
            if case .failed = state { return [] }
            return impossible("the stream was observed")
        }
        if case .dead = fate.fate { return [] }
        var actions: [Action] = []
        if isViable != (fate.fate == .viable) {
            isViable.toggle()
            actions.append(.report(.viability(isViable)))
        }
        if hasBetterPath != (fate.betterPath != nil) {
            hasBetterPath.toggle()
            actions.append(.report(.betterPath(hasBetterPath)))
        }
        return actions
    }

    // MARK: The stream

    /// The established connection is gone: the peer has reset it, or the kernel has given it up.
    package mutating func streamFailed(_ failure: ConnectionFailure, isCut: Bool) -> [Action] {
        guard state == .ready else { return impossible("the stream failed") }
        return fail(failure, isCut: isCut)
    }

    private func impossible(_ event: String) -> [Action] {
        assertionFailure("\(event) while \(state)")
        return []
    }
}

extension ConnectionFailure {
    /// Whether the route to the host was missing, as opposed to the host's consent.
    fileprivate var isMissingRoute: Bool {
        switch self {
        case .unresolved: true
        case .system(let error):
            // EHOSTUNREACH comes three seconds late if a host on the link does not answer, long after the first look.
            [.networkUnreachable, .networkDown, .hostUnreachable, .addressNotAvailable, .permissionDenied]
                .contains(error)
        }
    }
}

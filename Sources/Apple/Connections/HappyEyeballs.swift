// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// Which of a host's addresses is tried when (RFC 8305, "Happy Eyeballs"). Pure: each event returns the actions to
/// perform. An event that is impossible now traps in a debug build, and is ignored otherwise.
///
/// The families take turns. Each address is tried a little after the one before, without waiting for that to fail. The
/// first that answers wins.
struct HappyEyeballs: Sendable {
    /// The time between two attempts (RFC 8305 8, "Connection Attempt Delay").
    static let attemptDelay = Duration.milliseconds(250)
    /// How long IPv4 addresses wait for IPv6 ones (RFC 8305 8, "Resolution Delay").
    static let resolutionDelay = Duration.milliseconds(50)

    enum Action: Hashable, Sendable {
        /// Begin to connect to this address.
        case attempt(IPAddress)
        /// Stop connecting to this address.
        case abandon(IPAddress)
        /// Call `delayPassed` after this time. Replaces the delay before it.
        case startDelay(Duration)
        case stopDelay
        /// No address is left, and none can follow.
        case giveUp
    }

    private enum Phase {
        /// No address is known.
        case resolving
        /// IPv4 addresses are known and wait for IPv6 ones.
        case waitingForIPv6
        case racing
        case over
    }

    private var phase = Phase.resolving
    private var isResolved = false
    /// Whether the delay after an attempt is running.
    private var isDelaying = false
    private var known: [IPAddress] = []
    /// The addresses still to be tried, in order.
    private var queue: [IPAddress] = []
    private var running: [IPAddress] = []
    private var lastFamily: AddressFamily?

    // MARK: Events

    /// - Parameter addresses: all that are known now, best first, including those known before.
    mutating func addressesFound(_ addresses: [IPAddress]) -> [Action] {
        let untried = addresses.filter { queue.contains($0) || !known.contains($0) }
        guard untried.count > queue.count else { return [] }
        known += untried.filter { !known.contains($0) }
        let next: AddressFamily? = lastFamily.map { $0 == .v6 ? .v4 : .v6 }
        queue = Self.interleaved(untried, startingWith: next ?? untried[0].family)
        switch phase {
        case .resolving, .waitingForIPv6:
            if isResolved || known.contains(where: { $0.family == .v6 }) {
                return race(stopping: phase == .waitingForIPv6)
            }
            guard case .resolving = phase else { return [] }
            phase = .waitingForIPv6
            return [.startDelay(Self.resolutionDelay)]
        case .racing: return isDelaying ? [] : attemptNext()
        case .over: return []
        }
    }

    /// No further addresses follow.
    mutating func resolutionEnded() -> [Action] {
        isResolved = true
        switch phase {
        case .resolving, .waitingForIPv6:
            if queue.isEmpty { return giveUp() }
            return race(stopping: phase == .waitingForIPv6)
        case .racing: return running.isEmpty && queue.isEmpty ? giveUp() : []
        case .over: return []
        }
    }

    mutating func delayPassed() -> [Action] {
        switch phase {
        case .waitingForIPv6: return race(stopping: false)
        case .racing:
            isDelaying = false
            return attemptNext()
        case .resolving, .over: return impossible("a delay passed")
        }
    }

    /// An attempt failed, so the next one begins at once (RFC 8305 5).
    mutating func failed(_ address: IPAddress) -> [Action] {
        guard case .racing = phase, let position = running.firstIndex(of: address) else {
            return impossible("an attempt at \(address) failed that was not running")
        }
        running.remove(at: position)
        if !queue.isEmpty { return attemptNext() }
        return running.isEmpty && isResolved ? giveUp() : []
    }

    /// An attempt succeeded, so the others are abandoned (RFC 8305 5).
    mutating func connected(_ address: IPAddress) -> [Action] {
        guard case .racing = phase, running.contains(address) else {
            return impossible("an attempt at \(address) succeeded that was not running")
        }
        phase = .over
        let others = running.filter { $0 != address }
        running = []
        return (isDelaying ? [.stopDelay] : []) + others.map(Action.abandon)
    }

    private func impossible(_ event: String) -> [Action] {
        assertionFailure("\(event), while \(phase)")
        return []
    }

    // MARK: Decisions

    private mutating func race(stopping isWaiting: Bool) -> [Action] {
        phase = .racing
        return (isWaiting ? [.stopDelay] : []) + attemptNext()
    }

    private mutating func attemptNext() -> [Action] {
        guard !queue.isEmpty else { return [] }
        let next = queue.removeFirst()
        lastFamily = next.family
        running.append(next)
        // Addresses that are still to be found keep the same delay.
        let isMore = !queue.isEmpty || !isResolved
        defer { isDelaying = isMore }
        if isMore { return [.attempt(next), .startDelay(Self.attemptDelay)] }
        return isDelaying ? [.stopDelay, .attempt(next)] : [.attempt(next)]
    }

    private mutating func giveUp() -> [Action] {
        defer {
            phase = .over
            isDelaying = false
        }
        return (isDelaying ? [.stopDelay] : []) + [.giveUp]
    }

    /// The addresses with the families taking turns, each in the order given (RFC 8305 4, with a First Address Family
    /// Count of 1).
    static func interleaved(_ addresses: [IPAddress], startingWith family: AddressFamily) -> [IPAddress] {
        var first = addresses.filter { $0.family == family }[...]
        var second = addresses.filter { $0.family != family }[...]
        var result: [IPAddress] = []
        while let address = first.popFirst() ?? second.popFirst() {
            result.append(address)
            if address.family == family, let other = second.popFirst() { result.append(other) }
        }
        return result
    }
}

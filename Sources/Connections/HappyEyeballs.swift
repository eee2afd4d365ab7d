// SPDX-License-Identifier: Apache-2.0

package import NetworkFacts

/// Which of a host's addresses is tried when (RFC 8305, "Happy Eyeballs"). Pure: events come in, and what is to be
/// done comes out.
///
/// Addresses are tried one after the other, the families in turn, each a little after the one before and without
/// waiting for it to fail; the first that answers wins.
package struct HappyEyeballs: Sendable {
    /// From one attempt to the next (RFC 8305 8, "Connection Attempt Delay").
    package static let attemptDelay = Duration.milliseconds(250)
    /// How long IPv4 addresses wait for IPv6 ones (RFC 8305 8, "Resolution Delay").
    package static let resolutionDelay = Duration.milliseconds(50)

    /// What is to be done.
    package enum Action: Hashable, Sendable {
        /// Begin to connect to this address.
        case attempt(IPAddress)
        /// Give up connecting to it.
        case abandon(IPAddress)
        /// Say when so much time has passed, in place of any time that was asked for before.
        case startDelay(Duration)
        case stopDelay
        /// Nothing is left to be tried, and nothing can come any more.
        case giveUp
    }

    private enum Phase {
        /// No address is known.
        case resolving
        /// IPv4 addresses are known and wait for IPv6 ones.
        case holding
        case racing
        case over
    }

    private var phase = Phase.resolving
    private var isResolved = false
    private var isDelayed = false
    private var known: [IPAddress] = []
    /// Yet to be tried, in order.
    private var queue: [IPAddress] = []
    private var running: [IPAddress] = []
    private var lastFamily: AddressFamily?

    package init() {}

    // MARK: Events

    /// These addresses are known now, the better ones first; they contain those that were known before.
    package mutating func know(_ addresses: [IPAddress]) -> [Action] {
        let untried = addresses.filter { queue.contains($0) || !known.contains($0) }
        guard untried.count > queue.count else { return [] }
        known += untried.filter { !known.contains($0) }
        let next: AddressFamily? = lastFamily.map { $0 == .v6 ? .v4 : .v6 }
        queue = Self.inTurn(untried, startingWith: next ?? untried[0].family)
        switch phase {
        case .resolving, .holding:
            if isResolved || known.contains(where: { $0.family == .v6 }) { return race(stopping: phase == .holding) }
            guard case .resolving = phase else { return [] }
            phase = .holding
            return [.startDelay(Self.resolutionDelay)]
        case .racing: return isDelayed ? [] : attemptNext()
        case .over: return []
        }
    }

    /// No further addresses will come.
    package mutating func endResolution() -> [Action] {
        isResolved = true
        switch phase {
        case .resolving, .holding:
            if queue.isEmpty { return giveUp() }
            return race(stopping: phase == .holding)
        case .racing: return running.isEmpty && queue.isEmpty ? giveUp() : []
        case .over: return []
        }
    }

    /// The time that was asked for has passed.
    package mutating func delayPassed() -> [Action] {
        switch phase {
        case .holding: return race(stopping: false)
        case .racing:
            isDelayed = false
            return attemptNext()
        case .resolving, .over: preconditionFailure("a delay passed while \(phase)")
        }
    }

    /// An attempt came to nothing. The next need not wait then (RFC 8305 5).
    package mutating func failed(_ address: IPAddress) -> [Action] {
        guard case .racing = phase, let position = running.firstIndex(of: address) else {
            preconditionFailure("an attempt failed that was not under way: \(address), \(phase)")
        }
        running.remove(at: position)
        if !queue.isEmpty { return attemptNext() }
        return running.isEmpty && isResolved ? giveUp() : []
    }

    /// An attempt succeeded: the others are given up (RFC 8305 5).
    package mutating func connected(_ address: IPAddress) -> [Action] {
        guard case .racing = phase, running.contains(address) else {
            preconditionFailure("an attempt succeeded that was not under way: \(address), \(phase)")
        }
        phase = .over
        let others = running.filter { $0 != address }
        running = []
        return (isDelayed ? [.stopDelay] : []) + others.map(Action.abandon)
    }

    // MARK: Decisions

    private mutating func race(stopping isHolding: Bool) -> [Action] {
        phase = .racing
        return (isHolding ? [.stopDelay] : []) + attemptNext()
    }

    private mutating func attemptNext() -> [Action] {
        guard !queue.isEmpty else { return [] }
        let next = queue.removeFirst()
        lastFamily = next.family
        running.append(next)
        // Addresses that are still to come keep the same distance.
        let isMore = !queue.isEmpty || !isResolved
        defer { isDelayed = isMore }
        if isMore { return [.attempt(next), .startDelay(Self.attemptDelay)] }
        return isDelayed ? [.stopDelay, .attempt(next)] : [.attempt(next)]
    }

    private mutating func giveUp() -> [Action] {
        defer {
            phase = .over
            isDelayed = false
        }
        return (isDelayed ? [.stopDelay] : []) + [.giveUp]
    }

    /// The families in turn, each in the order given (RFC 8305 4, with a First Address Family Count of 1).
    static func inTurn(_ addresses: [IPAddress], startingWith family: AddressFamily) -> [IPAddress] {
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

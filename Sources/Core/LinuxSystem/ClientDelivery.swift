// SPDX-License-Identifier: Apache-2.0

/// Decides when a client is called and with which value: the newest, one call at a time whatever its queue is, and never the
/// same value twice in a row. Pure: the owner keeps it under its lock, and does after releasing the lock what it says.
///
/// A delivery begins with a `claim` that is true: the owner puts a block where the client wants its calls. That block asks
/// `begin` for the value, calls the client, and then says `finish`. A value that comes meanwhile waits for the next claim, so that
/// no second call is ever on a concurrent queue beside the first.
package struct ClientDelivery<Value: Sendable>: Sendable {
    /// The newest value; nil before the first.
    package private(set) var newest: Value?
    /// The value that the client was last told or is taken to know; nil if it must get a first call.
    private var told: Value?
    private var phase = Phase.idle

    private enum Phase {
        case idle
        /// A block is on its way.
        case claimed
        case calling
        case ended
    }

    /// - Parameter known: what the client is taken to know; nil if it must get a first call.
    package init(known: Value? = nil) {
        newest = known
        told = known
    }

    package mutating func note(_ value: Value) {
        if phase != .ended { newest = value }
    }

    /// The block has called the client. A value that came meanwhile can be claimed now.
    package mutating func finish() {
        if phase == .calling { phase = .idle }
    }

    /// The block cannot call the client, or will not come. The value can be claimed again.
    package mutating func putOff() {
        if phase == .claimed { phase = .idle }
    }

    /// The client is another one, which knows nothing yet. A call of the one before may still run.
    package mutating func forgetWhatWasTold() {
        told = nil
    }

    package mutating func forgetValues() {
        (newest, told) = (nil, nil)
    }

    /// After this, nothing begins.
    package mutating func end() {
        phase = .ended
    }
}

extension ClientDelivery where Value: Equatable {
    /// Whether a block has to be put on the client's queue now.
    package mutating func claim() -> Bool {
        guard phase == .idle, newest != told else { return false }
        phase = .claimed
        return true
    }

    /// The block begins. Returns what to call the client with; nil if the client was unscheduled meanwhile, or knows the newest
    /// value because a burst of changes ended where it began. Then the block is over.
    package mutating func begin() -> Value? {
        guard phase == .claimed else { return nil }
        guard let newest, newest != told else {
            phase = .idle
            return nil
        }
        told = newest
        phase = .calling
        return newest
    }
}

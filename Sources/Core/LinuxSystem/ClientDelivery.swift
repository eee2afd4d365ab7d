// SPDX-License-Identifier: Apache-2.0

/// Decides when a client is called and with which value: the newest one, one call at a time whatever its queue is, and never the
/// same value twice in a row. Pure: the owner keeps it under its lock, and acts on its decisions after releasing the lock.
///
/// A delivery begins with a `claim` that returns true: the owner then puts a block in the place where the client wants its calls.
/// The block gets the value from `begin`, calls the client, and then calls `finish`. A value that arrives in the meantime waits
/// for the next claim, so that two calls never run at the same time on a concurrent queue.
package struct ClientDelivery<Value: Sendable>: Sendable {
    /// The newest value; nil before the first.
    package private(set) var newest: Value?
    /// The value with which the client was last called or that it is assumed to know; nil if it must get a first call.
    private var told: Value?
    private var phase = Phase.idle

    private enum Phase {
        case idle
        /// A block is on its way to the client's queue.
        case claimed
        case calling
        case ended
    }

    /// - Parameter known: the value that the client is assumed to know; nil if it must get a first call.
    package init(known: Value? = nil) {
        newest = known
        told = known
    }

    package mutating func note(_ value: Value) {
        if phase != .ended { newest = value }
    }

    /// The block has called the client. A value that arrived in the meantime can be claimed now.
    package mutating func finish() {
        if phase == .calling { phase = .idle }
    }

    /// The block cannot call the client, or will not run. The value can be claimed again.
    package mutating func putOff() {
        if phase == .claimed { phase = .idle }
    }

    /// There is another client, which knows no value yet. A call of the former client may still be running.
    package mutating func forgetWhatWasTold() {
        told = nil
    }

    package mutating func forgetValues() {
        (newest, told) = (nil, nil)
    }

    /// After this, no delivery begins.
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

    /// Called by the block. Returns the value to call the client with. Nil, which ends the block, if the client was unscheduled
    /// in the meantime, or knows the newest value because a burst of changes ended where it began.
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

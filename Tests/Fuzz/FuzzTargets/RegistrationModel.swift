// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem

/// What a client is promised for any order of events. It is told the newest observation, one call at a time, never the same twice
/// in a row, and nothing after the end. When no block is on its way or runs, the client knows the newest observation.
private struct Promise {
    enum Block { case none, onItsWay, running }

    var newest: Observation?
    var told: Observation?
    var block = Block.none
    var hasEnded = false

    mutating func claimed(_ mustDeliver: Bool) {
        if mustDeliver {
            require(!hasEnded, "a delivery after the end")
            require(newest != told, "a delivery of what the client knows")
            require(block == .none, "two blocks at a time")
            block = .onItsWay
        }
        require(hasEnded || block != .none || told == newest, "an observation without a delivery")
    }

    mutating func began(_ observation: Observation?) {
        guard let observation else {
            require(hasEnded || told == newest, "a delivery without an observation")
            block = .none
            return
        }
        require(!hasEnded, "told after the end")
        require(observation == newest, "told an old observation")
        require(observation != told, "told the same twice")
        told = observation
        block = .running
    }
}

/// The first byte is what the client knows at the start. Each further byte is an event.
func playRegistration(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    func observation(_ byte: UInt8) -> Observation {
        Observation(flags: ReachabilityFlags(rawValue: UInt32(byte & 7)))
    }
    let known = first & 0x80 == 0 ? nil : observation(first)
    var delivery = ClientDelivery(known: known)
    var promise = Promise(newest: known, told: known)
    for byte in bytes.dropFirst() {
        switch (byte >> 6, promise.block) {
        case (0, _), (1, _):
            delivery.note(observation(byte))
            promise.newest = observation(byte)
            promise.claimed(delivery.claim())
        case (2, .onItsWay):
            promise.began(delivery.begin())
        case (2, .running):
            delivery.finish()
            promise.block = .none
            promise.claimed(delivery.claim())
        case (3, .onItsWay) where byte & 0x3F == 1:
            delivery.putOff()
            promise.block = .none
            promise.claimed(delivery.claim())
        case (3, _) where byte & 0x3F == 0:
            delivery.end()
            promise.hasEnded = true
        default: break
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// What a client is promised for any order of events. It is told the newest observation, never the same twice in a row,
/// and nothing after the end. At most one delivery is pending. When none is, the client knows the newest observation.
private struct Promise {
    var newest: Observation?
    var told: Observation?
    var onTheirWay = 0
    var hasEnded = false

    mutating func observed(_ observation: Observation, mustDeliver: Bool) {
        if hasEnded {
            require(!mustDeliver, "a delivery after the end")
            return
        }
        newest = observation
        require(!mustDeliver || observation != told, "a delivery of what the client knows")
        if mustDeliver { onTheirWay += 1 }
        require(onTheirWay <= 1, "two pending deliveries")
        require(onTheirWay == 1 || told == newest, "an observation without a delivery")
    }

    mutating func delivered(_ observation: Observation?) {
        onTheirWay -= 1
        guard let observation else {
            require(hasEnded || told == newest, "a delivery without an observation")
            return
        }
        require(!hasEnded, "told after the end")
        require(observation == newest, "told an old observation")
        require(observation != told, "told the same twice")
        told = observation
    }
}

/// The first byte is what the client knows at the start. Each further byte is an event.
func playRegistration(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    func observation(_ byte: UInt8) -> Observation {
        Observation(flags: ReachabilityFlags(rawValue: UInt32(byte & 7)))
    }
    let known = first & 0x80 == 0 ? nil : observation(first)
    var machine = RegistrationState(known: known)
    var promise = Promise(newest: known, told: known)
    for byte in bytes.dropFirst() {
        switch byte >> 6 {
        case 0, 1:
            promise.observed(observation(byte), mustDeliver: machine.record(observation(byte)))
        case 2 where promise.onTheirWay > 0:
            promise.delivered(machine.beginDelivery())
        case 3 where byte & 0x3F == 0:
            machine.end()
            promise.hasEnded = true
        default: break
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// What a client is promised, whatever happens in which order: it is told the newest, never the same twice in a row,
/// nothing after the end; one delivery is on its way at a time; and when none is, it knows the newest.
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
        if mustDeliver { onTheirWay += 1 }
        require(onTheirWay <= 1, "two deliveries on their way")
        require(onTheirWay == 1 || told == newest, "news without a delivery")
    }

    mutating func delivered(_ news: Observation?) {
        onTheirWay -= 1
        guard let news else {
            require(hasEnded || told == newest, "a delivery without its news")
            return
        }
        require(!hasEnded, "told after the end")
        require(news == newest, "told something old")
        require(news != told, "told the same twice")
        told = news
    }
}

/// The first byte says what the client is taken to know; each further one is an event.
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

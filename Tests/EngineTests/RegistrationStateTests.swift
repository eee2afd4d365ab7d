// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit
import TestHosts
import Testing

@Suite("A client's callback")
struct RegistrationStateTests {
    private let none = Observation(flags: [])
    private let first = Observation(flags: .reachable, interface: InterfaceIndex(1))
    private let second = Observation(flags: .reachable, interface: InterfaceIndex(2))

    @Test func `is not made while nothing has changed`() {
        let state = SharedState(known: first)
        #expect(!state.record(first))
        #expect(state.beginDelivery() == nil)
    }

    @Test func `is made for a change of the flags`() {
        let state = SharedState(known: first)
        #expect(state.record(none))
        #expect(state.beginDelivery() == none)
    }

    @Test func `is made for another interface with the same flags`() {
        let state = SharedState(known: first)
        #expect(state.record(second))
        #expect(state.beginDelivery() == second)
    }

    @Test func `is not made if a burst ends where it began before the delivery`() {
        let state = SharedState(known: first)
        #expect(state.record(none))
        #expect(!state.record(first))
        #expect(state.beginDelivery() == nil)
        // The next change leads to a delivery again.
        #expect(state.record(none))
    }

    @Test func `tells the newest of several changes, once`() {
        let state = SharedState(known: none)
        #expect(state.record(first))
        #expect(!state.record(second), "the queued delivery will tell the newest")
        #expect(state.beginDelivery() == second)
        #expect(!state.record(second))
        #expect(state.beginDelivery() == nil)
    }

    @Test func `is made for a name's first answer, also if that is "not reachable"`() {
        let state = SharedState(known: nil)
        #expect(state.record(none))
        #expect(state.beginDelivery() == none)
        #expect(!state.record(none))
    }

    @Test func `is not made before there is an answer`() {
        let state = SharedState(known: nil)
        #expect(state.beginDelivery() == nil)
    }

    @Test func `is not made after the end, whatever was queued`() {
        let state = SharedState(known: none)
        #expect(state.record(first))
        state.end()
        #expect(state.beginDelivery() == nil)
        #expect(!state.record(second))
        #expect(state.beginDelivery() == nil)
    }

    /// Compares with the rule: each delivery tells the newest observation, unless that was told last.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `follows the rule through any sequence of events`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let choices = [none, first, second, Observation(flags: .isDirect, interface: InterfaceIndex(1))]
        let known = Bool.random(using: &random) ? choices.randomElement(using: &random) : nil
        let state = SharedState(known: known)
        var (newest, told) = (known, known)
        var queued = 0
        for _ in 0..<500 {
            if Int.random(in: 0..<3, using: &random) < 2 {
                let found = choices.randomElement(using: &random)!
                newest = found
                let isQueued = state.record(found)
                #expect(isQueued == (queued == 0 && found != told))
                if isQueued { queued += 1 }
            } else if queued > 0 {
                queued -= 1
                let delivered = state.beginDelivery()
                #expect(delivered == (newest == told ? nil : newest))
                told = newest
            }
            #expect(queued <= 1)
        }
        if queued > 0 { _ = state.beginDelivery() }
        // Nothing is lost: the client knows the last observation.
        #expect(newest.map { !state.record($0) } ?? true)
        state.end()
        for choice in choices { #expect(!state.record(choice)) }
    }
}

/// The state in an object, because an expectation cannot change a value.
private final class SharedState {
    private var state: RegistrationState

    init(known: Observation?) {
        state = RegistrationState(known: known)
    }

    func record(_ observation: Observation) -> Bool { state.record(observation) }
    func beginDelivery() -> Observation? { state.beginDelivery() }
    func end() { state.end() }
}

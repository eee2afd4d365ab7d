// SPDX-License-Identifier: Apache-2.0

import NetworkFacts
import ReachabilityKit
import TestHosts
import Testing

@Suite("What a client is told")
struct RegistrationStateTests {
    private let none = Observation(flags: [])
    private let first = Observation(flags: .reachable, interface: InterfaceIndex(1))
    private let second = Observation(flags: .reachable, interface: InterfaceIndex(2))

    @Test func `is nothing as long as all is as the client knows it`() {
        let state = Machine(known: first)
        #expect(!state.record(first))
        #expect(state.beginDelivery() == nil)
    }

    @Test func `is a change of the flags`() {
        let state = Machine(known: first)
        #expect(state.record(none))
        #expect(state.beginDelivery() == none)
    }

    @Test func `is a change of the interface though the flags are the same`() {
        let state = Machine(known: first)
        #expect(state.record(second))
        #expect(state.beginDelivery() == second)
    }

    @Test func `is nothing where a burst ends where it began before the delivery`() {
        let state = Machine(known: first)
        #expect(state.record(none))
        #expect(!state.record(first))
        #expect(state.beginDelivery() == nil)
        // And the next change is heard of again.
        #expect(state.record(none))
    }

    @Test func `is the newest of several changes, once`() {
        let state = Machine(known: none)
        #expect(state.record(first))
        #expect(!state.record(second), "one delivery is on its way and takes the newest along")
        #expect(state.beginDelivery() == second)
        #expect(!state.record(second))
        #expect(state.beginDelivery() == nil)
    }

    @Test func `is a name's first answer, also where it is "not reachable"`() {
        let state = Machine(known: nil)
        #expect(state.record(none))
        #expect(state.beginDelivery() == none)
        #expect(!state.record(none))
    }

    @Test func `is nothing where nothing was found yet`() {
        let state = Machine(known: nil)
        #expect(state.beginDelivery() == nil)
    }

    @Test func `is nothing after the end, whatever was on its way`() {
        let state = Machine(known: none)
        #expect(state.record(first))
        state.end()
        #expect(state.beginDelivery() == nil)
        #expect(!state.record(second))
        #expect(state.beginDelivery() == nil)
    }

    /// Against the plain meaning of the words: the client is told the newest whenever a delivery's turn comes, unless
    /// that is what it was told last.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `follows its rules through any row of events`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let choices = [none, first, second, Observation(flags: .isDirect, interface: InterfaceIndex(1))]
        let known = Bool.random(using: &random) ? choices.randomElement(using: &random) : nil
        let state = Machine(known: known)
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
                let news = state.beginDelivery()
                #expect(news == (newest == told ? nil : newest))
                told = newest
            }
            #expect(queued <= 1)
        }
        if queued > 0 { _ = state.beginDelivery() }
        // Nothing is ever lost: what was found last can bring no news any more.
        #expect(newest.map { !state.record($0) } ?? true)
        state.end()
        for choice in choices { #expect(!state.record(choice)) }
    }
}

/// The machine in an object, since an expectation cannot change a value.
private final class Machine {
    private var state: RegistrationState

    init(known: Observation?) {
        state = RegistrationState(known: known)
    }

    func observe(_ observation: Observation) -> Bool { state.record(observation) }
    func beginDelivery() -> Observation? { state.beginDelivery() }
    func end() { state.end() }
}

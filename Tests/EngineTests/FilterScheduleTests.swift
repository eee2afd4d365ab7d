// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestHosts
import TestTopology
import Testing

@testable import ReachabilityKit

@Suite("The kernel's filter")
struct FilterScheduleTests {
    @Test func `is attached at once for few watches`() {
        var schedule = FilterSchedule()
        let steps = [schedule.watchesWereAdded(total: 1), schedule.watchesWereAdded(total: FilterSchedule.fewWatches)]
        #expect(steps == [.restrict, .restrict])
    }

    @Test func `is taken away for many, and attached when no more are added`() {
        var schedule = FilterSchedule()
        let many = FilterSchedule.fewWatches + 1
        let steps = [
            schedule.watchesWereAdded(total: many), schedule.watchesWereAdded(total: many + 500),
            schedule.quietTimePassed(), schedule.quietTimePassed(), schedule.quietTimePassed(),
            schedule.watchesWereAdded(total: many + 501),
        ]
        #expect(steps == [.openAndWait, .nothing, .wait, .restrict, .nothing, .openAndWait])
    }

    @Test func `stays away until no more are added, also if few are left`() {
        var schedule = FilterSchedule()
        let steps = [
            schedule.watchesWereAdded(total: 2_001), schedule.watchesWereAdded(total: 1_500),
            schedule.watchesWereAdded(total: 2_501), schedule.quietTimePassed(), schedule.quietTimePassed(),
        ]
        #expect(steps == [.openAndWait, .nothing, .nothing, .wait, .restrict])
    }

    @Test func `is tried again for the next watch if it was refused`() {
        var schedule = FilterSchedule()
        _ = schedule.watchesWereAdded(total: 1)
        schedule.wasRefused()
        let steps = [schedule.feedWasReplaced(), schedule.watchesWereAdded(total: 2), schedule.feedWasReplaced()]
        #expect(steps == [.nothing, .restrict, .restrict])
    }

    /// Every sequence of eight events, where up to two watches are few.
    @Test func `never holds back what is watched`() {
        var sequences = 0
        var firstFault: String?
        func play(_ model: FilterModel, after events: [FilterModel.Event]) {
            sequences += 1
            firstFault = firstFault ?? model.fault.map { "\($0) after \(events)" }
            guard events.count < 8, firstFault == nil else { return }
            for event in FilterModel.Event.allCases {
                var next = model
                if next.happen(event) { play(next, after: events + [event]) }
            }
        }
        play(FilterModel(), after: [])
        #expect(firstFault == nil)
        #expect(sequences > 100_000)
    }
}

/// The schedule with a model of the feed: which addresses are watched, and which of them the filter lets through.
private struct FilterModel {
    enum Event: CaseIterable {
        case oneIsAdded, twoAreAdded, oneIsRemoved, timePasses
        /// The kernel refuses the new filter, and removes the old one.
        case oneIsAddedAndRefused
        /// The kernel refuses both, so that the feed is replaced.
        case oneIsAddedAndTheFeedReplaced
        case feedIsReplaced
    }

    private enum Kernel { case obliging, refusing, stubborn }

    private var schedule = FilterSchedule(few: 2)
    // A bit for each address.
    private var watched: UInt64 = 0
    private var added = 0
    /// What the filter lets through; nil if there is none.
    private var passing: UInt64?
    private var timers = 0
    private var wasRefused = false

    /// What is wrong, if anything is.
    var fault: String? {
        if let passing, watched & ~passing != 0 { return "a watched address is held back" }
        if timers > 1 { return "two timers run" }
        if passing == nil, timers == 0, added > 0, !wasRefused { return "the filter is never built" }
        return nil
    }

    /// Returns false if the event cannot happen now.
    mutating func happen(_ event: Event) -> Bool {
        switch event {
        case .oneIsAdded: add(1, .obliging)
        case .twoAreAdded: add(2, .obliging)
        case .oneIsAddedAndRefused: add(1, .refusing)
        case .oneIsAddedAndTheFeedReplaced: add(1, .stubborn)
        case .oneIsRemoved:
            guard watched != 0 else { return false }
            watched &= watched - 1
        case .timePasses:
            guard timers > 0 else { return false }
            timers -= 1
            perform(schedule.quietTimePassed(), .obliging)
        case .feedIsReplaced: replaceFeed()
        }
        return true
    }

    private mutating func add(_ count: Int, _ kernel: Kernel) {
        for _ in 0..<count {
            watched |= 1 << added
            added += 1
        }
        perform(schedule.watchesWereAdded(total: watched.nonzeroBitCount), kernel)
    }

    /// Does what the engine would do.
    private mutating func perform(_ step: FilterSchedule.Step, _ kernel: Kernel) {
        switch (step, kernel) {
        case (.nothing, _): break
        case (.wait, _): timers += 1
        case (.restrict, .obliging): (passing, wasRefused) = (watched, false)
        case (.restrict, .refusing):
            (passing, wasRefused) = (nil, true)
            schedule.wasRefused()
        case (.openAndWait, .obliging), (.openAndWait, .refusing):
            timers += 1
            passing = nil
        case (.restrict, .stubborn), (.openAndWait, .stubborn):
            if step == .openAndWait { timers += 1 }
            wasRefused = step == .restrict
            schedule.wasRefused()
            replaceFeed()
        }
    }

    private mutating func replaceFeed() {
        passing = nil
        perform(schedule.feedWasReplaced(), .obliging)
    }
}

@Suite("If the kernel refuses the filter", .timeLimit(.minutes(10)), .needs(.namespaces))
struct FilterFaultTests {
    // In Swift 6.2 the body of an exit test captures nothing, so each number has a test of its own.

    @Test func `changes of addresses watched later come through, if all three variants of it are refused`() async {
        await #expect(processExitsWith: .success) { try Self.changesComeThrough(failures: 3) }
    }

    @Test func `changes still come through if the old filter cannot be removed either`() async {
        await #expect(processExitsWith: .success) { try Self.changesComeThrough(failures: 4) }
    }

    @Test func `changes still come through if no other feed can be opened either`() async {
        await #expect(processExitsWith: .success) { try Self.changesComeThrough(failures: 8) }
    }

    /// The attached filter does not know the second address, and the new filter is refused.
    private static func changesComeThrough(failures: Int) throws {
        let topology = try Topology.wired()
        let references = try ["192.0.2.1", "203.0.113.1"].map { try topology.reference($0) }
        let recorders = references.map { _ in CallbackRecorder() }
        func evaluations() -> Int { references[0].statistics.evaluations }
        // A new watch is looked up at once, and again.
        let looks = 1 + LookSchedule.repetitions.count
        try recorders[0].watch(references[0])
        try ProcessState.wait("the first was looked up") { evaluations() >= looks }
        let before = evaluations()
        FaultInjection.fail(.setOption, with: .outOfMemory, times: failures)
        try recorders[1].watch(references[1])
        try ProcessState.wait("the second was looked up") { evaluations() >= before + looks }
        FaultInjection.reset()
        try topology.ip("route add 203.0.113.0/24 via 10.0.0.254")
        try #require(try recorders[1].next() == .reachable)
        for reference in references { try reference.setDispatchQueue(nil) }
    }
}

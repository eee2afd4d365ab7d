// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReachabilityKit

@Suite("The kernel's filter")
struct FilterScheduleTests {
    @Test func `is attached at once for few watches`() {
        var schedule = FilterSchedule()
        let steps = [schedule.watchesWereAdded(total: 1), schedule.watchesWereAdded(total: FilterSchedule.fewWatches)]
        #expect(steps == [.restrict, .restrict])
    }

    @Test func `is taken away for many, and attached when the crowd has stopped coming`() {
        var schedule = FilterSchedule()
        let many = FilterSchedule.fewWatches + 1
        let steps = [
            schedule.watchesWereAdded(total: many), schedule.watchesWereAdded(total: many + 500),
            schedule.quietTimePassed(), schedule.quietTimePassed(), schedule.quietTimePassed(),
            schedule.watchesWereAdded(total: many + 501),
        ]
        #expect(steps == [.openAndWait, .nothing, .wait, .restrict, .nothing, .openAndWait])
    }

    @Test func `stays away until the crowd has stopped coming, also where few of it are left`() {
        var schedule = FilterSchedule()
        let steps = [
            schedule.watchesWereAdded(total: 2_001), schedule.watchesWereAdded(total: 1_500),
            schedule.watchesWereAdded(total: 2_501), schedule.quietTimePassed(), schedule.quietTimePassed(),
        ]
        #expect(steps == [.openAndWait, .nothing, .nothing, .wait, .restrict])
    }

    @Test func `is tried again for the next watch where it was refused`() {
        var schedule = FilterSchedule()
        _ = schedule.watchesWereAdded(total: 1)
        schedule.wasRefused()
        let steps = [schedule.feedWasReplaced(), schedule.watchesWereAdded(total: 2), schedule.feedWasReplaced()]
        #expect(steps == [.nothing, .restrict, .restrict])
    }

    /// Every row of eight events, in a small fixture where two watches are few.
    @Test func `never keeps back what is watched`() {
        var rows = 0
        var firstFault: String?
        func play(_ model: FilterModel, after row: [FilterModel.Event]) {
            rows += 1
            firstFault = firstFault ?? model.fault.map { "\($0) after \(row)" }
            guard row.count < 8, firstFault == nil else { return }
            for event in FilterModel.Event.allCases {
                var next = model
                if next.happen(event) { play(next, after: row + [event]) }
            }
        }
        play(FilterModel(), after: [])
        #expect(firstFault == nil)
        #expect(rows > 100_000)
    }
}

/// The schedule with a feed that does what it says: which addresses are watched, and which of them the filter lets through.
private struct FilterModel {
    enum Event: CaseIterable {
        case oneComes, twoCome, oneGoes, timePasses
        /// The kernel takes no new filter, and gives up the old one.
        case oneComesAndIsRefused
        /// The kernel does neither, so that the feed is replaced.
        case oneComesAndTheFeedIsReplaced
        case feedIsReplaced
    }

    private enum Kernel { case obliging, refusing, stubborn }

    private var schedule = FilterSchedule(few: 2)
    // A bit for each address.
    private var watched: UInt64 = 0
    private var coming = 0
    /// What the filter lets through; nil where there is none.
    private var passing: UInt64?
    private var timers = 0
    private var wasRefused = false

    /// What is wrong, where something is.
    var fault: String? {
        if let passing, watched & ~passing != 0 { return "a watched address is kept back" }
        if timers > 1 { return "two timers run" }
        if passing == nil, timers == 0, coming > 0, !wasRefused { return "the filter is never built" }
        return nil
    }

    /// False where it cannot happen now.
    mutating func happen(_ event: Event) -> Bool {
        switch event {
        case .oneComes: come(1, .obliging)
        case .twoCome: come(2, .obliging)
        case .oneComesAndIsRefused: come(1, .refusing)
        case .oneComesAndTheFeedIsReplaced: come(1, .stubborn)
        case .oneGoes:
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

    private mutating func come(_ count: Int, _ kernel: Kernel) {
        for _ in 0..<count {
            watched |= 1 << coming
            coming += 1
        }
        perform(schedule.watchesWereAdded(total: watched.nonzeroBitCount), kernel)
    }

    /// As the engine does it.
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

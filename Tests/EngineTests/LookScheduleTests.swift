// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

private func milliseconds(_ count: UInt64) -> BootTime { BootTime(nanoseconds: count * 1_000_000) }

@Suite("When to look")
struct LookScheduleTests {
    // MARK: Changes

    @Test func `at the first change at once`() {
        let engine = Looking()
        engine.change()
        #expect(engine.due(at: milliseconds(1)) == ["changes"])
        #expect(engine.due(at: milliseconds(1)) == [])
    }

    @Test func `at the changes that follow closely together, when the window ends`() {
        let engine = Looking()
        engine.look(from: milliseconds(10), to: milliseconds(10))
        engine.change()
        #expect(engine.due(at: milliseconds(11)).filter { $0 == "changes" } == [])
        engine.change()
        #expect(engine.due(at: milliseconds(12)) == ["changes"])
    }

    @Test func `wakes nobody while nothing is due`() {
        let engine = Looking()
        #expect(engine.schedule.next == .distantFuture)
        engine.look(from: milliseconds(10), to: milliseconds(10))
        #expect(engine.due(at: milliseconds(2_000)) == ["again"])
        #expect(engine.due(at: milliseconds(3_000)) == ["again"])
        #expect(engine.schedule.next == .distantFuture)
    }

    @Test(arguments: [(took: 0 as UInt64, window: 2 as UInt64), (1, 3), (20, 60), (10_000, 30_000)])
    func `leaves three quarters of a processor free`(look: (took: UInt64, window: UInt64)) {
        let engine = Looking(again: false)
        let end = milliseconds(1000 + look.took)
        engine.look(from: milliseconds(1000), to: end)
        engine.change()
        #expect(engine.schedule.next == end.advanced(by: .milliseconds(Int64(look.window))))
    }

    /// However long the looks are, and whatever is repeated: three times as long is spent otherwise.
    @Test(arguments: [0.1, 1, 20, 300]) func `leaves three quarters of a processor free, with all repetitions`(
        cost: Double
    ) {
        let engine = Looking()
        let length = Duration.microseconds(Int64(cost * 1000))
        var (now, looking) = (milliseconds(1), Duration.zero)
        let end = now.advanced(by: length * 200)
        while now < end {
            engine.change()
            now = max(now, engine.schedule.next)
            guard let look = engine.schedule.popDue(at: now) else { continue }
            now = now.advanced(by: length)
            looking += length
            engine.schedule.looked(look, hasFoundChange: false, taking: length, until: now)
        }
        #expect(looking * 4 <= now.duration(since: milliseconds(1)) + length * 12)
    }

    /// A program that watches a new target every second for a day.
    @Test func `at once after many looks at new targets, each long over`() {
        let engine = Looking()
        var (now, changes) = (milliseconds(1), PendingChanges())
        changes.add(.route(Prefix(text: "192.0.2.1/32")))
        for _ in 0..<86_400 {
            engine.schedule.lookAgain(at: changes, now: now)
            while let look = engine.schedule.popDue(at: now.advanced(by: .milliseconds(500))) {
                engine.schedule.looked(look, hasFoundChange: false, taking: .milliseconds(1), until: now)
            }
            now = now.advanced(by: .seconds(1))
        }
        engine.change()
        #expect(engine.due(at: now) == ["changes"])
    }

    @Test func `cannot be postponed by a storm that never ends`() {
        let engine = Looking()
        var now = milliseconds(1)
        var lastLook = now
        var longestGap = Duration.zero
        // A change every 50 microseconds for ten seconds; a look takes 100 microseconds.
        while now < milliseconds(10_000) {
            engine.change()
            if engine.due(at: now).contains("changes") {
                let end = now.advanced(by: .microseconds(100))
                engine.look(from: now, to: end)
                longestGap = max(longestGap, end.duration(since: lastLook))
                (lastLook, now) = (end, end)
            }
            now = now.advanced(by: .microseconds(50))
        }
        #expect(longestGap <= LookSchedule.window + .microseconds(250))
    }

    @Test func `at everything, a little later, when the kernel could not be asked`() {
        let engine = Looking()
        engine.schedule.failed(at: milliseconds(10))
        engine.look(from: milliseconds(10), to: milliseconds(10))
        #expect(engine.due(at: milliseconds(109)).filter { $0 == "changes" } == [])
        #expect(engine.due(at: milliseconds(110)) == ["everything"])
    }

    @Test func `at everything at the earliest of the moments that were asked for, and once`() {
        let engine = Looking()
        engine.schedule.rechecks(at: milliseconds(2_000))
        engine.schedule.rechecks(at: milliseconds(1_000))
        engine.schedule.rechecks(at: milliseconds(3_000))
        #expect(engine.schedule.next == milliseconds(1_000))
        #expect(engine.due(at: milliseconds(999)) == [])
        #expect(engine.due(at: milliseconds(1_000)) == ["all"])
        #expect(engine.schedule.next == .distantFuture)
    }

    // MARK: Looking again

    @Test func `at new targets and at what was found once more, also without repetitions`() {
        var changes = PendingChanges()
        changes.add(.route(Prefix(text: "192.0.2.0/24"), isDeleted: true))
        for isNew in [true, false] {
            var schedule = LookSchedule(repetitions: [])
            if isNew {
                schedule.lookAgain(at: changes, now: milliseconds(1))
            } else {
                schedule.looked(.atChanges(changes), hasFoundChange: true, taking: .zero, until: milliseconds(1))
            }
            let look = schedule.popDue(at: milliseconds(1))
            guard case .again(let due, _) = look else {
                Issue.record("nothing is due: \(String(describing: look))"); return
            }
            #expect(due.mayComeAfterAnnouncement)
            schedule.looked(look!, hasFoundChange: false, taking: .zero, until: milliseconds(2))
            #expect(schedule.next == .distantFuture)
        }
    }

    @Test func `at everything again, if everything may have changed`() {
        var (schedule, changes) = (LookSchedule(repetitions: [.milliseconds(1)]), PendingChanges())
        changes.addEverything()
        schedule.looked(.atChanges(changes), hasFoundChange: true, taking: .zero, until: milliseconds(1))
        guard case .again(let again, _) = schedule.popDue(at: milliseconds(2)) else {
            Issue.record("nothing is due"); return
        }
        #expect(again.everything)
    }

    @Test func `at once where nothing was found and a change may be under way`() {
        let engine = Looking()
        var changes = PendingChanges()
        changes.add(.route(Prefix(text: "192.0.2.0/24"), isDeleted: true))
        for (hasFoundChange, due) in [(true, [String]()), (false, ["again"])] {
            let moment = milliseconds(hasFoundChange ? 100 : 1000)
            engine.schedule.looked(
                .atChanges(changes), hasFoundChange: hasFoundChange, taking: .zero, until: moment)
            #expect(engine.due(at: moment) == due)
            #expect(engine.due(at: moment.advanced(by: .milliseconds(1))) == ["again"])
            #expect(engine.due(at: moment.advanced(by: .milliseconds(30))) == ["again"])
        }
    }

    /// The first delay decides when a client hears of a change that the engine's own thread has interrupted. After a long look
    /// it is as long as that.
    @Test(arguments: [(look: 0 as UInt64, first: 1 as UInt64), (8, 8)])
    func `twice again, soon and a little later`(look: UInt64, first: UInt64) {
        let engine = Looking()
        engine.look(from: milliseconds(100), to: milliseconds(100 + look))
        var now = milliseconds(100 + look)
        func due(after duration: UInt64) -> [String] {
            now = now.advanced(by: .milliseconds(Int64(duration)))
            return engine.due(at: now)
        }
        #expect(due(after: first - 1) == [])
        #expect(due(after: 1) == ["again"])
        #expect(due(after: 19) == [])
        #expect(due(after: 1) == ["again"])
        #expect(due(after: 30_000) == [])
    }

    @Test func `again when the first of several looks says, however many follow`() {
        let engine = Looking()
        let first = LookSchedule.standardRepetitions[0]
        let moments = [0, 100, 200].map { milliseconds(100).advanced(by: .microseconds($0)) }
        for moment in moments { engine.look(from: moment, to: moment) }
        #expect(engine.schedule.next == moments[0].advanced(by: first))
    }

    @Test func `again at the changes of several looks together`() {
        let engine = Looking()
        engine.look(from: milliseconds(100), to: milliseconds(100), at: "192.0.2.0/24")
        engine.look(from: milliseconds(100), to: milliseconds(100), at: "198.51.100.0/24")
        var schedule = engine.schedule
        guard case .again(let changes, _) = schedule.popDue(at: milliseconds(101)) else {
            Issue.record("no look is due")
            return
        }
        #expect(changes.prefixes == [Prefix(text: "192.0.2.0/24"), Prefix(text: "198.51.100.0/24")])
    }

    // MARK: Routes that end

    @Test func `when the first of several routes ends`() {
        let engine = Looking()
        for moment in [30, 10, 20] as [UInt64] { engine.schedule.expires(at: milliseconds(moment)) }
        #expect(engine.schedule.next == milliseconds(10))
        #expect(engine.due(at: milliseconds(9)) == [])
        #expect(engine.due(at: milliseconds(10)) == ["expired"])
        // Whoever looks says again what the others' moments are.
        #expect(engine.schedule.next == .distantFuture)
    }

    @Test func `at changes before anything else that is due`() {
        let engine = Looking()
        engine.look(from: milliseconds(10), to: milliseconds(10))
        engine.schedule.expires(at: milliseconds(15))
        engine.change()
        #expect(engine.due(at: milliseconds(20)) == ["changes", "again", "expired"])
    }
}

@Suite("Pending changes")
struct PendingChangesTests {
    @Test func `of routes are kept by prefix, each once`() {
        var changes = PendingChanges()
        #expect(changes.isEmpty)
        for _ in 0..<3 { changes.add(.route(Prefix(text: "192.0.2.0/24"))) }
        changes.add(.route(Prefix(text: "2001:db8::/32")))
        #expect(!changes.everything)
        #expect(changes.prefixes == [Prefix(text: "2001:db8::/32"), Prefix(text: "192.0.2.0/24")])
    }

    @Test(arguments: [Announcement.links, .addresses, .rules, .nextHops, .configuration, .other])
    func `of any other kind concern everything`(announcement: Announcement) {
        var changes = PendingChanges()
        changes.add(.route(Prefix(text: "192.0.2.0/24")))
        changes.add(announcement)
        #expect(changes.everything && changes.prefixes.isEmpty)
        changes.add(.route(Prefix(text: "192.0.2.0/24")))
        #expect(changes.everything && changes.prefixes.isEmpty)
    }

    @Test func `of very many prefixes become everything`() {
        var changes = PendingChanges()
        for number in 0..<UInt32(PendingChanges.prefixLimit) {
            changes.add(.route(Prefix(.v4(IPv4Address(rawValue: number << 8)), length: 24)))
        }
        #expect(!changes.everything)
        changes.add(.route(Prefix(text: "203.0.113.0/24")))
        #expect(changes.everything && changes.prefixes.isEmpty)
    }

    @Test func `are removed together`() {
        var changes = PendingChanges()
        changes.addEverything()
        let (first, second) = (changes.removeAll(), changes.removeAll())
        #expect(first.everything && second.isEmpty && changes.isEmpty)
    }
}

/// What an engine does with a schedule.
private final class Looking {
    var schedule: LookSchedule
    private let again: Bool

    /// - Parameter again: whether looks are repeated.
    init(again: Bool = true) {
        self.again = again
        schedule = LookSchedule(repetitions: LookSchedule.standardRepetitions)
    }

    func change() { schedule.changes.add(.route(Prefix(text: "192.0.2.0/24"))) }

    func look(from start: BootTime, to end: BootTime, at prefix: String = "192.0.2.0/24") {
        var changes = PendingChanges()
        if again { changes.add(.route(Prefix(text: prefix))) }
        schedule.looked(.atChanges(changes), hasFoundChange: true, taking: end.duration(since: start), until: end)
    }

    func due(at now: BootTime) -> [String] {
        var looks: [String] = []
        while let look = schedule.popDue(at: now) {
            switch look {
            case .atChanges(let changes): looks.append(changes.everything ? "everything" : "changes")
            case .again:
                looks.append("again")
                schedule.looked(look, hasFoundChange: false, taking: .zero, until: now)
            case .atExpired: looks.append("expired")
            case .atEverything(let changes): looks.append(changes.links ? "all" : "")
            }
        }
        return looks
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@testable import ReachabilityKit
@testable import ReachabilityRoutes

private func milliseconds(_ count: UInt64) -> BootTime { BootTime(nanoseconds: count * 1_000_000) }

/// One line of a story: what happens at a moment, in milliseconds, and what is taken from the agenda then.
private struct Line: CustomTestStringConvertible {
    enum Event: Sendable {
        case nothing
        /// These are asked for.
        case asked(String)
        /// The kernel announces a new route, or a deleted one.
        case added, deleted
        case failed
        case ends(at: Double)
        case everything(at: Double)
    }

    let moment: Double
    let event: Event
    /// What is due then: its kind, its entries, and what it is known to need.
    let due: [String]

    init(_ moment: Double, _ event: Event, _ due: String...) {
        (self.moment, self.event, self.due) = (moment, event, due)
    }

    var testDescription: String { "\(moment) \(event)" }
}

/// Plays stories. Each entry that is evaluated stays unproved, unless it is written in lower case.
private struct Player {
    var agenda: Agenda<Character>
    /// What the kernel's announcements concern.
    var watched = "A"
    /// How long an evaluation takes, and whether it finds another answer.
    var (cost, finds) = (Duration.zero, false)

    init(_ pace: Pace = .standard) { agenda = Agenda(pace) }

    static func moment(_ milliseconds: Double) -> BootTime {
        BootTime(nanoseconds: 1_000_000_000 + UInt64(milliseconds * 1_000_000))
    }

    mutating func play(_ line: Line) {
        let now = Self.moment(line.moment)
        switch line.event {
        case .nothing: break
        case .asked(let entries): agenda.ask(for: entries, at: now)
        case .added: agenda.announced.add(.route(Prefix(text: "192.0.2.0/24")))
        case .deleted: agenda.announced.add(.route(Prefix(text: "192.0.2.0/24"), isDeleted: true))
        case .failed: agenda.failed(at: now)
        case .ends(let end): agenda.ends(at: Self.moment(end))
        case .everything(let moment): agenda.everything(at: Self.moment(moment))
        }
        var taken: [String] = []
        while var due = agenda.pop(at: now) {
            if case .announced = due.occasion { due.entries = Array(watched) }
            taken.append(Self.text(due))
            agenda.evaluated(
                due, unproved: due.entries.filter(\.isUppercase), hasFoundChange: finds, taking: cost,
                until: now.advanced(by: cost))
        }
        #expect(taken == line.due, "\(line.testDescription)")
    }

    private static func text(_ due: Agenda<Character>.Due) -> String {
        let kind =
            switch due.occasion {
            case .announced(let changes): changes.everything ? "announced everything" : "announced"
            default: "\(due.occasion)"
            }
        return [kind, String(due.entries), due.mayBeUnderWay ? "lock" : ""]
            .filter { !$0.isEmpty }.joined(separator: " ")
    }
}

@Suite("The agenda")
struct AgendaTests {
    private static let stories: [(String, @Sendable (inout Player) -> Void, [Line])] = [
        ("is empty", { _ in }, [Line(0, .nothing), Line(1000, .nothing)]),
        (
            "has what was asked for at once, under the lock soon afterwards, and once more", { _ in },
            [
                Line(0, .asked("Ab"), "asked Ab"), Line(0.24, .nothing), Line(0.25, .nothing, "unproved A lock"),
                Line(20.24, .nothing), Line(20.25, .nothing, "late A"), Line(60_000, .nothing),
            ]
        ),
        (
            "has a change at once, and what it has not proved again", { $0.finds = true },
            [
                Line(0, .added, "announced A"), Line(0.25, .nothing, "unproved A"), Line(20.25, .nothing, "late A"),
                Line(60_000, .nothing),
            ]
        ),
        (
            "asks nobody a third time if the lock has proved it", { $0.watched = "a" },
            [Line(0, .deleted, "announced a lock"), Line(60_000, .nothing)]
        ),
        (
            "has it again at once where nothing was found and a change may be under way", { _ in },
            [Line(0, .deleted, "announced A lock", "unproved A lock"), Line(20, .nothing, "late A")]
        ),
        (
            "has it again a little later where something was found", { $0.finds = true },
            [Line(0, .deleted, "announced A lock"), Line(0.25, .nothing, "unproved A lock")]
        ),
        (
            "leaves the processor to the callbacks for as long as a long evaluation took",
            {
                $0.finds = true; $0.cost = .milliseconds(8)
            },
            [Line(0, .added, "announced A"), Line(15.9, .nothing), Line(16, .nothing, "unproved A")]
        ),
        (
            "has the changes of a window at its end", { $0.finds = true },
            [
                Line(0, .added, "announced A"), Line(1, .added, "unproved A"), Line(1.9, .added),
                Line(2, .nothing, "announced A"),
            ]
        ),
        (
            "has together what joins while it waits", { _ in },
            [
                Line(0, .asked("A"), "asked A"), Line(0.1, .asked("B"), "asked B"),
                Line(0.25, .nothing, "unproved AB lock"), Line(20.25, .nothing, "late AB"),
            ]
        ),
        (
            "has everything a little later when the kernel could not be asked", { _ in },
            [
                Line(0, .failed), Line(99, .nothing),
                Line(100, .nothing, "announced everything A lock", "unproved A lock"),
            ]
        ),
        (
            "has everything at the earliest of the moments, once", { _ in },
            [
                Line(0, .everything(at: 2000)), Line(0, .everything(at: 1000)), Line(0, .everything(at: 3000)),
                Line(999, .nothing), Line(1000, .nothing, "everything"), Line(9000, .nothing),
            ]
        ),
        (
            "has the first of several ends. Whoever evaluates says again what the others' moments are", { _ in },
            [
                Line(0, .ends(at: 30)), Line(0, .ends(at: 10)), Line(0, .ends(at: 20)), Line(9.9, .nothing),
                Line(10, .nothing, "ended"), Line(9000, .nothing),
            ]
        ),
        (
            "has first what has been due for longest",
            { $0.finds = true },
            [
                Line(0, .asked("A"), "asked A"), Line(0, .ends(at: 0.2)), Line(0, .everything(at: 0.3)),
                Line(3, .asked("B"), "ended", "unproved A lock", "everything", "asked B"),
            ]
        ),
        (
            "has no late repetition where there is to be none", { $0 = Player(.withoutLate) },
            [
                Line(0, .asked("A"), "asked A", "unproved A lock"), Line(0, .added, "announced A", "unproved A"),
                Line(60_000, .nothing),
            ]
        ),
    ]

    @Test(arguments: stories.map(\.0)) func story(name: String) throws {
        let story = try #require(Self.stories.first { $0.0 == name })
        var player = Player()
        story.1(&player)
        for line in story.2 { player.play(line) }
    }

    @Test func `lets what was asked for go before what is due for longer`() {
        var player = Player()
        player.agenda.everything(at: Player.moment(0))
        player.agenda.ask(for: "A", at: Player.moment(1))
        #expect(player.agenda.popAsked(at: Player.moment(0.9))?.entries == nil)
        #expect(player.agenda.popAsked(at: Player.moment(1))?.entries == ["A"])
        #expect(player.agenda.popAsked(at: Player.moment(1))?.entries == nil)
        #expect(player.agenda.next == Player.moment(0))
    }

    /// However long evaluations are, and whatever is repeated: three times as long is spent otherwise.
    @Test(arguments: [0.1, 1, 20, 300], [true, false]) func `leaves three quarters of a processor free`(
        cost: Double, finds: Bool
    ) {
        var agenda = Agenda<Character>(.standard)
        let length = Duration.microseconds(Int64(cost * 1000))
        var (now, busy) = (Player.moment(0), Duration.zero)
        let end = now.advanced(by: length * 200)
        while now < end {
            agenda.announced.add(.route(Prefix(text: "192.0.2.0/24"), isDeleted: true))
            now = max(now, agenda.next)
            guard let due = agenda.pop(at: now) else { continue }
            now = now.advanced(by: length)
            busy += length
            agenda.evaluated(due, unproved: ["A"], hasFoundChange: finds, taking: length, until: now)
        }
        #expect(busy * 4 <= now.duration(since: Player.moment(0)) + length * 12)
    }

    /// A program that watches a new target every second for a day.
    @Test func `has a change at once after many new targets`() {
        var player = Player()
        player.cost = .milliseconds(1)
        for second in 0..<86_400 {
            player.agenda.ask(for: "A", at: Player.moment(Double(second) * 1000))
            while let due = player.agenda.pop(at: Player.moment(Double(second) * 1000 + 500)) {
                player.agenda.evaluated(
                    due, unproved: due.entries, hasFoundChange: false, taking: .milliseconds(1),
                    until: Player.moment(Double(second) * 1000))
            }
        }
        player.play(Line(86_400_000, .added, "announced A"))
    }

    /// Neither does a storm put off its own changes, nor what somebody has asked for, nor an end.
    @Test func `is not starved by a storm that never ends`() {
        var agenda = Agenda<Character>(.standard)
        var (now, gaps) = (Player.moment(0), [String: (last: BootTime, longest: Duration)]())
        // A change every 50 microseconds for two seconds; an evaluation takes 100 microseconds of a processor.
        while now < Player.moment(2000) {
            agenda.announced.add(.links)
            agenda.ask(for: "A", at: now)
            agenda.ends(at: now)
            if let due = agenda.pop(at: now) {
                let kind = if case .announced = due.occasion { "announced" } else { "\(due.occasion)" }
                let last = gaps[kind]?.last ?? Player.moment(0)
                gaps[kind] = (now, max(gaps[kind]?.longest ?? .zero, now.duration(since: last)))
                now = now.advanced(by: .microseconds(100))
                agenda.evaluated(
                    due, unproved: ["A"], hasFoundChange: true, taking: .microseconds(100), until: now)
            }
            now = now.advanced(by: .microseconds(50))
        }
        #expect(Set(gaps.keys) == ["announced", "asked", "unproved", "late", "ended"])
        for (kind, gap) in gaps { #expect(gap.longest <= .milliseconds(kind == "late" ? 22 : 4), "\(kind)") }
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

    @Test func `of two kinds are added together`() {
        var (changes, others) = (PendingChanges(), PendingChanges())
        changes.add(.route(Prefix(text: "192.0.2.0/24")))
        others.add(.route(Prefix(text: "192.0.2.0/24")))
        others.add(.route(Prefix(text: "198.51.100.0/24"), isDeleted: true))
        changes.add(others)
        #expect(changes.prefixes == [Prefix(text: "192.0.2.0/24"), Prefix(text: "198.51.100.0/24")])
        #expect(changes.mayComeAfterAnnouncement && !changes.links && !changes.everything)
        #expect(changes.causes == .route)
        others.add(.links)
        changes.add(others)
        #expect(changes.everything && changes.links && changes.prefixes.isEmpty && changes.causes.contains(.link))
    }

    @Test(
        arguments: [
            (.route(Prefix(text: "192.0.2.0/24")), [true, false, false]),
            (.route(.all(.v6)), [false, true, true]), (.route(.all(.v4)), [true, false, true]),
            (.rules, [true, true, true]),
        ] as [(Announcement, [Bool])])
    func `concern the targets whose addresses they are about`(announcement: Announcement, concerned: [Bool]) {
        var changes = PendingChanges()
        let targets = [
            Target(IPAddress(text: "192.0.2.1")), Target(IPAddress(text: "2001:db8::1")), Target.defaultPath,
        ].map { WatchedTarget(target: $0, keys: RoutingKeys()) }
        #expect(!targets.contains(where: changes.concern))
        changes.add(announcement)
        #expect(targets.map(changes.concern) == concerned)
    }

    @Test func `are removed together`() {
        var changes = PendingChanges()
        changes.addEverything()
        let (first, second) = (changes.removeAll(), changes.removeAll())
        #expect(first.everything && second.isEmpty && changes.isEmpty)
    }
}

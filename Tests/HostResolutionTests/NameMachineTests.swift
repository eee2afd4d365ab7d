// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import TestHosts
import Testing

@testable import ReachabilityHostResolution

/// What is decided about lookups, without any server.
@Suite("The machine of lookups")
struct NameMachineTests {
    private let query = NameQuery(host("a.test"))
    private let begin = BootTime(nanoseconds: 1_000_000_000_000)

    private func at(_ seconds: Double) -> BootTime { begin.advanced(by: .seconds(seconds)) }

    private func plan() -> NameMachine.Plan {
        NameMachine.Plan(
            walk: SourceWalk([(.dns, [.success])]), candidates: ["a.test"], families: AddressFamily.allCases)
    }

    private func machine(servers: Int = 1, rotation: Int? = nil) -> NameMachine {
        var machine = NameMachine()
        machine.use(.init(servers: servers, rounds: 20, timeout: .seconds(1)), rotation: rotation)
        return machine
    }

    private func query(_ number: Int) -> NameQuery { NameQuery(host("n\(number).test")) }

    /// Adds this many lookups, each of its own name.
    private func fill(_ machine: inout NameMachine, _ count: Int, now: BootTime) {
        for number in 0..<count {
            machine.add(UInt64(number), for: query(number), plan(), deadline: at(30), now: now)
        }
    }

    private func ended(_ machine: inout NameMachine) -> [FamilyOutcome] {
        machine.takeActions().compactMap { if case .finish(_, _, let found) = $0 { found.v4 } else { nil } }
    }

    @Test func `a deadline begins anew once when the questions do`() {
        var machine = machine()
        machine.add(1, for: query, plan(), deadline: at(5), now: at(0))
        machine.restart(query, plan(), now: at(4.9))
        machine.advance(to: at(5))
        #expect(ended(&machine) == [])
        // Not a second time.
        machine.restart(query, plan(), now: at(9))
        machine.advance(to: at(9.8))
        #expect(ended(&machine) == [])
        machine.advance(to: at(9.9))
        #expect(ended(&machine) == [.deadlinePassed])
        #expect(machine.isIdle)
        #expect(machine.nextMoment == nil)
    }

    @Test func `more questions than the window wait, and go out while no answer comes`() {
        var machine = machine()
        fill(&machine, 100, now: at(0))
        #expect(machine.openCount == 128)
        machine.advance(to: at(0.1))
        #expect(machine.openCount == 200)
    }

    @Test func `while answers come the window stays, and each answer makes room`() {
        var machine = machine()
        fill(&machine, 100, now: at(0))
        let asked = machine.takeActions().compactMap { action in
            if case .ask(let attempt, _) = action { attempt } else { nil }
        }
        machine.record(asked[0].ticket, attempt: 0, .noData, now: at(0.05))
        #expect(machine.openCount == 128)
        machine.advance(to: at(0.1))
        #expect(machine.openCount == 128)
    }

    @Test func `new servers begin with an empty window of the first size`() {
        var machine = machine()
        fill(&machine, 100, now: at(0))
        machine.advance(to: at(0.1))
        machine.use(.init(servers: 1, rounds: 20, timeout: .seconds(1)), rotation: nil)
        #expect(machine.openCount == 0)
        for number in 0..<100 { machine.restart(query(number), plan(), now: at(0.2)) }
        #expect(machine.openCount == 128)
    }

    @Test func `the window grows also after the lookups that it was full of were given up`() {
        var machine = machine()
        for time in [0.0, 1.0] {
            fill(&machine, 100, now: at(time))
            #expect(machine.openCount == 128)
            if time == 0 { for number in 0..<100 { machine.leave(UInt64(number), missing: .cancelled) } }
        }
        machine.advance(to: at(1.1))
        #expect(machine.openCount == 200)
    }

    @Test func `what an earlier source knows is told where a later one is silent`() {
        let known = Finding([v4("192.0.2.1")], for: query, .hostsFile)
        let walk = SourceWalk([(.found(known), []), (.dns, [.success])])
        #expect(walk.finding(Finding(.deadlinePassed, .dns)).v4 == known.v4)
        #expect(walk.finding().v4 == known.v4)
    }

    @Test func `a server that is silent or fails is unavailable`() {
        #expect(Finding(.failed(.timeout), .dns).status == .unavailable)
        #expect(Finding(.failed(AresStatus(code: 3)), .dns).status == .unavailable)
        #expect(Finding(.deadlinePassed, .dns).status == .tryAgain)
    }

    @Test func `nothing stays of waits that have ended, also where one goes on`() {
        var machine = machine()
        machine.add(0, for: query, plan(), deadline: .distantFuture, now: at(0))
        for number in 1...10_000 as ClosedRange<UInt64> {
            machine.add(number, for: query, plan(), deadline: at(3600), now: at(0))
            machine.leave(number, missing: .cancelled)
        }
        #expect(machine.eventCount < 100)
        #expect(!machine.isIdle)
    }

    @Test func `servers are asked in turn from the given one, one for both families`() {
        var machine = machine(servers: 3, rotation: 2)
        fill(&machine, 2, now: at(0))
        let servers = machine.takeActions().compactMap { if case .ask(_, let server) = $0 { server } else { nil } }
        #expect(servers == [2, 2, 0, 0])
    }

    @Test func `an answer after the last waiter has gone changes nothing`() {
        var machine = machine()
        machine.add(1, for: query, plan(), deadline: at(5), now: at(0))
        machine.leave(1, missing: .cancelled)
        _ = machine.takeActions()
        machine.add(2, for: query, plan(), deadline: at(5), now: at(1))
        machine.record(1, attempt: 0, .noSuchName, now: at(1))
        machine.record(2, attempt: 0, .noSuchName, now: at(1))
        #expect(ended(&machine) == [])
        machine.record(3, attempt: 0, .noSuchName, now: at(1))
        machine.record(4, attempt: 0, .noSuchName, now: at(1))
        #expect(ended(&machine) == [.noSuchName])
    }

    @Test func `a module that says nothing of the name leaves it to the next source`() {
        var machine = machine()
        let walk = SourceWalk([(.module("testing"), [.success]), (.dns, [.success])])
        machine.add(
            1, for: query, .init(walk: walk, candidates: ["a.test"], families: [.v4]), deadline: at(5), now: at(0))
        guard case .askModule(let ticket, "testing", query, until: at(2.5))? = machine.takeActions().first else {
            Issue.record("no module was asked")
            return
        }
        machine.record(ticket, .unavailable, now: at(1))
        #expect(machine.openCount == 1)
        machine.advance(to: at(5))
        #expect(ended(&machine) == [.deadlinePassed])
    }
}

/// A module of the C library that hangs, or cannot be asked.
@Suite("The machine of lookups, and modules")
struct HangingModuleTests {
    private typealias Step = (step: SourceWalk.Step, ends: Set<NameSources.Status>)

    private let query = NameQuery(host("a.test"))
    private let begin = BootTime(nanoseconds: 1_000_000_000_000)
    private let dns: Step = (.dns, [.success])
    private let slow: Step = (.module("slow"), [.success, .tryAgain])

    private func at(_ seconds: Double) -> BootTime { begin.advanced(by: .seconds(seconds)) }

    /// Looks the name up by these sources, with five seconds to answer.
    private func machine(_ steps: [Step]) -> NameMachine {
        var machine = NameMachine()
        machine.use(.init(servers: 1, rounds: 20, timeout: .seconds(1)), rotation: nil)
        add(1, deadline: at(5), to: &machine, steps)
        return machine
    }

    private func add(_ waiter: UInt64, deadline: BootTime, to machine: inout NameMachine, _ steps: [Step] = []) {
        let plan = NameMachine.Plan(walk: SourceWalk(steps), candidates: ["a.test"], families: [.v4])
        machine.add(waiter, for: query, plan, deadline: deadline, now: at(0))
    }

    /// What has been decided since the last call, in words.
    private func decided(_ machine: inout NameMachine) -> [String] {
        machine.takeActions().map { action in
            switch action {
            case .ask: "DNS"
            case .askModule(let ticket, let module, _, _): "\(module) \(ticket)"
            case .finish(let waiters, _, let finding): "\(waiters) \(finding.v4)"
            case .report, .check: "\(action)"
            }
        }
    }

    @Test func `has half of the time, and then the next source is asked, as if it were unavailable`() {
        var machine = machine([slow, dns])
        #expect(decided(&machine) == ["slow 1"])
        machine.advance(to: at(2.4))
        #expect(decided(&machine) == [])
        machine.advance(to: at(2.5))
        #expect(decided(&machine) == ["DNS"])
        // What it says now is too late.
        machine.record(1, Finding(.noSuchName, .module("slow")), now: at(2.6))
        #expect(decided(&machine) == [])
        machine.record(2, attempt: 0, .addresses([TimedAddress(v4("192.0.2.1"), timeToLive: 5)]), now: at(2.7))
        #expect(decided(&machine).count == 1)
        #expect(machine.isIdle)
    }

    @Test func `leaves half of the rest to the next`() {
        var machine = machine([slow, (.module("other"), [.success]), dns])
        machine.advance(to: at(2.5))
        #expect(decided(&machine) == ["slow 1", "other 2"])
        machine.advance(to: at(3.7))
        #expect(decided(&machine) == [])
        machine.advance(to: at(3.75))
        #expect(decided(&machine) == ["DNS"])
    }

    @Test func `leaves the name unknown, where the next source does not know it`() {
        var machine = machine([slow, dns])
        machine.advance(to: at(2.5))
        machine.record(2, attempt: 0, .noSuchName, now: at(2.6))
        #expect(decided(&machine).last == "[1] deadlinePassed")
    }

    @Test(arguments: [false, true]) func `has all the time where no source would follow`(isLast: Bool) {
        let ending: Step = (.module("slow"), [.success, .unavailable])
        var machine = machine(isLast ? [slow] : [ending, dns])
        machine.advance(to: at(4.9))
        #expect(decided(&machine) == ["slow 1"])
        machine.advance(to: at(5))
        #expect(decided(&machine) == ["[1] deadlinePassed"])
    }

    @Test func `has the half of the one who waits longest`() {
        var machine = machine([slow, (.module("other"), [.success]), dns])
        add(2, deadline: at(1), to: &machine)
        add(3, deadline: at(9), to: &machine)
        machine.advance(to: at(2.4))
        #expect(decided(&machine) == ["slow 1", "[2] deadlinePassed"])
        machine.advance(to: at(2.5))
        machine.advance(to: at(5.7))
        #expect(decided(&machine) == ["other 2", "[1] deadlinePassed"])
        machine.advance(to: at(5.75))
        #expect(decided(&machine) == ["DNS"])
    }

    @Test func `ends the lookup with an error if it cannot be asked, unless addresses are known`() {
        var machine = machine([slow, dns])
        machine.refuse(1, .wouldBlock)
        #expect(decided(&machine) == ["slow 1", "[1] couldNotAsk(\(Errno.wouldBlock))"])
        #expect(machine.isIdle)
        let known = Finding([v4("192.0.2.1")], for: query, .hostsFile)
        add(1, deadline: at(5), to: &machine, [(.found(known), []), slow, dns])
        machine.refuse(2, .wouldBlock)
        #expect(decided(&machine) == ["slow 2", "[1] \(known.v4)"])
    }
}

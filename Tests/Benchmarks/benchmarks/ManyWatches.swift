// SPDX-License-Identifier: Apache-2.0

import CLimits
import Dispatch
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology

/// Many addresses with callbacks on one queue. Each callback counts as an arrival.
final class ManyWatches {
    let topology: Machine
    private let references: [ReachabilityRef]

    /// - Parameter inside: how many of them lie in 192.0.2.0/24; the rest are scattered.
    init(_ count: Int, inside: Int = 0) throws {
        let topology = try Machine.office()
        let queue = DispatchQueue(label: "callbacks")
        references = try topology.run {
            let near = (0..<inside).map { IPAddress.v4(IPv4Address(rawValue: 0xC000_0200 + UInt32($0))) }
            let far = (0..<count - inside).map { IPAddress.v4(IPv4Address(rawValue: 0x1400_0001 + UInt32($0) * 167)) }
            return try (near + far).map { address in
                let reference = try ReachabilityRef(target: Target(address), options: .init())
                reference.setCallback { _ in limits_arrived() }
                try reference.setDispatchQueue(queue)
                return reference
            }
        }
        self.topology = topology
        // Until all were looked up.
        while statistics.evaluations < count { pause(milliseconds: 50) }
        pause(milliseconds: 500)
    }

    deinit {
        for reference in references { try? reference.setDispatchQueue(nil) }
    }

    /// Waits until the last change has been looked at for the last time, which is a second after the time before. Then nothing
    /// delays the next look, or takes the processor from another program.
    func waitForQuiet() {
        var last = -1
        while statistics.evaluationPasses != last {
            last = statistics.evaluationPasses
            pause(milliseconds: 1500)
        }
    }

    var statistics: ReachabilityStatistics { references[0].statistics }
}

/// A route to 200 watched addresses changes, while very many others are watched, and while few are.
func measureScope(_ stage: Stage) throws -> [Row] {
    let (many, few) = (try ManyWatches(100_000, inside: 200), try ManyWatches(1_000, inside: 200))
    let clocks = (many: try ChangeClock(in: many.topology), few: try ChangeClock(in: few.topology))
    var isThere = false
    func flip(_ clock: ChangeClock) throws -> Double {
        pause(milliseconds: 20)
        return try clock.time(
            isThere ? .route(.delete, "192.0.2.0/24") : .route(.add, "192.0.2.0/24", kind: .blackhole), until: 200)
    }
    let result = try inTurns(101) {
        try flip(clocks.many)
    } against: {
        defer { isThere.toggle() }
        return try flip(clocks.few)
    }
    return [
        Row(
            "a /24 with 200 watched changes, beside 100,000; limit: beside 1,000", .microseconds, result, per: 1000,
            ratio: 1.2)
    ]
}

/// The link of 10,000 watched addresses goes down. The limit is a thread that then makes as many lookups, in batches.
func measureLinkDown(_ stage: Stage) throws -> [Row] {
    let count = 10_000
    let watches = try ManyWatches(count)
    // The same network again, without this package.
    let bare = try Machine.office()
    let ours = try LinkSwitch(watches.topology)
    let limit = try LinkSwitch(bare)
    var looks = 0
    let result = try inTurns(9) {
        let before = watches.statistics
        let time = try ours.timeDown(until: Int32(count))
        looks += watches.statistics.evaluationPasses - before.evaluationPasses
        try ours.bringUp()
        // All must be told that the link is back before it goes down again.
        while watches.statistics.deliveries < before.deliveries + 2 * count { pause(milliseconds: 10) }
        watches.waitForQuiet()
        return time
    } against: {
        try bare.run { try checked(limits_start_listener(-1, Int32(count))) }
        defer { limits_stop_listener() }
        let time = try limit.timeDown(until: 1)
        try limit.bringUp()
        return time
    }
    return [
        // The C program calls nobody.
        Row("link down, each of 10,000 watched addresses", .nanoseconds, result, per: Double(count), ratio: 2.5),
        Row(name: "looks in one such loss", unit: .count, ours: Double(looks) / 9),
    ]
}

/// Takes eth0 down and brings it up again.
private struct LinkSwitch {
    let topology: Machine
    let clock: ChangeClock
    let index: InterfaceIndex

    init(_ topology: Machine) throws {
        self.topology = topology
        clock = try ChangeClock(in: topology)
        index = try topology.index(of: "eth0")
    }

    func timeDown(until arrivals: Int32) throws -> Double {
        try clock.time(.link(index, up: false), until: arrivals)
    }

    func bringUp() throws {
        try topology.ip(
            """
            link set eth0 up
            route add default via 10.0.0.2
            """)
        try topology.waitForLink("eth0", .up)
    }
}

/// 200,000 changes of routes that concern no watched target. Returns the nanoseconds of an addition and a deletion.
private func storm() throws -> Double {
    try checked(limits_change_routes(1, 0xC612_0000, 32, 100_000, 0))
        + checked(limits_change_routes(0, 0xC612_0000, 32, 100_000, 0))
}

/// The same beside more addresses than the filter takes, so that each announcement is read.
func measureStormBesideMany(_ stage: Stage) throws -> [Row] {
    let watches = try ManyWatches(10_000)
    watches.waitForQuiet()
    let (before, time) = (watches.statistics, ProcessState.processorTime(of: "reachability"))
    _ = try watches.topology.run { try storm() }
    watches.waitForQuiet()
    let after = watches.statistics
    let spent = Double(ProcessState.processorTime(of: "reachability") - time)
    let events = after.events - before.events
    return [
        Row(
            name: "overruns by 200,000 other route changes beside 10,000 watches", unit: .count,
            ours: Double(after.overruns - before.overruns), target: .most(0)),
        Row(name: "announcements read in them, beside 10,000", unit: .count, ours: Double(events)),
        Row(
            name: "looks at targets in them, beside 10,000", unit: .count,
            ours: Double(after.evaluations - before.evaluations), target: .most(0)),
        Row(name: "processor time for one of these announcements", unit: .nanoseconds, ours: spent / Double(events)),
    ]
}

/// 200,000 changes of other routes beside 100 watched addresses.
func measureStorm(_ stage: Stage) throws -> [Row] {
    let watches = try ManyWatches(100)
    let bare = try Machine.office()
    let before = watches.statistics
    let switches = ProcessState.wakeUps(of: "reachability")
    let batches = 5
    let result = try inTurns(batches) {
        try watches.topology.run { try storm() }
    } against: {
        try bare.run { try storm() }
    }
    let after = watches.statistics
    let wakeUps = Double(ProcessState.wakeUps(of: "reachability") - switches) / Double(batches)
    return [
        Row(name: "wake-ups by 200,000 other route changes", unit: .count, ours: wakeUps, target: .most(10)),
        Row(
            name: "announcements read in them", unit: .count,
            ours: Double(after.events - before.events) / Double(batches)),
        Row("one of these changes, for who makes it; limit: without us", .nanoseconds, result, per: 2, ratio: 1.1),
    ]
}

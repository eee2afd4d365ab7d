// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import Synchronization
import TestTopology

/// Counts the changes that are not told without repeated looks, and with some of them. Each change is waited for, so that nothing
/// else is announced meanwhile.
final class Repetitions {
    enum Way: String, CaseIterable {
        /// Beside nothing else.
        case plain
        /// In a namespace with a million other routes, which go and come with their link.
        case million
        /// Beside eight busy threads.
        case crowd
    }

    private let way: Way
    private let pace: Pace
    private let topology: Machine
    private let changer: Changer
    private let link: InterfaceIndex
    private let queue = DispatchQueue(label: "callbacks")
    private let watched: [Watched]
    private var (changes, untold) = (0, 0)

    private final class Watched: Sendable {
        let reference: ReachabilityRef
        private let last: ConditionLock<ReachabilityFlags>

        init(_ reference: ReachabilityRef) throws {
            self.reference = reference
            last = ConditionLock(try reference.getFlags())
        }

        func begin(on queue: DispatchQueue) throws {
            reference.setCallback { [self] flags in
                last.withLock { $0 = flags }
                last.broadcast()
            }
            try reference.setDispatchQueue(queue)
        }

        /// Waits until these are told, which happens at once or never. Returns whether they were.
        func waits(for isReachable: Bool) -> Bool {
            last.wait(atMost: .seconds(5)) { $0.isReachable != isReachable }
            return last.withLock { $0.isReachable == isReachable }
        }
    }

    /// Threads that are busy until the end.
    private final class Crowd: Sendable {
        private let isOver = Atomic(false)

        init(of count: Int) throws {
            for number in 0..<count {
                try Thread.start(name: "busy \(number)", stackBytes: 256 << 10) { [self] in
                    while !isOver.load(ordering: .relaxed) {}
                }.detach()
            }
        }

        func end() { isOver.store(true, ordering: .relaxed) }
    }

    init(_ way: Way, _ pace: Pace) throws {
        (self.way, self.pace) = (way, pace)
        topology = try Machine()
        try topology.wire("eth0", address: "10.0.0.1/24", "2001:db8::1/64")
        try topology.ip("route add default via 10.0.0.254")
        (changer, link) = (try Changer(in: topology), try topology.index(of: "eth0"))
        watched = try topology.run {
            try ["192.0.2.1", "2001:db8:7::1", "10.0.0.7"].map { try Watched(ReachabilityRef(address: $0)) }
        }
        watched[0].reference.namespace.sharedEngine.pace.withLock { $0 = pace }
        for watch in watched { try watch.begin(on: queue) }
    }

    /// Prints a row of a table.
    func run(seconds: Int) throws {
        if way == .million { try addMillion() }
        let crowd = try Crowd(of: way == .crowd ? 8 : 0)
        defer { crowd.end() }
        let (v4, v6) = ("192.0.2.1/32", "2001:db8:7::1/128")
        let end = SystemTime().now().advanced(by: .seconds(seconds))
        var round = 0
        while SystemTime().now() < end {
            round += 1
            try change(.route(.add, v4, kind: .unreachable), 0, isReachable: false)
            try change(.route(.delete, v4), 0, isReachable: true)
            try change(.route(.add, v6, via: "2001:db8::2", through: link), 1, isReachable: true)
            try change(.route(.delete, v6), 1, isReachable: false)
            // With a million routes this takes seconds.
            guard round % (way == .million ? 1000 : 4) == 0 else { continue }
            try change(.link(link, up: false), 2, isReachable: false)
            try change(.link(link, up: true), 2, isReachable: true)
            try topology.waitForLink("eth0", .up)
            // IPv4 routes through a gateway go with the link, and IPv6 addresses too.
            try changer.apply(.route(.replace, "0.0.0.0/0", via: "10.0.0.254"))
            try changer.apply(.address(.replace, "2001:db8::1/64", of: link))
            try topology.waitForOwn(["2001:db8::1/64"])
            _ = watched[0].waits(for: true)
            if way == .million { try addMillion() }
        }
        let words = pace.late.map { "after \(pace.unproved) and \($0)" } ?? "at once"
        say("| \(way.rawValue) | \(words) | \(seconds) s | \(changes) | \(untold) |")
        for watch in watched { try watch.reference.setDispatchQueue(nil) }
    }

    private func change(_ change: ReachabilityTestMachines.Change, _ number: Int, isReachable: Bool) throws {
        try changer.apply(change)
        changes += 1
        guard !watched[number].waits(for: isReachable) else { return }
        untold += 1
        // The next change needs the state that this one should have led to.
        watched[number].reference.recheck()
        guard watched[number].waits(for: isReachable) else { throw WaitTimeout("change \(changes)", after: 10) }
    }

    private func addMillion() throws {
        for number in 0..<1_000_000 {
            let address = "11.\(number >> 16).\(number >> 8 & 255).\(number & 255)/32"
            try changer.apply(.route(.add, address, via: "10.0.0.254"))
        }
    }
}

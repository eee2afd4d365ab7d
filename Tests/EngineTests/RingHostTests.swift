// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LinuxSystem
import NetworkFacts
import Synchronization
import TestHosts
import TestTopology
import TestWaiting
import Testing

@testable import Netlink
@testable import ReachabilityKit

/// What the engine's thread does for io_uring's check of freshness, and when.
@Suite("The engine as host of io_uring", .timeLimit(.minutes(10)), .needs(.namespaces, .ring))
struct RingHostTests {
    /// Far more than it takes to be armed.
    private static let many = 1000

    private static func ask(_ reference: ReachabilityRef, _ times: Int = many) throws {
        for _ in 0..<times { #expect(try reference.getFlags() == []) }
    }

    /// Waits until the engine has done what it was asked for.
    private static func waitForEngine(of network: WatchedNetwork) throws {
        let done = DispatchSemaphore(value: 0)
        try network.engine().loop.enqueue { done.signal() }
        try done.wait(for: "the engine")
        network.releaseEngine()
    }

    @Test func `arms it when much is asked while something is watched, and once after each change`() throws {
        let network = try WatchedNetwork()
        let reference = try network.reference("192.0.2.1")
        let changer = try Changer(in: network.topology)
        let ringIdleCheck = try reference.namespace.kernel().routingGeneration.ringIdleCheck
        #expect(reference.statistics.armings == 0)
        for round in 1...5 {
            try Self.ask(reference)
            try Self.waitForEngine(of: network)
            #expect(reference.statistics.armings == round)
            #expect(ringIdleCheck.isIdle)
            try Self.ask(reference)
            try Self.waitForEngine(of: network)
            #expect(reference.statistics.armings == round, "armed without need")
            // Of no interest to the engine, which sleeps on; but it decides about kept answers.
            try changer.apply(.route(round % 2 == 1 ? .add : .delete, "203.0.113.0/24", kind: .blackhole))
            #expect(!ringIdleCheck.isIdle)
        }
        try network.end()
    }

    #if DEBUG
        @Test func `has it prove each answer then`() throws {
            let network = try WatchedNetwork()
            let reference = try network.reference("192.0.2.1")
            let ringIdleCheck = try reference.namespace.kernel().routingGeneration.ringIdleCheck
            try Self.ask(reference)
            try Self.waitForEngine(of: network)
            let before = ringIdleCheck.answerCount
            try Self.ask(reference)
            #expect(ringIdleCheck.answerCount == before + Self.many)
            try network.end()
        }
    #endif

    @Test func `makes no ring where nothing is watched, or little is asked`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Topology()
            let alone = try topology.reference("192.0.2.1")
            try alone.fillInquirerPool()
            try Self.ask(alone)
            let descriptors = ProcessState.descriptors
            try Self.ask(alone, 10 * Self.many)
            #expect(ProcessState.descriptors == descriptors)
            #expect(alone.statistics.armings == 0)

            let network = try WatchedNetwork()
            try Self.ask(network.reference("192.0.2.1"), 50)
            try Self.waitForEngine(of: network)
            #expect(try network.reference("192.0.2.1").statistics.armings == 0)
            try network.end()
        }
    }

    @Test func `is not woken by changes that trip it, for as long as nobody asks`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork()
            let reference = try network.reference("192.0.2.1")
            try Self.ask(reference)
            try Self.waitForEngine(of: network)
            let changer = try Changer(in: network.topology)
            let ringIdleCheck = try reference.namespace.kernel().routingGeneration.ringIdleCheck
            #expect(ringIdleCheck.isIdle)
            let before = ProcessState.wakeUps(of: "reachability")
            for round in 0..<1000 {
                try changer.apply(.route(round % 2 == 0 ? .add : .delete, "203.0.113.0/24", kind: .blackhole))
                #expect(!ringIdleCheck.isIdle)
            }
            // Watched addresses are looked at again some time after they were first (`DelayedRecheck`), perhaps just now; and
            // under a sanitizer the thread waits for locks of that. A thousand would be one for each.
            #expect(ProcessState.wakeUps(of: "reachability") <= before + (Sanitizer.isOn ? 100 : 5))
            #expect(reference.statistics.armings == 1)
            try network.end()
        }
    }

    @Test func `takes the rings along when it ends, while others ask, and the next one has its own`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Topology()
            try topology.wire("eth0", address: "10.0.0.1/24")
            let eth0 = try topology.index(of: "eth0")
            let watched = try topology.reference("192.0.2.1")
            let asked = try topology.reference("192.0.2.2")
            let changer = try Changer(in: topology)
            let queue = DispatchQueue(label: "callbacks")
            let ringIdleCheck = try asked.namespace.kernel().routingGeneration.ringIdleCheck
            ringIdleCheck.patience.store(1, ordering: .relaxed)
            try asked.fillInquirerPool()
            let others = Askers(asked, count: 3)
            var armings = 0
            func cycle() throws {
                try watched.setDispatchQueue(queue)
                for _ in 0..<2 {
                    try changer.apply(.route(.add, "192.0.2.2/32", via: "10.0.0.254", through: eth0))
                    #expect(try asked.getFlags() != [])
                    try changer.apply(.route(.delete, "192.0.2.2/32"))
                    #expect(try asked.getFlags() == [])
                }
                try ProcessState.wait("the tripwire is armed") {
                    _ = try asked.getFlags()
                    return ringIdleCheck.armingCount > armings
                }
                armings = ringIdleCheck.armingCount
                try watched.setDispatchQueue(nil)
                try ProcessState.waitUntilEnginesAreGone()
                #expect(!ringIdleCheck.isIdle)
            }
            try cycle()
            let descriptors = ProcessState.descriptors
            for _ in 0..<25 { try cycle() }
            try others.end()
            try ProcessState.wait("the descriptors are closed") { ProcessState.descriptors <= descriptors }
        }
    }

    #if DEBUG
        @Test func `goes on with epoll where io_uring is refused, and says so`() async {
            await #expect(processExitsWith: .success) {
                FaultInjection.fail(.ringOpen, with: .notPermitted, times: .max)
                let network = try WatchedNetwork()
                let reference = try network.reference("192.0.2.1")
                for _ in 0..<5 {
                    try Self.ask(reference)
                    try Self.waitForEngine(of: network)
                    try network.topology.ip("route add local 192.0.2.1 dev lo")
                    #expect(try reference.getFlags() != [])
                    try network.topology.ip("route del local 192.0.2.1 dev lo")
                }
                #expect(reference.statistics.armings == 0)
                try network.end()
            }
        }
    #endif
}

/// Threads that ask all the time, whatever the answer is.
private final class Askers: Sendable {
    private let isDone = Atomic(false)
    private let threads = Mutex<[TestThread]>([])

    init(_ reference: ReachabilityRef, count: Int) {
        let started = (0..<count).compactMap { _ in
            try? TestThread("asker") { [self] in
                while !isDone.load(ordering: .relaxed) { _ = try? reference.getFlags() }
            }
        }
        threads.withLock { $0 = started }
    }

    func end() throws {
        isDone.store(true, ordering: .relaxed)
        for thread in threads.withLock({ $0 }) { try thread.join() }
    }
}

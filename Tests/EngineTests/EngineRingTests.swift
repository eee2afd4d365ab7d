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

/// When the engine's thread arms the io_uring that proves kept answers.
@Suite("The engine's io_uring", .timeLimit(.minutes(10)), .needs(.namespaces, .ring))
struct EngineRingTests {
    /// Far more questions than it takes to have it armed.
    private static let many = 1000

    private static func ask(_ reference: ReachabilityRef, _ times: Int = many) throws {
        for _ in 0..<times { #expect(try reference.getFlags() == []) }
    }

    private static func ringIdleCheck(of reference: ReachabilityRef) throws -> RingIdleCheck {
        let kernel = try reference.namespace.source().requireNetlink()
        return try #require(kernel.routingGeneration.idleCheck.fast as? RingIdleCheck)
    }

    /// Waits until the engine has done all enqueued work.
    private static func waitForEngine(of network: WatchedNetwork) throws {
        let done = DispatchSemaphore(value: 0)
        try network.engine().loop.enqueue { done.signal() }
        try done.wait(for: "the engine")
        network.releaseEngine()
    }

    @Test func `is armed when much is asked while something is watched, and once after each change`() throws {
        let network = try WatchedNetwork()
        let reference = try network.reference("192.0.2.1")
        let changer = try Changer(in: network.topology)
        let ringIdleCheck = try Self.ringIdleCheck(of: reference)
        #expect(reference.statistics.ringPollsArmed == 0)
        for round in 1...5 {
            try Self.ask(reference)
            try Self.waitForEngine(of: network)
            #expect(reference.statistics.ringPollsArmed == round)
            #expect(ringIdleCheck.isIdle)
            try Self.ask(reference)
            try Self.waitForEngine(of: network)
            #expect(reference.statistics.ringPollsArmed == round, "armed without need")
            // The engine is not woken by this, but kept answers depend on it.
            try changer.apply(.route(round % 2 == 1 ? .add : .delete, "203.0.113.0/24", kind: .blackhole))
            #expect(!ringIdleCheck.isIdle)
        }
        try network.end()
    }

    #if DEBUG
        @Test func `proves each answer then`() throws {
            let network = try WatchedNetwork()
            let reference = try network.reference("192.0.2.1")
            let ringIdleCheck = try Self.ringIdleCheck(of: reference)
            try Self.ask(reference)
            try Self.waitForEngine(of: network)
            let before = ringIdleCheck.proofCount
            try Self.ask(reference)
            #expect(ringIdleCheck.proofCount == before + Self.many)
            try network.end()
        }
    #endif

    @Test func `is not made if nothing is watched or little is asked`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Topology()
            let alone = try topology.reference("192.0.2.1")
            try alone.fillRouteClientPool()
            try Self.ask(alone)
            let descriptors = ProcessState.descriptors
            try Self.ask(alone, 10 * Self.many)
            #expect(ProcessState.descriptors == descriptors)
            #expect(alone.statistics.ringPollsArmed == 0)

            let network = try WatchedNetwork()
            try Self.ask(network.reference("192.0.2.1"), 50)
            try Self.waitForEngine(of: network)
            #expect(try network.reference("192.0.2.1").statistics.ringPollsArmed == 0)
            try network.end()
        }
    }

    @Test func `does not wake the engine at changes while nothing is asked`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork()
            let reference = try network.reference("192.0.2.1")
            try Self.ask(reference)
            try Self.waitForEngine(of: network)
            let changer = try Changer(in: network.topology)
            let ringIdleCheck = try Self.ringIdleCheck(of: reference)
            #expect(ringIdleCheck.isIdle)
            let before = ProcessState.wakeUps(of: "reachability")
            for round in 0..<1000 {
                try changer.apply(.route(round % 2 == 0 ? .add : .delete, "203.0.113.0/24", kind: .blackhole))
                #expect(!ringIdleCheck.isIdle)
            }
            // A delayed recheck (`DelayedRecheck`) may wake the engine meanwhile, and under a sanitizer the thread waits for
            // the sanitizer's locks. One wake-up for each change would be a thousand.
            #expect(ProcessState.wakeUps(of: "reachability") <= before + (Sanitizer.isOn ? 100 : 5))
            #expect(reference.statistics.ringPollsArmed == 1)
            try network.end()
        }
    }

    @Test func `ends with the engine, while others ask, and the next engine has its own`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Topology()
            try topology.wire("eth0", address: "10.0.0.1/24")
            let eth0 = try topology.index(of: "eth0")
            let watched = try topology.reference("192.0.2.1")
            let asked = try topology.reference("192.0.2.2")
            let changer = try Changer(in: topology)
            let queue = DispatchQueue(label: "callbacks")
            let ringIdleCheck = try Self.ringIdleCheck(of: asked)
            ringIdleCheck.missThreshold.store(1, ordering: .relaxed)
            try asked.fillRouteClientPool()
            let others = Askers(asked, count: 3)
            var armedBefore = 0
            func cycle() throws {
                try watched.setDispatchQueue(queue)
                for _ in 0..<2 {
                    try changer.apply(.route(.add, "192.0.2.2/32", via: "10.0.0.254", through: eth0))
                    #expect(try asked.getFlags() != [])
                    try changer.apply(.route(.delete, "192.0.2.2/32"))
                    #expect(try asked.getFlags() == [])
                }
                try ProcessState.wait("the ring is armed") {
                    _ = try asked.getFlags()
                    return ringIdleCheck.armingCount > armedBefore
                }
                armedBefore = ringIdleCheck.armingCount
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
        @Test func `is replaced by epoll where io_uring is refused, and the statistics say so`() async {
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
                #expect(reference.statistics.ringPollsArmed == 0)
                try network.end()
            }
        }
    #endif
}

/// Threads that ask all the time.
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

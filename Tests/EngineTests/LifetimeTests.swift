// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("A scheduled reference", .timeLimit(.minutes(10)), .needs(.namespaces))
struct LifetimeTests {
    private final class Witness: Sendable {}

    @Test func `stays alive until it is unscheduled, and then goes with what its callback holds`() throws {
        let network = try WatchedNetwork()
        weak var reference: ReachabilityRef?
        weak var witness: Witness?
        do {
            let kept = Witness()
            let made = try network.reference("192.0.2.1")
            (reference, witness) = (made, kept)
            let recorder = network.recorder
            made.setCallback { flags in
                withExtendedLifetime(kept) { recorder.record(flags) }
            }
            try made.setDispatchQueue(recorder.queue)
        }
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        try network.topology.ip("route add default via 10.0.0.254")
        #expect(try network.recorder.next() == .reachable)
        try network.recorder.finishDeliveries()
        #expect(reference != nil && witness != nil)
        try reference?.setDispatchQueue(nil)
        // Released at once, and on this thread, not on the engine's.
        #expect(reference == nil && witness == nil)
    }

    @Test func `is silent from the moment it was unscheduled on the queue of its callbacks`() throws {
        let network = try WatchedNetwork("10.0.0.1/24")
        let reference = try network.watch("192.0.2.1")
        try network.recorder.queue.sync {
            // Its callback is enqueued behind this block.
            let before = reference.statistics.deliveries
            try network.topology.ip("route add default via 10.0.0.254")
            try ProcessState.wait("the callback is on its way") { reference.statistics.deliveries > before }
            try reference.setDispatchQueue(nil)
        }
        try network.settle()
        #expect(network.recorder.all == [])
    }

    @Test func `may do anything in its callback`() throws {
        let network = try WatchedNetwork("10.0.0.1/24")
        let recorder = network.recorder
        let reference = try network.reference("192.0.2.1")
        reference.setCallback { [weak reference] flags in
            guard let reference else { return }
            // Asks, fails to schedule it twice, unschedules it, replaces the callback, and schedules it again.
            guard (try? reference.getFlags()) == flags, (try? reference.setDispatchQueue(recorder.queue)) == nil,
                (try? reference.setDispatchQueue(nil)) != nil, (try? reference.setDispatchQueue(nil)) == nil
            else { return recorder.record(.isWWAN) }
            reference.setCallback { [weak reference] flags in
                recorder.record(flags)
                reference?.setCallback(nil)
                try? reference?.setDispatchQueue(nil)
            }
            try? reference.setDispatchQueue(recorder.queue)
            recorder.record(flags)
        }
        try reference.setDispatchQueue(recorder.queue)
        try network.topology.ip("route add default via 10.0.0.254")
        #expect(try recorder.next() == .reachable)
        try network.topology.ip("route del default")
        #expect(try recorder.next() == [])
        try recorder.finishDeliveries()
        #expect(!reference.isScheduled)
        try network.settle()
        #expect(recorder.untaken == 0)
    }

    @Test func `without a callback is called nothing, and calls the next one that is set`() throws {
        let network = try WatchedNetwork("10.0.0.1/24")
        let reference = try network.reference("192.0.2.1")
        try reference.setDispatchQueue(network.recorder.queue)
        try network.topology.ip("route add default via 10.0.0.254")
        try network.settle()
        reference.setCallback { network.recorder.record($0) }
        try network.topology.ip("route del default")
        #expect(try network.recorder.next() == [])
        try reference.setDispatchQueue(nil)
    }

    @Test func `cannot be scheduled twice, or unscheduled when it is not`() throws {
        let topology = try Machine()
        let reference = try topology.reference("192.0.2.1")
        let queue = DispatchQueue(label: "callbacks")
        #expect(code { try reference.setDispatchQueue(nil) } == .scheduling)
        #expect(code { try reference.setDispatchQueue(queue) } == nil)
        #expect(code { try reference.setDispatchQueue(queue) } == .scheduling)
        #expect(code { try reference.setDispatchQueue(nil) } == nil)
        #expect(code { try reference.setDispatchQueue(nil) } == .scheduling)
        #expect(reference.namespace.sharedEngine.userCount == 0)
    }

    @Test func `may be made, scheduled, unscheduled and dropped by many threads while everything changes`() throws {
        let network = try WatchedNetwork("10.0.0.1/24")
        let shared = try network.topology.reference("192.0.2.200")
        let failures = Counter()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            do {
                for round in 0..<40 {
                    let reference = try network.topology.reference("192.0.2.\((thread * 40 + round) % 200)")
                    reference.setCallback { [weak reference] _ in _ = try? reference?.getFlags() }
                    try reference.setDispatchQueue(network.recorder.queue)
                    // A reference that all threads share.
                    _ = try? shared.setDispatchQueue(network.recorder.queue)
                    if round % 8 == 0 {
                        let verb = thread % 2 == 0 ? "replace" : "del"
                        _ = try? network.topology.ip("route \(verb) default via 10.0.0.254")
                    }
                    let flags = try reference.getFlags()
                    if flags != [], flags != .reachable { failures.increment() }
                    try? shared.setDispatchQueue(nil)
                    try reference.setDispatchQueue(nil)
                }
            } catch {
                failures.increment()
            }
        }
        #expect(failures.value == 0)
        try? shared.setDispatchQueue(nil)
        // Afterwards it answers and calls back as if nothing had been.
        _ = try? network.topology.ip("route del default")
        try network.settle()
        let told = CallbackRecorder()
        try told.watch(shared)
        #expect(try shared.getFlags() == [])
        try network.topology.ip("route add default via 10.0.0.254")
        #expect(try told.next() == .reachable)
        #expect(try shared.getFlags() == .reachable)
        try shared.setDispatchQueue(nil)
        withExtendedLifetime(network) {
            #expect(shared.namespace.sharedEngine.userCount == 1, "the one that marks the end of a burst")
        }
    }
}

/// Each test has its own process, because other tests start threads and open descriptors.
@Suite("Nothing is left", .timeLimit(.minutes(10)), .needs(.namespaces))
struct LeftoverTests {
    @Test func `of a thread where nothing is watched`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine()
            let reference = try topology.reference("127.0.0.1")
            for _ in 0..<10 { try #require(try reference.getFlags().isReachable) }
            try #require(ProcessState.engineCount == 0)
        }
    }

    @Test func `of the engine when the last has been unscheduled`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine()
            let references = try (0..<3).map { try topology.reference("192.0.2.\($0)") }
            let queue = DispatchQueue(label: "callbacks")
            for reference in references { try reference.setDispatchQueue(queue) }
            try ProcessState.wait("the engine's thread has its name") { ProcessState.engineCount == 1 }
            for reference in references.dropLast() { try reference.setDispatchQueue(nil) }
            try #require(ProcessState.engineCount == 1)
            try references[2].setDispatchQueue(nil)
            try ProcessState.waitUntilEnginesAreGone()
        }
    }

    @Test func `of descriptors when engines come and go`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine()
            let reference = try topology.reference("192.0.2.1")
            let queue = DispatchQueue(label: "callbacks")
            func cycle() throws {
                try reference.setDispatchQueue(queue)
                try reference.setDispatchQueue(nil)
                try ProcessState.waitUntilEnginesAreGone()
            }
            try reference.openRouteClients()
            try cycle()
            let (descriptors, threads) = (ProcessState.descriptors, ProcessState.threads.count)
            for _ in 0..<200 { try cycle() }
            try ProcessState.wait("the descriptors are closed") { ProcessState.descriptors <= descriptors }
            // Swift and Dispatch may start some of their own meanwhile.
            try #require(ProcessState.threads.count <= threads + 16)
        }
    }

    @Test func `of a namespace's engine and sockets with its last reference`() async {
        await #expect(processExitsWith: .success) {
            let queue = DispatchQueue(label: "callbacks")
            let before = ProcessState.descriptors
            for _ in 0..<5 {
                let topology = try Machine()
                weak var namespace: NamespaceContext?
                do {
                    let reference = try topology.reference("127.0.0.1")
                    namespace = reference.namespace
                    try #require(try reference.getFlags().isReachable)
                    try reference.setDispatchQueue(queue)
                    try reference.setDispatchQueue(nil)
                }
                try ProcessState.wait("the namespace context is gone") { namespace == nil }
            }
            try ProcessState.waitUntilEnginesAreGone()
            try ProcessState.wait("the descriptors are closed") { ProcessState.descriptors <= before + 1 }
        }
    }

    @Test func `of ten thousand references, or a hundred thousand`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine()
            let queue = DispatchQueue(label: "callbacks")
            let anchor = try topology.reference("198.51.100.1")
            try anchor.setDispatchQueue(queue)
            try anchor.openRouteClients()
            func cycle(_ count: Int) throws {
                for number in 0..<count {
                    let reference = try topology.reference("192.0.2.\(number % 250)")
                    reference.setCallback { _ in }
                    try reference.setDispatchQueue(queue)
                    try reference.setDispatchQueue(nil)
                }
                // Until the engine has done all of it.
                try #require(anchor.namespace.sharedEngine.present).afterwards {}
            }
            try cycle(2_000)
            let (memory, descriptors) = (ProcessState.residentKilobytes, ProcessState.descriptors)
            // In portions of the same size, so that the engine's inbox is never larger than the first time.
            for _ in 0..<(Extent.isFull ? 50 : 5) { try cycle(2_000) }
            let growth = ProcessState.residentKilobytes - memory
            // A sanitizer keeps freed memory, to detect its use.
            try #require(growth < 4_096 || Sanitizer.isOn, "grew by \(growth) kB")
            try #require(ProcessState.descriptors <= descriptors)
            try #require(anchor.namespace.sharedEngine.userCount == 1)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Dispatch
import Glibc
import LinuxSystem
import NetworkFacts
import ReachabilityKit
import Synchronization
import TestTopology
import TestWaiting
import Testing

/// A child shares its parent's sockets, and must leave them alone. Each of these runs in a process of its own, in
/// which no other test is at work when it forks.
@Suite("A fork", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct ForkTests {
    /// What the child needs. It does nothing but wait for a word, ask, and answer by a byte.
    final class Child: Sendable {
        let reference: ReachabilityRef
        private let words = Pipe()
        private let answers = Pipe()
        private let number = Atomic<pid_t>(0)

        init(_ reference: ReachabilityRef) { self.reference = reference }

        func start() {
            let context = unsafe Unmanaged.passUnretained(self).toOpaque()
            let child = unsafe topology_fork(
                { unsafe Unmanaged<Child>.fromOpaque($0!).takeUnretainedValue().serve() }, unsafe context)
            number.store(child, ordering: .relaxed)
        }

        private func serve() -> Int32 {
            while words.read() == 1 {
                answers.write((try? reference.getFlags()).map { UInt8(truncatingIfNeeded: $0.rawValue) } ?? 0xFF)
            }
            return 0
        }

        /// The lowest flags as the child sees them now.
        func flags() -> UInt8 {
            words.write(1)
            return answers.read()
        }

        /// Ends the child; tells its exit status.
        func end() -> Int32 {
            words.write(0)
            return topology_wait_for_child(number.load(ordering: .relaxed))
        }
    }

    static func childThatExits() -> pid_t { unsafe topology_fork({ _ in 0 }, nil) }

    final class End: Sendable {
        let isHere = Atomic(false)
    }

    struct Pipe: Sendable {
        private let ends: [Int32]

        init() {
            var ends: [Int32] = [-1, -1]
            unsafe precondition(pipe(&ends) == 0)
            self.ends = ends
        }

        func write(_ byte: UInt8) {
            var byte = byte
            unsafe precondition(Glibc.write(ends[1], &byte, 1) == 1)
        }

        func read() -> UInt8 {
            var byte: UInt8 = 0
            // A child that waits for a word waits no longer than it may live.
            guard topology_wait_readable(ends[0], WaitLimit.milliseconds) > 0 else { return 0xFE }
            return unsafe Glibc.read(ends[0], &byte, 1) == 1 ? byte : 0
        }
    }

    @Test("whose child asks after a change leaves the parent's answer fresh, and the child's own is right")
    func childAsks() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired("route add default via 10.0.0.254")
            let reference = try wired.view.reference("8.8.8.8")
            #expect(try reference.getFlags() == .routed)
            let child = Child(reference)
            wired.topology.run { child.start() }
            // The change lies in the parent's queue when the child asks: taken from there, it would be lost.
            try wired.ip("route delete default")
            #expect(child.flags() == 0)
            #expect(try reference.getFlags() == .nothing)
            #expect(child.end() == 0)
        }
    }

    @Test("whose child asks before a change leaves the parent's answer fresh")
    func childAsksFirst() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired("route add default via 10.0.0.254")
            let reference = try wired.view.reference("8.8.8.8")
            #expect(try reference.getFlags() == .routed)
            let child = Child(reference)
            wired.topology.run { child.start() }
            #expect(child.flags() == 2)
            #expect(child.end() == 0)
            try wired.ip("route delete default")
            #expect(try reference.getFlags() == .nothing)
        }
    }

    @Test("whose child only exits leaves the parent's answer fresh")
    func childExits() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired("route add default via 10.0.0.254")
            let reference = try wired.view.reference("8.8.8.8")
            #expect(try reference.getFlags() == .routed)
            for _ in 0..<10 {
                let child = ForkTests.childThatExits()
                try wired.ip("route delete default")
                #expect(topology_wait_for_child(child) == 0)
                #expect(try reference.getFlags() == .nothing)
                try wired.ip("route add default via 10.0.0.254")
                #expect(try reference.getFlags() == .routed)
            }
        }
    }

    @Test("leaves parent and child each with right answers, change after change")
    func bothFollow() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired()
            let reference = try wired.view.reference("8.8.8.8")
            let child = Child(reference)
            wired.topology.run { child.start() }
            let changer = try Changer(in: wired.topology)
            let eth0 = try wired.topology.index(of: "eth0")
            for round in 0..<200 {
                try changer.apply(.route(.add, "0.0.0.0/0", via: "10.0.0.254", through: eth0))
                // In turn, so that each is the first to ask.
                if round % 2 == 0 { #expect(try reference.getFlags() == .routed) }
                #expect(child.flags() == 2)
                #expect(try reference.getFlags() == .routed)
                try changer.apply(.route(.delete, "0.0.0.0/0"))
                if round % 2 == 1 { #expect(try reference.getFlags() == .nothing) }
                #expect(child.flags() == 0)
                #expect(try reference.getFlags() == .nothing)
            }
            #expect(child.end() == 0)
        }
    }

    @Test("by a thread in another namespace leaves the child where its references look")
    func fromOutside() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired("route add default via 10.0.0.254")
            var options = ReachabilityOptions()
            options.networkNamespace = .path(wired.topology.namespacePath)
            let reference = try ReachabilityRef(address: "8.8.8.8", options: options)
            #expect(try reference.getFlags() == .routed)
            let child = Child(reference)
            child.start()
            #expect(child.flags() == 2)
            try wired.ip("route delete default")
            #expect(child.flags() == 0)
            #expect(try reference.getFlags() == .nothing)
            #expect(child.end() == 0)
        }
    }

    // The runtime holds a lock at each use of a global variable while Thread Sanitizer is on, to show it the order of
    // things (swift::threading_impl::once_slow): a child that is forked while another thread holds it waits for ever.
    @Test(
        "while other threads are asking leaves nobody waiting for ever",
        .disabled(if: Sanitizer.isThread, "Swift's runtime takes locks for its globals under Thread Sanitizer"))
    func besideThreads() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired("route add default via 10.0.0.254")
            let reference = try wired.view.reference("8.8.8.8")
            let changer = try Changer(in: wired.topology)
            let eth0 = try wired.topology.index(of: "eth0")
            // All that is asked below, once before anybody forks: the Swift runtime makes a generic type's metadata at
            // its first use, under a lock of its own, and a child that finds that lock taken waits for ever. No library
            // can do anything about it, so it must not be what this test meets.
            let rehearsal = Child(reference)
            for round in 0..<8 {
                try changer.apply(.route(.delete, "0.0.0.0/0"))
                #expect(try reference.getFlags() == .nothing)
                if round == 0 { wired.topology.run { rehearsal.start() } }
                #expect(rehearsal.flags() == 0)
                try changer.apply(.route(.add, "0.0.0.0/0", via: "10.0.0.254", through: eth0))
                #expect(try reference.getFlags() == .routed)
                #expect(rehearsal.flags() == 2)
            }
            #expect(rehearsal.end() == 0)
            let end = End()
            // Each thread as well has asked before anybody forks.
            let hasAsked = DispatchSemaphore(value: 0)
            let threads = try (0..<4).map { _ in
                try TestThread("asker") {
                    _ = try? reference.getFlags()
                    hasAsked.signal()
                    while !end.isHere.load(ordering: .relaxed) { _ = try? reference.getFlags() }
                }
            }
            for _ in threads { try hasAsked.wait(for: "each thread to ask") }
            for _ in 0..<30 {
                try changer.apply(.route(.delete, "0.0.0.0/0"))
                let child = Child(reference)
                wired.topology.run { child.start() }
                #expect(child.flags() == 0)
                try changer.apply(.route(.add, "0.0.0.0/0", via: "10.0.0.254", through: eth0))
                #expect(child.flags() == 2)
                #expect(child.end() == 0)
            }
            end.isHere.store(true, ordering: .relaxed)
            for thread in threads { try thread.join() }
        }
    }
}

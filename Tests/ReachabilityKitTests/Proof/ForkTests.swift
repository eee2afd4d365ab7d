// SPDX-License-Identifier: Apache-2.0

import CReachabilityTesting
import CTestTopology
import Dispatch
import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import Synchronization
import TestTopology
import Testing

/// The child of a fork shares its parent's sockets, and must leave them alone. Each test runs in its own process, so that no
/// other test is at work when it forks.
@Suite("A fork", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct ForkTests {
    /// A child that waits for a byte, asks, and answers with a byte.
    struct Child {
        private let words = BytePipe()
        private let answers = BytePipe()
        private let number: pid_t

        init(asking reference: ReachabilityRef) {
            number = forkProcess()
            guard number == 0 else { return }
            while words.read() == 1 {
                answers.write((try? reference.getFlags()).map { UInt8(truncatingIfNeeded: $0.rawValue) } ?? 0xFF)
            }
            _exit(0)
        }

        /// The lowest bits of the flags that the child sees now.
        func flags() -> UInt8? {
            words.write(1)
            return answers.read()
        }

        /// Ends the child. Returns its exit status.
        func end() -> Int32 {
            words.write(0)
            return reachability_testing_wait_for_child(number)
        }
    }

    final class End: Sendable {
        let isHere = Atomic(false)
    }

    @Test func `whose child only exits leaves the parent's answer fresh`() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired("route add default via 10.0.0.254")
            let reference = try wired.view.reference("8.8.8.8")
            #expect(try reference.getFlags() == .routed)
            for _ in 0..<10 {
                let child = forkProcess()
                if child == 0 { _exit(0) }
                try wired.topology.ip("route delete default")
                #expect(reachability_testing_wait_for_child(child) == 0)
                #expect(try reference.getFlags() == .nothing)
                try wired.topology.ip("route add default via 10.0.0.254")
                #expect(try reference.getFlags() == .routed)
            }
        }
    }

    @Test func `leaves parent and child each with right answers, change after change`() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired()
            let reference = try wired.view.reference("8.8.8.8")
            let child = wired.topology.run { Child(asking: reference) }
            let changer = try Changer(in: wired.topology)
            let eth0 = try wired.topology.index(of: "eth0")
            for round in 0..<200 {
                try changer.apply(.route(.add, "0.0.0.0/0", via: "10.0.0.254", through: eth0))
                // Parent and child alternate as the first to ask. If the child took the change out of the parent's queue, the
                // parent would miss it.
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

    @Test func `by a thread in another namespace leaves the child where its references look`() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired("route add default via 10.0.0.254")
            var options = ReachabilityOptions()
            options.networkNamespace = .path(wired.topology.namespacePath)
            let reference = try ReachabilityRef(address: "8.8.8.8", options: options)
            #expect(try reference.getFlags() == .routed)
            let child = Child(asking: reference)
            #expect(child.flags() == 2)
            try wired.topology.ip("route delete default")
            #expect(child.flags() == 0)
            #expect(try reference.getFlags() == .nothing)
            #expect(child.end() == 0)
        }
    }

    /// A value that one thread uses at a time.
    final class Single: Sendable {
        let value = Lock(0)

        /// Uses the value, while another thread tries to. Returns 0 if that thread was refused, and the value is free afterwards.
        func serve() -> Int32 {
            let wasTaken = value.withLockIfAvailable { _ in
                let found = Atomic(false)
                let thread = try? TestThread("other") {
                    found.store(self.value.withLockIfAvailable { $0 } == nil, ordering: .relaxed)
                }
                try? thread?.join()
                return found.load(ordering: .relaxed)
            }
            return wasTaken == true && value.withLockIfAvailable { $0 } == 0 ? 0 : 1
        }
    }

    /// A `Mutex` would end the child (see `Lock`).
    @Test(.disabled(if: Sanitizer.isThread, "the child of a fork cannot have threads under Thread Sanitizer"))
    func `leaves the child what one thread may have at a time`() async {
        await #expect(processExitsWith: .success) {
            let single = Single()
            #expect(single.serve() == 0)
            let child = forkProcess()
            if child == 0 { _exit(single.serve()) }
            #expect(reachability_testing_wait_for_child(child) == 0)
        }
    }

    /// What happens beside a fork, for threads and for C.
    private enum Beside {
        static let isForking = Atomic(false)
        /// Whether the thread is at work, or about to begin.
        static let isHere = Atomic(false)
        static let hasEnded = Atomic(false)

        static func pass() { for _ in 0..<20_000 { _ = isForking.load(ordering: .relaxed) } }

        /// Forks beside a thread until twenty forks have met it. In the child of each of these, it has ended or not, as expected.
        ///
        /// Fork and thread wait 250 ms at most for each other (`forks.c`). On a busy machine one of them may be away for longer: what
        /// took as long proves nothing, and does not count.
        static func expect(
            thatItHasEnded isExpected: Bool, _ body: @escaping @Sendable (_ isReady: DispatchSemaphore) throws -> Void
        ) throws {
            var met = 0
            for _ in 0..<400 where met < 20 {
                isForking.store(false, ordering: .relaxed)
                isHere.store(false, ordering: .relaxed)
                hasEnded.store(false, ordering: .relaxed)
                let isReady = DispatchSemaphore(value: 0)
                let worker = try TestThread("worker") { try body(isReady) }
                try isReady.wait(for: "the thread")
                let start = ContinuousClock.now
                let child = forkProcess()
                if child == 0 {
                    let isRight = hasEnded.load(ordering: .relaxed) == isExpected
                    _exit(!isHere.load(ordering: .relaxed) ? 2 : isRight ? 0 : 1)
                }
                let isInTime = start.duration(to: .now) < .milliseconds(250)
                let status = reachability_testing_wait_for_child(child)
                try worker.join()
                guard isInTime, status != 2 else { continue }
                try #require(status == 0, "after \(met) forks")
                met += 1
            }
            try #require(met == 20)
        }
    }

    @Test(.disabled(if: Sanitizer.isThread, "Swift's runtime takes locks for its globals under Thread Sanitizer"))
    func `waits for a thread that is at work`() async {
        await #expect(processExitsWith: .success) {
            // Who registers last is called first, so this is called before the package waits.
            #expect(pthread_atfork({ Beside.isForking.store(true, ordering: .releasing) }, nil, nil) == 0)
            try Beside.expect(thatItHasEnded: true) { isReady in
                beginWork()
                defer { endWork() }
                Beside.isHere.store(true, ordering: .relaxed)
                isReady.signal()
                try WaitLimit.wait(for: "the fork") { Beside.isForking.load(ordering: .acquiring) }
                Beside.pass()
                Beside.hasEnded.store(true, ordering: .relaxed)
            }
        }
    }

    @Test(.disabled(if: Sanitizer.isThread, "Swift's runtime takes locks for its globals under Thread Sanitizer"))
    func `lets no thread begin to work in the middle`() async {
        await #expect(processExitsWith: .success) {
            topology_call_at_fork {
                Beside.isForking.store(true, ordering: .releasing)
                // The thread does not wait longer than the fork does.
                let end = ContinuousClock.now + .milliseconds(100)
                while !Beside.isHere.load(ordering: .acquiring), ContinuousClock.now < end { sched_yield() }
                for _ in 0..<5 { sched_yield() }
                Beside.pass()
            }
            try Beside.expect(thatItHasEnded: false) { isReady in
                isReady.signal()
                try WaitLimit.wait(for: "the fork") { Beside.isForking.load(ordering: .acquiring) }
                Beside.isHere.store(true, ordering: .releasing)
                beginWork()
                Beside.hasEnded.store(true, ordering: .relaxed)
                endWork()
            }
        }
    }

    // Under Thread Sanitizer the runtime takes a lock at each use of a global variable, to show it the order of accesses
    // (swift::threading_impl::once_slow). A child that is forked while another thread holds that lock waits for ever.
    @Test(.disabled(if: Sanitizer.isThread, "Swift's runtime takes locks for its globals under Thread Sanitizer"))
    func `while other threads are asking leaves nobody waiting for ever`() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired("route add default via 10.0.0.254")
            let reference = try wired.view.reference("8.8.8.8")
            let changer = try Changer(in: wired.topology)
            let eth0 = try wired.topology.index(of: "eth0")
            let end = End()
            let threads = try (0..<4).map { _ in
                try TestThread("asker") {
                    while !end.isHere.load(ordering: .relaxed) { _ = try? reference.getFlags() }
                }
            }
            // The first fork is beside threads that ask for the first time.
            for _ in 0..<30 {
                try changer.apply(.route(.delete, "0.0.0.0/0"))
                let child = wired.topology.run { Child(asking: reference) }
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

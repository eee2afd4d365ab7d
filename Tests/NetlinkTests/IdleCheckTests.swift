// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import ReachabilityLinuxSystem
import Synchronization
import TestWaiting
import Testing

@Suite("An idle check") struct IdleCheckTests {
    @Test func `has the same result by epoll and by poll`() throws {
        let event = try EventDescriptor()
        let check = IdleCheck(event.rawDescriptor)
        func expect(_ isIdle: Bool, _ comment: Comment) {
            #expect(check.isIdle == isIdle, comment)
            #expect(IdleCheck.isIdleByPoll(event.rawDescriptor) == isIdle, comment)
        }
        expect(true, "nothing yet")
        event.signal()
        expect(false, "something")
        expect(false, "checking takes nothing away")
        event.drain()
        expect(true, "nothing any more")
    }

    private final class Shared: Sendable {
        let event: EventDescriptor
        let check: IdleCheck
        let denials = Atomic(0)
        /// How often a thread asked while another of its lane did.
        let meetings = Atomic(0)
        /// How many threads of each lane are asking.
        private let asking: InlineArray<16, Atomic<Int>>

        init() throws {
            event = try EventDescriptor()
            check = IdleCheck(event.rawDescriptor)
            asking = InlineArray { _ in Atomic(0) }
        }

        private func ask(on lane: Int) {
            let others = asking[lane].wrappingAdd(1, ordering: .relaxed).oldValue
            if others > 0 { meetings.wrappingAdd(1, ordering: .relaxed) }
            if check.isIdle { denials.wrappingAdd(1, ordering: .relaxed) }
            asking[lane].wrappingSubtract(1, ordering: .relaxed)
        }

        /// Lets threads ask, all at once or one after another. Returns how many epoll instances the process then has.
        func ask(threads: Int, times: Int, atOnce: Bool) throws -> Int {
            var running: [TestThread] = []
            for number in 0..<threads {
                let isOnItsLane = DispatchSemaphore(value: 0)
                let thread = try TestThread("asker") { [self] in
                    // Threads get the lanes in turn, as they ask for the first time.
                    ask(on: number % 16)
                    isOnItsLane.signal()
                    for _ in 1..<times { ask(on: number % 16) }
                }
                try isOnItsLane.wait(for: "the first question")
                if atOnce { running.append(thread) } else { try thread.join() }
            }
            for thread in running { try thread.join() }
            return (0..<Int32(256)).count { Files.linkTarget(of: "/proc/self/fd/\($0)") == "anon_inode:[eventpoll]" }
        }
    }

    /// Each lane serves three threads. In a process of its own, as other tests make threads too.
    @Test func `never fails to see what is queued, from any of many threads`() async {
        await #expect(processExitsWith: .success) {
            let shared = try Shared()
            shared.event.signal()
            for _ in 0..<50 where shared.meetings.load(ordering: .relaxed) < 1000 {
                _ = try shared.ask(threads: 48, times: 20_000, atOnce: true)
            }
            #expect(shared.meetings.load(ordering: .relaxed) > 0)
            #expect(shared.denials.load(ordering: .relaxed) == 0)
        }
    }

    /// In a process of its own, as other tests make threads too.
    @Test func `has an instance for each of sixteen threads, and no more`() async {
        await #expect(processExitsWith: .success) {
            let shared = try Shared()
            shared.event.signal()
            let before = try shared.ask(threads: 0, times: 0, atOnce: false)
            for (more, total) in [(1, 1), (7, 8), (8, 16), (1, 16), (17, 16)] {
                #expect(try shared.ask(threads: more, times: 2, atOnce: false) == before + total)
            }
            #expect(shared.denials.load(ordering: .relaxed) == 0)
        }
    }

    @Test func `uses poll if there is no epoll, and is false if that fails too`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        // epoll refuses regular files; poll always finds them readable.
        let file = unsafe open("/proc/self/exe", O_RDONLY)
        defer { for descriptor in ends + [file] { close(descriptor) } }
        func isIdle(_ descriptor: Int32) -> [Bool] {
            let check = IdleCheck(descriptor)
            return [check.isIdle, IdleCheck.isIdleByPoll(descriptor)]
        }
        #expect(isIdle(ends[0]) == [true, true])
        #expect(isIdle(file) == [false, false])
        #expect(isIdle(1 << 20) == [false, false], "a descriptor that is not open is not idle")
    }
}

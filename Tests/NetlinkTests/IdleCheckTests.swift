// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
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

        init() throws {
            event = try EventDescriptor()
            check = IdleCheck(event.rawDescriptor)
        }

        /// Lets threads ask, all at once or one after another. Returns how many epoll instances the process then has.
        func ask(threads: Int, times: Int, atOnce: Bool) throws -> Int {
            var running: [TestThread] = []
            for _ in 0..<threads {
                let thread = try TestThread("asker") { [self] in
                    for _ in 0..<times where check.isIdle { denials.wrappingAdd(1, ordering: .relaxed) }
                }
                if atOnce { running.append(thread) } else { try thread.join() }
            }
            for thread in running { try thread.join() }
            return (0..<Int32(256)).count { Files.linkTarget(of: "/proc/self/fd/\($0)") == "anon_inode:[eventpoll]" }
        }
    }

    /// Each lane serves several threads.
    @Test func `never fails to see what is queued, from any of many threads`() throws {
        let shared = try Shared()
        shared.event.signal()
        _ = try shared.ask(threads: 48, times: 20_000, atOnce: true)
        #expect(shared.denials.load(ordering: .relaxed) == 0)
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

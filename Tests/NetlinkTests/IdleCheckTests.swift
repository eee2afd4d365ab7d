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

    @Test func `never fails to see what is queued, from any of many threads`() throws {
        final class Shared: Sendable {
            let event: EventDescriptor
            let check: IdleCheck
            let denials = Atomic(0)
            init() throws {
                event = try EventDescriptor()
                check = IdleCheck(event.rawDescriptor)
            }
        }
        let shared = try Shared()
        shared.event.signal()
        let askers = try (0..<8).map { _ in
            try TestThread("asker") {
                for _ in 0..<100_000 where shared.check.isIdle { shared.denials.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        for asker in askers { try asker.join() }
        #expect(shared.denials.load(ordering: .relaxed) == 0)
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

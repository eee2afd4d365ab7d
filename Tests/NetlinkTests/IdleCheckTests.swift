// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Synchronization
import TestWaiting
import Testing

@Suite("Whether anything is queued") struct IdleCheckTests {
    @Test("is told by epoll and by poll alike")
    func queue() throws {
        let event = try EventDescriptor()
        let check = IdleCheck(event.rawDescriptor)
        func expect(_ isIdle: Bool, _ comment: Comment) {
            #expect(check.isIdle == isIdle, comment)
            #expect(check.isIdleByPoll == isIdle, comment)
        }
        expect(true, "nothing yet")
        event.signal()
        expect(false, "something")
        expect(false, "asking takes nothing away")
        event.drain()
        expect(true, "nothing any more")
    }

    @Test("is never denied to one of many threads while something is")
    func company() throws {
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
                for _ in 0..<100_000 where shared.check.isIdle {
                    shared.denials.wrappingAdd(1, ordering: .relaxed)
                }
            }
        }
        for asker in askers { try asker.join() }
        #expect(shared.denials.load(ordering: .relaxed) == 0)
    }

    @Test("is asked of poll where there is no epoll, and left open where that fails, too")
    func withoutEpoll() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        // epoll takes no regular file, which poll always finds readable.
        let file = unsafe open("/proc/self/exe", O_RDONLY)
        defer { for descriptor in ends + [file] { close(descriptor) } }
        func isIdle(_ descriptor: Int32) -> [Bool] {
            let check = IdleCheck(descriptor)
            return [check.isIdle, check.isIdleByPoll]
        }
        #expect(isIdle(ends[0]) == [true, true])
        #expect(isIdle(file) == [false, false])
        #expect(isIdle(1 << 20) == [false, false], "not open: that is no quiet")
    }

    /// The same thread asks again from within, which is as if a second one came meanwhile.
    @Test("is asked of an instance by one at a time, and whoever finds it taken gets no answer from it")
    func turns() {
        let turn = TryLock()
        for _ in 0..<2 {
            var second: Bool?? = nil
            let first = turn.take {
                second = turn.take { true }
                return true
            }
            #expect(first == true)
            #expect(second == .some(nil))
        }
    }
}

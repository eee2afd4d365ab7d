// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization
import Testing

@Suite("Whether anything is queued") struct QuietCheckTests {
    /// Two descriptors that the test makes readable.
    private final class Pair: Sendable {
        let first: EventDescriptor
        let second: EventDescriptor

        init() throws {
            first = try EventDescriptor()
            second = try EventDescriptor()
        }

        func check() -> QuietCheck { QuietCheck(first.rawDescriptor, second.rawDescriptor) }
    }

    @Test("is told of each descriptor, by epoll and by poll alike")
    func queues() throws {
        let pair = try Pair()
        let check = pair.check()
        func expect(_ queues: QuietCheck.Queues, _ comment: Comment) {
            #expect(check.isQuiet == queues.isEmpty, comment)
            #expect(check.queued == queues, comment)
            #expect(check.queuedByPoll == queues, comment)
        }
        expect([], "nothing yet")
        pair.first.signal()
        expect(.first, "the first")
        expect(.first, "asking takes nothing away")
        pair.second.signal()
        expect([.first, .second], "both")
        pair.first.drain()
        expect(.second, "the second")
        pair.second.drain()
        expect([], "nothing any more")
    }

    @Test("of one descriptor, the second is never")
    func single() throws {
        let pair = try Pair()
        let check = QuietCheck(pair.first.rawDescriptor)
        #expect(check.isQuiet && check.queuedByPoll == [])
        pair.first.signal()
        #expect(!check.isQuiet && check.queued == .first && check.queuedByPoll == .first)
    }

    @Test("is never denied to one of many threads while something is")
    func company() throws {
        final class Shared: Sendable {
            let pair: Pair
            let check: QuietCheck
            let denials = Atomic(0)
            init() throws {
                pair = try Pair()
                check = pair.check()
            }
        }
        let shared = try Shared()
        shared.pair.second.signal()
        let askers = try (0..<8).map { _ in
            try Thread.start(name: "asker", stackBytes: 256 << 10) {
                for _ in 0..<50_000 where shared.check.isQuiet || shared.check.queued != .second {
                    shared.denials.wrappingAdd(1, ordering: .relaxed)
                }
            }
        }
        for asker in askers { asker.join() }
        #expect(shared.denials.load(ordering: .relaxed) == 0)
    }

    @Test("is asked of poll where there is no epoll")
    func withoutEpoll() throws {
        let pair = try Pair()
        // Refused by epoll, and left out of account by poll.
        let check = QuietCheck(-1, pair.second.rawDescriptor)
        #expect(check.isQuiet && check.queued == [])
        pair.second.signal()
        #expect(!check.isQuiet && check.queued == .second)
    }
}

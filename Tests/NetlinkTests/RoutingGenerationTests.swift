// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Netlink
import Synchronization
import TestWaiting
import Testing

@Suite("A generation of routing", .enabled(if: geteuid() == 0)) struct RoutingGenerationTests {
    private final class Advancing: Sendable {
        let count = Atomic<UInt64>(0)
        let isOver = Atomic(false)
    }

    @Test("counts every change that is not announced, also while another thread empties the queue")
    func unannounced() throws {
        try PrivateNamespace.run {
            let generation = try RoutingGeneration()
            let (start, drainsBefore) = (generation.current, generation.drainCount)
            let advancing = Advancing()
            let advancer = try TestThread("advancer") {
                while !advancing.isOver.load(ordering: .relaxed) {
                    generation.advance()
                    advancing.count.wrappingAdd(1, ordering: .relaxed)
                    // Otherwise the other thread would hardly ever find the number that it has just read.
                    for _ in 0..<20 { sched_yield() }
                }
            }
            for _ in 0..<20 {
                try PrivateNamespace.shell("ip link set lo up; ip link set lo down")
                for _ in 0..<100_000 where !generation.idleCheck.isIdle { _ = generation.refresh() }
            }
            advancing.isOver.store(true, ordering: .relaxed)
            try advancer.join()
            let drains = UInt64(generation.drainCount - drainsBefore)
            #expect(drains > 0)
            #expect(generation.current - start == 2 * (advancing.count.load(ordering: .relaxed) + drains))
        }
    }
}

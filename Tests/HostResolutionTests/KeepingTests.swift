// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import NetworkFacts
import TestHosts
import Testing

@testable import HostResolution

/// What is kept, for whom, and what is let go of first.
@Suite(.timeLimit(.minutes(10)))
struct KeepingTests {
    let fixture = ResolverFixture()

    private func answer(_ name: String, at moment: BootTime, of configuration: ResolverConfiguration) -> Resolution {
        Resolution(
            host(name), v4: .addresses([TimedAddress(v4("192.0.2.1"), timeToLive: 60)]), v6: .noData, made: moment,
            configuration: configuration)
    }

    @Test func `an answer that was asked for under older files is not kept under newer ones`() {
        let resolver = Resolver(fixture.environment([]))
        let old = resolver.configuration
        fixture.replace("resolv.conf", "nameserver 192.0.2.53\n")
        let new = resolver.configuration
        #expect(new !== old)
        resolver.store(answer("a.test", at: SystemTime().now(), of: old))
        #expect(resolver.cachedCount == 0)
        resolver.store(answer("a.test", at: SystemTime().now(), of: new))
        #expect(resolver.cachedCount == 1)
    }

    @Test func `room is made by dropping what expires first`() {
        let configuration = Resolver(fixture.environment([])).configuration
        let now = fixture.time.now()
        var cache = AnswerCache()
        for number in 0..<AnswerCache.capacity {
            let moment = now.advanced(by: .milliseconds(number))
            cache.store(answer("n\(number).test", at: moment, of: configuration), at: now)
        }
        #expect(cache.count == AnswerCache.capacity)
        cache.store(answer("new.test", at: now, of: configuration), at: now)
        let dropped = (0..<AnswerCache.capacity).filter { cache[host("n\($0).test")] == nil }
        #expect(dropped.count == AnswerCache.capacity / 8)
        // One more than are dropped expire no later than the limit; any of them may be the one that stays.
        #expect(dropped.allSatisfy { $0 <= AnswerCache.capacity / 8 })
        #expect(cache[host("new.test")] != nil)
    }

    @Test func `a channel of the parent is not used in the child of a fork`() async {
        await #expect(processExitsWith: .success) {
            let resolver = Resolver(ResolverFixture().environment([]))
            let configuration = resolver.configuration
            let channel = try resolver.takeChannel(configuration)
            resolver.giveBack(channel)
            let child = forkProcess()
            if child == 0 { _exit((try? resolver.takeChannel(configuration)) === channel ? 1 : 0) }
            var status: Int32 = -1
            unsafe waitpid(child, &status, 0)
            precondition(status == 0, "the child has its parent's sockets")
            precondition((try? resolver.takeChannel(configuration)) === channel)
        }
    }
}

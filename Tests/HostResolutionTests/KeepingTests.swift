// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import TestHosts
import Testing

@testable import HostResolution

/// Which answers are kept, and which are dropped first.
@Suite(.timeLimit(.minutes(10)))
struct KeepingTests {
    let fixture = ResolverFixture()

    private func answer(_ name: String, at moment: BootTime, of configuration: ResolverConfiguration) -> Resolution {
        Resolution(
            NameQuery(host(name)),
            Finding(v4: .addresses([TimedAddress(v4("192.0.2.1"), timeToLive: 60)]), v6: .noData, origin: .dns),
            made: moment, configuration: configuration)
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

    @Test func `a full cache drops the answers that expire first`() {
        let configuration = Resolver(fixture.environment([])).configuration
        let now = fixture.time.now()
        var cache = AnswerCache()
        for number in 0..<AnswerCache.capacity {
            let moment = now.advanced(by: .milliseconds(number))
            cache.store(answer("n\(number).test", at: moment, of: configuration), at: now)
        }
        #expect(cache.count == AnswerCache.capacity)
        cache.store(answer("new.test", at: now, of: configuration), at: now)
        let dropped = (0..<AnswerCache.capacity).filter { cache[NameQuery(host("n\($0).test"))] == nil }
        #expect(dropped.count == AnswerCache.capacity / 8)
        // One more answer than are dropped expires within the limit. Any of them may stay.
        #expect(dropped.allSatisfy { $0 <= AnswerCache.capacity / 8 })
        #expect(cache[NameQuery(host("new.test"))] != nil)
    }
}

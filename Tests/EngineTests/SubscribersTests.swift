// SPDX-License-Identifier: Apache-2.0

import HostResolution
import Testing

@testable import ReachabilityKit

@Suite("Subscribers")
struct SubscribersTests {
    private final class Nobody: WatchSubscriber {
        func notify(_ observation: Observation, _ resolution: Resolution?) -> Registration? { nil }
    }

    @Test func `are all told, each once, until they go`() {
        var subscribers = Subscribers.none
        let all = (0..<100).map { _ in Nobody() }
        func told() -> [ObjectIdentifier] {
            var told: [ObjectIdentifier] = []
            subscribers.forEach { told.append(ObjectIdentifier($0)) }
            return told.sorted()
        }
        for (number, subscriber) in all.enumerated() {
            subscribers.add(subscriber)
            #expect(told() == all[...number].map { ObjectIdentifier($0) }.sorted())
        }
        for (number, subscriber) in all.enumerated() {
            subscribers.remove(Nobody())
            subscribers.remove(subscriber)
            #expect(told() == all[(number + 1)...].map { ObjectIdentifier($0) }.sorted())
        }
        #expect(subscribers.isEmpty)
    }
}

// SPDX-License-Identifier: Apache-2.0

import HostResolution
import Testing

@testable import ReachabilityKit

@Suite("Subscribers")
struct SubscribersTests {
    private final class Subscriber: WatchSubscriber {
        func notify(_ observation: Observation, _ resolution: Resolution?) -> Registration? { nil }
    }

    @Test func `are all notified, each once, until they are removed`() {
        var subscribers = Subscribers.none
        let all = (0..<100).map { _ in Subscriber() }
        func notified() -> [ObjectIdentifier] {
            var notified: [ObjectIdentifier] = []
            subscribers.forEach { notified.append(ObjectIdentifier($0)) }
            return notified.sorted()
        }
        for (number, subscriber) in all.enumerated() {
            subscribers.add(subscriber)
            #expect(notified() == all[...number].map { ObjectIdentifier($0) }.sorted())
        }
        for (number, subscriber) in all.enumerated() {
            subscribers.remove(Subscriber())
            subscribers.remove(subscriber)
            #expect(notified() == all[(number + 1)...].map { ObjectIdentifier($0) }.sorted())
        }
        #expect(subscribers.isEmpty)
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import TestHosts
import TestTopology
import TestWaiting
import Testing

@testable import SystemConfigurationCore

@Suite(
    "A session that two threads begin to watch with", .timeLimit(.minutes(10)), .needs(.namespaces, .sysfs, .settings))
struct SurplusFeedTests {
    /// Both begin, and one of them is too late. The engine runs as long as one of its users has not left.
    @Test("leaves nothing behind that still watches")
    func surplus() throws {
        let network = try StoreNetwork()
        let source = network.topology.run { PathSource() }
        for _ in 0..<100 {
            let session = network.topology.run { StoreSession(files: network.files) }
            let starting = Counter()
            let threads = try (0..<2).map { _ in
                try TestThread("client") {
                    starting.increment()
                    while starting.value < 2 {}
                    _ = session.watch(["State:/Network/Global/IPv4"], patterns: [])
                }
            }
            for thread in threads { try thread.join() }
            _ = session.watch([], patterns: [])
        }
        try ProcessState.wait("everybody has left the engine") { source.userCount == 0 }
    }
}

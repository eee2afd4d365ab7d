// SPDX-License-Identifier: Apache-2.0

import NetworkFacts
import Testing

@testable import ReachabilityKit

@Suite("The table of watches")
struct WatchTableTests {
    private let target = Target(.v4(IPv4Address(192, 0, 2, 1)))

    @Test func `has one watch for equal keys, and one for each that differ in anything`() {
        let keys = [
            RoutingKeys(), RoutingKeys(interfaceName: "eth0"), RoutingKeys(interfaceName: "eth1"),
            RoutingKeys(interface: InterfaceIndex(1)), RoutingKeys(interface: InterfaceIndex(2)),
            RoutingKeys(mark: 1), RoutingKeys(mark: 2), RoutingKeys(userID: 1), RoutingKeys(userID: 2),
        ]
        var table = WatchTable()
        for key in keys {
            let (watch, isNew) = table.watch(target, key)
            #expect(isNew && watch.keys == key)
        }
        #expect(table.count == keys.count)
        for key in keys { #expect(!table.watch(target, key).isNew) }
    }
}

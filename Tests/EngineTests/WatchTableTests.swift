// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import Testing

@testable import ReachabilityKit

@Suite("The table of watches")
struct WatchTableTests {
    private let target = Target(.v4(IPv4Address(192, 0, 2, 1)))

    @Test func `has one watch for equal keys, and one for each that differ in anything`() {
        let keys = [
            RoutingKeys(), RoutingKeys(interface: Scope("eth0")), RoutingKeys(interface: Scope("eth1")),
            RoutingKeys(interface: Scope(number: 1)), RoutingKeys(interface: Scope(number: 2)),
            RoutingKeys(mark: 1), RoutingKeys(mark: 2), RoutingKeys(userID: 1), RoutingKeys(userID: 2),
            RoutingKeys(transport: .udp), RoutingKeys(port: 53), RoutingKeys(port: 80),
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

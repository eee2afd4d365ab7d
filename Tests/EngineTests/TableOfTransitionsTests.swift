// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestHosts
import TestTopology
import Testing

@testable import ReachabilityKit

@Suite("Watched together", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct TableOfTransitionsTests {
    private struct Row {
        let target: String
        /// Without a default route, with one, with the other end unplugged, and with the link down.
        let flags: [ReachabilityFlags]
    }

    private static let none: ReachabilityFlags = []
    private static let rows = [
        Row(target: "10.0.0.1", flags: [Scene.own, Scene.own, Scene.own, Scene.own]),
        Row(target: "10.0.0.2", flags: [Scene.direct, Scene.direct, none, none]),
        Row(target: "10.0.0.255", flags: [Scene.direct, Scene.direct, none, none]),
        Row(target: "192.0.2.1", flags: [none, .reachable, none, none]),
        Row(target: "0.0.0.0", flags: [none, .reachable, none, none]),
        Row(target: "::", flags: [none, .reachable, none, none]),
        Row(target: "::ffff:192.0.2.1", flags: [none, .reachable, none, none]),
        Row(target: "169.254.1.1", flags: [none, Scene.direct, none, none]),
        Row(target: "224.0.0.251", flags: [none, Scene.direct, none, none]),
        Row(target: "255.255.255.255", flags: [none, Scene.direct, none, none]),
        Row(target: "10.0.0.1,192.0.2.1", flags: [none, .reachable, none, none]),
        Row(target: "127.0.0.1", flags: [Scene.own, Scene.own, Scene.own, Scene.own]),
        Row(target: "2001:db8:7::1", flags: [none, none, none, none]),
    ]

    @Test func `all kinds of targets go through all states of a network, each called back once for each change`() throws
    {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        let watched = try Self.rows.map { row in
            (row: row, reference: try network.reference(row.target), recorder: CallbackRecorder())
        }
        for item in watched { try item.recorder.watch(item.reference) }
        var state = 0
        for (command, next) in [
            ("route add default via 10.0.0.254", 1), ("link set eth0-peer down", 2), ("link set eth0-peer up", 1),
            ("link set eth0 down", 3),
        ] {
            try network.topology.ip(command)
            for item in watched where item.row.flags[state] != item.row.flags[next] {
                let told = try item.recorder.next()
                #expect(told == item.row.flags[next], "\(item.row.target) after \(command)")
            }
            try network.settle()
            for item in watched {
                try item.recorder.finishDeliveries()
                #expect(item.recorder.untaken == 0, "\(item.row.target) after \(command)")
                let flags = try item.reference.getFlags()
                #expect(flags == item.row.flags[next], "\(item.row.target) after \(command)")
            }
            state = next
        }
        for item in watched { try item.reference.setDispatchQueue(nil) }
        try network.end()
    }

    @Test func `equal addresses share their lookups, and each is called back`() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        let watched = try (0..<10).map { _ in (try network.reference("192.0.2.1"), CallbackRecorder()) }
        for (reference, recorder) in watched { try recorder.watch(reference) }
        try network.settle()
        let before = watched[0].0.statistics
        try network.topology.ip("route add 192.0.2.0/24 via 10.0.0.254")
        for (_, recorder) in watched { #expect(try recorder.next() == .reachable) }
        let after = watched[0].0.statistics
        #expect(after.deliveries - before.deliveries == 10)
        for (reference, _) in watched { try reference.setDispatchQueue(nil) }
        try network.end()
    }

    @Test func `are found by the prefix of a route, and no others`() {
        var table = WatchTable()
        func watch(_ target: Target) { _ = table.watch(target, RoutingKeys()) }
        for number in 0..<50 { watch(.address(IPAddress(text: "192.0.2.\(number)"))) }
        for number in 0..<50 { watch(.address(IPAddress(text: "2001:db8::\(number)"))) }
        watch(.pair(local: IPAddress(text: "10.0.0.1"), remote: IPAddress(text: "192.0.2.200")))
        watch(.defaultPath)
        func count(_ prefix: String) -> Int {
            var count = 0
            table.forEach(in: Prefix(text: prefix)) { _ in count += 1 }
            return count
        }
        #expect(count("192.0.2.16/30") == 4)
        #expect(count("192.0.2.7/32") == 1)
        #expect(count("192.0.2.200/32") == 1 && count("10.0.0.0/8") == 1)
        #expect(count("0.0.0.0/1") == 2, "the pair's local side, and the default path")
        #expect(count("2001:db8::/126") == 4)
        #expect(count("2001:db8::/32") == 50)
        #expect(count("203.0.113.0/24") == 0)
    }

    @Test func `a mark is matched by the rules that name it`() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        try network.topology.ip("route add default via 10.0.0.254")
        let marked = CallbackRecorder()
        var options = ReachabilityOptions()
        options.mark = 7
        let reference = try network.topology.run { try ReachabilityRef(address: "192.0.2.1", options: options) }
        let plain = try network.reference("192.0.2.1")
        try marked.watch(reference)
        try network.recorder.watch(plain)
        try network.topology.ip("rule add fwmark 7 blackhole")
        #expect(try marked.next() == [])
        try network.settle()
        #expect(network.recorder.all == [])
        for reference in [reference, plain] { try reference.setDispatchQueue(nil) }
        try network.end()
    }

    @Test func `an address bound to an interface is called back for routes of that interface only`() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        try network.topology.wire("eth1", address: "10.1.0.1/24")
        var options = ReachabilityOptions()
        options.interface = "eth1"
        let reference = try network.topology.run { try ReachabilityRef(address: "192.0.2.1", options: options) }
        try network.recorder.watch(reference)
        try network.topology.ip("route add default via 10.0.0.254")
        try network.settle()
        #expect(network.recorder.all == [])
        try network.topology.ip("route add default via 10.1.0.254 dev eth1 metric 9")
        #expect(try network.recorder.next() == .reachable)
        try reference.setDispatchQueue(nil)
        try network.end()
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import TestHosts
import TestTopology
import Testing

@testable import ReachabilityKit

@Suite("A watched address", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct TransitionTests {
    @Test("is called back once for each change, and never for none")
    func transitions() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        let reference = try network.reference("192.0.2.1")
        try network.recorder.watch(reference)

        try network.topology.ip("route add default via 10.0.0.254")
        #expect(try network.recorder.next() == .reachable)
        try network.topology.ip("link set eth0-peer down")
        #expect(try network.recorder.next() == [])
        try network.topology.ip("link set eth0-peer up")
        #expect(try network.recorder.next() == .reachable)
        try network.topology.ip("link set eth0 down")
        #expect(try network.recorder.next() == [])

        try network.settle()
        #expect(network.recorder.untaken == 0)
        try reference.setDispatchQueue(nil)
        try network.end()
    }

    @Test("is not called back for a burst that ends where it began")
    func silence() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        try network.topology.ip("route add default via 10.0.0.254")
        let reference = try network.reference("192.0.2.1")
        try network.recorder.watch(reference)

        // A container comes and goes.
        try network.topology.wire("veth7", address: "172.17.0.1/16")
        try network.topology.ip("link del veth7")
        // Neither the packet size nor a renewed lease concerns reachability.
        try network.topology.ip("link set eth0 mtu 1400")
        try network.topology.ip("address change 10.0.0.1/24 dev eth0 valid_lft 3600 preferred_lft 3600")
        // The same route again, and a route to other addresses.
        try network.topology.ip("route replace default via 10.0.0.254")
        try network.topology.ip("route add 203.0.113.0/24 via 10.0.0.254")

        try network.settle()
        #expect(network.recorder.all == [])
        #expect(try reference.getFlags() == .reachable)
        try reference.setDispatchQueue(nil)
        try network.end()
    }

    @Test("hears of another interface though the flags are the same")
    func interfaceChange() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        try network.topology.wire("eth1", address: "10.1.0.1/24")
        try network.topology.ip("route add default via 10.0.0.254")
        let reference = try network.reference("192.0.2.1")
        try network.recorder.watch(reference)
        try network.topology.ip("route replace default via 10.1.0.254")
        #expect(try network.recorder.next() == .reachable)
        try reference.setDispatchQueue(nil)
        try network.end()
    }

    /// Changes that the kernel announces in one group only, or with few messages (Docs/Behaviour.md). Each changes the
    /// answer, so each must be noticed.
    @Test(
        "hears of every kind of change",
        arguments: [
            (
                name: "a policy rule", on: "rule add to 192.0.2.0/24 blackhole",
                off: "rule del to 192.0.2.0/24 blackhole"
            ),
            (name: "a host route", on: "route add prohibit 192.0.2.1", off: "route del prohibit 192.0.2.1"),
            (
                name: "half of everything", on: "route add unreachable 128.0.0.0/1",
                off: "route del unreachable 128.0.0.0/1"
            ),
            (name: "a link without its other end", on: "link set eth0-peer down", off: "link set eth0-peer up"),
            (name: "a dormant link", on: "link set eth0 state dormant", off: "link set eth0 state up"),
        ])
    func kinds(change: (name: String, on: String, off: String)) throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        try network.topology.ip("route add default via 10.0.0.254")
        let reference = try network.reference("192.0.2.1")
        try network.recorder.watch(reference)
        try network.topology.ip(change.on)
        #expect(try network.recorder.next() != .reachable)
        try network.topology.ip(change.off)
        #expect(try network.recorder.next() == .reachable)
        try network.settle()
        #expect(network.recorder.untaken == 0)
        try reference.setDispatchQueue(nil)
        try network.end()
    }

    @Test("hears of a deleted next-hop object, of which the routes say nothing")
    func nextHopObject() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        try network.topology.ip("nexthop add id 7 via 10.0.0.254 dev eth0")
        try network.topology.ip("route add 192.0.2.0/24 nhid 7")
        let reference = try network.reference("192.0.2.1")
        try network.recorder.watch(reference)
        try network.topology.ip("nexthop del id 7")
        #expect(try network.recorder.next() == [])
        try reference.setDispatchQueue(nil)
        try network.end()
    }

    @Test("hears of the end of an IPv6 route, which the kernel announces half a minute late")
    func expiry() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "2001:db8::1/64")
        try network.topology.ip("-6 route add 2001:db8:1::/48 via 2001:db8::2 expires 2")
        let reference = try network.reference("2001:db8:1::1")
        #expect(try reference.getFlags() == .reachable)
        try network.recorder.watch(reference)
        #expect(try network.recorder.next() == [])
        try reference.setDispatchQueue(nil)
        try network.end()
    }

    @Test("hears of each of several IPv6 routes that end one after the other")
    func expiries() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "2001:db8::1/64")
        let references = try ["2001:db8:1::1", "2001:db8:2::1"].map { try network.reference($0) }
        for (number, seconds) in [(1, 2), (2, 4)] {
            try network.topology.ip("-6 route add 2001:db8:\(number)::/48 via 2001:db8::2 expires \(seconds)")
        }
        for reference in references { try network.recorder.watch(reference) }
        #expect(try references.map { try $0.getFlags() } == [.reachable, .reachable])
        #expect(try network.recorder.next() == [])
        #expect(try references.map { try $0.getFlags() } == [[], .reachable])
        #expect(try network.recorder.next() == [])
        for reference in references { try reference.setDispatchQueue(nil) }
        try network.end()
    }

    @Test("hears of the sysctl that makes routes with a dead link count for nothing")
    func configuration() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        try network.topology.wire("eth1", address: "10.1.0.1/24")
        try network.topology.ip("route add default via 10.0.0.254 metric 1")
        try network.topology.ip("route add default via 10.1.0.254 metric 2")
        let reference = try network.reference("192.0.2.1")
        try network.recorder.watch(reference)
        try network.topology.ip("link set eth0-peer down")
        #expect(try network.recorder.next() == [])
        try network.finishRechecks()
        try network.topology.set("net.ipv4.conf.eth0.ignore_routes_with_linkdown", 1)
        #expect(try network.recorder.next() == .reachable)
        try reference.setDispatchQueue(nil)
        try network.end()
    }
}

// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestHosts
import TestTopology
import Testing

@testable import ReachabilityKit
@testable import Routes

@Suite("A watched address behind a link", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct LinkKindTests {
    @Test(
        .needs(.tun),
        arguments: [
            (.tunnel, [.reachable, .transientConnection]), (.ppp, [.reachable, .transientConnection]),
            (.rawIP, [.reachable, .transientConnection, .isWWAN]),
        ] as [(Topology.TunKind, ReachabilityFlags)])
    func `that dials hears of the connection's coming and going`(
        kind: Topology.TunKind, flags: ReachabilityFlags
    ) throws {
        let network = try WatchedNetwork()
        try network.watch("192.0.2.1")
        let device = try network.topology.tun("dial0", kind, address: "10.64.0.1/32")
        try network.topology.ip("route add default dev dial0")
        #expect(try network.recorder.next() == flags)
        try device.setCarrier(false)
        #expect(try network.recorder.next() == [])
        try device.setCarrier(true)
        #expect(try network.recorder.next() == flags)
        device.close()
        #expect(try network.recorder.next() == [])
        try network.settle()
        #expect(network.recorder.untaken == 0)
    }

    @Test func `that moves to another namespace hears of it`() throws {
        let network = try WatchedNetwork("10.0.0.1/24", "route add default via 10.0.0.254")
        let other = try Topology()
        try network.watch("192.0.2.1")
        try network.topology.ip("link set eth0 netns \(other.namespacePath)")
        #expect(try network.recorder.next() == [])
    }

    @Test func `that is one leg of several hears of its end, and of the last one's`() throws {
        let network = try WatchedNetwork()
        for number in 0..<2 { try network.topology.wire("eth\(number)", address: "10.\(number).0.1/24") }
        try network.topology.ip("route add default nexthop via 10.0.0.254 nexthop via 10.1.0.254")
        let reference = try network.watch("192.0.2.1")
        let first = try network.topology.index(of: "eth0")
        let isFirst = try reference.currentVerdict().interface == first
        try network.topology.ip("link set \(isFirst ? "eth0" : "eth1") down")
        #expect(try network.recorder.next() == .reachable)
        try network.topology.ip("link set \(isFirst ? "eth1" : "eth0") down")
        #expect(try network.recorder.next() == [])
        try network.settle()
        #expect(network.recorder.untaken == 0)
    }

    @Test func `that is the loopback itself hears of IPv6's, and keeps IPv4's`() throws {
        let topology = try Topology()
        let (six, four) = (CallbackRecorder(), CallbackRecorder())
        let references = try topology.run {
            (try ReachabilityRef(address: "::1"), try ReachabilityRef(address: "127.0.0.1"))
        }
        try six.watch(references.0)
        try four.watch(references.1)
        try topology.ip("link set lo down")
        #expect(try six.next() == [])
        try topology.ip("link set lo up")
        #expect(try six.next() == Scene.own)
        #expect(try references.1.getFlags() == Scene.own)
        try four.finishDeliveries()
        #expect(four.all == [])
        try references.0.setDispatchQueue(nil)
        try references.1.setDispatchQueue(nil)
    }

    @Test(arguments: [
        (family: "ipv4", net: "10.%.0.1/24", gateway: "10.%.0.254", target: "192.0.2.1"),
        (family: "ipv6", net: "2001:db8:0:%::1/64", gateway: "2001:db8:0:%::2", target: "2001:db8:7::1"),
    ])
    func `hears of the sysctl that makes routes with a dead link count for nothing`(
        way: (family: String, net: String, gateway: String, target: String)
    ) throws {
        let network = try WatchedNetwork()
        for number in ["0", "1"] {
            try network.topology.wire("eth\(number)", address: way.net.replacing("%", with: number))
            let option = way.family == "ipv4" ? "-4" : "-6"
            let gateway = way.gateway.replacing("%", with: number)
            try network.topology.ip("\(option) route add default via \(gateway) metric 1\(number)")
        }
        try network.watch(way.target)
        try network.topology.ip("link set eth0-peer down")
        #expect(try network.recorder.next() == [])
        try network.finishRechecks()
        try network.topology.set("net.\(way.family).conf.eth0.ignore_routes_with_linkdown", 1)
        #expect(try network.recorder.next() == .reachable)
    }

    @Test func `whose routes count for nothing while it is dead hears of the other way`() throws {
        let network = try WatchedNetwork()
        for number in 0..<2 { try network.topology.wire("eth\(number)", address: "10.\(number).0.1/24") }
        try network.topology.ip("route add default via 10.0.0.254 metric 1")
        try network.topology.ip("route add default via 10.1.0.254 metric 2")
        try network.topology.set("net.ipv4.conf.eth0.ignore_routes_with_linkdown", 1)
        try network.watch("192.0.2.1")
        try network.topology.ip("link set eth0-peer down")
        // The link is announced as dead a moment before its routes are.
        var told = try network.recorder.next()
        if told == [] { told = try network.recorder.next() }
        #expect(told == .reachable)
        try network.settle()
        #expect(network.recorder.untaken == 0)
    }
}

// SPDX-License-Identifier: Apache-2.0

import TestHosts
import TestTopology
import Testing

@testable import ReachabilityKit
@testable import Routes

@Suite("A watched target with keys", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct WatchedKeyTests {
    /// At each reconnect, pppd removes the link and makes another one of the same name.
    @Test func `bound to an interface follows its name to a link that was made anew`() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24", index: 100)
        let reference = try network.reference("10.0.0.9") { $0.interface = "eth0" }
        try network.watch(reference)
        #expect(try reference.getFlags() == [.reachable, .isDirect])

        try network.topology.ip("link del eth0")
        #expect(try network.recorder.next() == [])
        #expect(try reference.getFlags() == [])
        #expect(try reference.explain().reason == "the interface asked for does not exist now")

        try network.topology.wire("eth0", address: "10.0.0.1/24", index: 200)
        #expect(try network.recorder.next() == [.reachable, .isDirect])
        #expect(try reference.getFlags() == [.reachable, .isDirect])
    }

    @Test func `bound to an interface is watched before there is one of its name`() throws {
        let network = try WatchedNetwork()
        let reference = try network.watch("fe80::9%late0")
        #expect(try reference.getFlags() == [])
        try network.topology.wire("late0", address: "fe80::1/64")
        #expect(try network.recorder.next() == [.reachable, .isDirect])
        try network.topology.ip("link del late0")
        #expect(try network.recorder.next() == [])
    }

    @Test(.needs(.otherUsers)) func `is watched for the owner of the sockets of the thread that scheduled it`() throws {
        let network = try WatchedNetwork(
            "10.0.0.1/24", "route add default via 10.0.0.254", "route add prohibit default table 1000")
        let reference = try network.reference("192.0.2.1")
        try CallingThread.asUserOfFiles(1000) { try network.watch(reference) }
        try network.topology.ip("rule add uidrange 1000-1999 table 1000 priority 100")
        #expect(try network.recorder.next() == [])
        try network.topology.ip("rule delete priority 100")
        #expect(try network.recorder.next() == .reachable)
        try network.topology.ip("rule add uidrange 0-0 table 1000 priority 100")
        try network.settle()
        #expect(network.recorder.untaken == 0)
    }

    @Test func `and a mark is matched by the rules that name it`() throws {
        let network = try WatchedNetwork("10.0.0.1/24", "route add default via 10.0.0.254")
        let marked = CallbackRecorder()
        try network.watch(network.reference("192.0.2.1") { $0.mark = 7 }, on: marked)
        try network.watch("192.0.2.1")
        try network.topology.ip("rule add fwmark 7 blackhole")
        #expect(try marked.next() == [])
        try network.settle()
        #expect(network.recorder.all == [])
    }

    @Test func `bound to an interface is called back for routes of that interface only`() throws {
        let network = try WatchedNetwork("10.0.0.1/24")
        try network.topology.wire("eth1", address: "10.1.0.1/24")
        try network.watch(network.reference("192.0.2.1") { $0.interface = "eth1" })
        try network.topology.ip("route add default via 10.0.0.254")
        try network.settle()
        #expect(network.recorder.all == [])
        try network.topology.ip("route add default via 10.1.0.254 dev eth1 metric 9")
        #expect(try network.recorder.next() == .reachable)
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import TestHosts
import TestTopology
import Testing

@Suite("A target bound to an interface", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct NamedInterfaceTests {
    /// At each reconnect, pppd removes the link and makes another one of the same name.
    @Test("follows the interface's name to a link that was made anew")
    func reconnect() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24", index: 100)
        let reference = try network.topology.run {
            var options = ReachabilityOptions()
            options.interface = "eth0"
            return try ReachabilityRef(address: "10.0.0.9", options: options)
        }
        try network.recorder.watch(reference)
        #expect(try reference.getFlags() == [.reachable, .isDirect])

        try network.topology.ip("link del eth0")
        #expect(try network.recorder.next() == [])
        #expect(try reference.getFlags() == [])
        #expect(try reference.explain().reason == "the interface asked for does not exist now")

        try network.topology.wire("eth0", address: "10.0.0.1/24", index: 200)
        #expect(try network.recorder.next() == [.reachable, .isDirect])
        #expect(try reference.getFlags() == [.reachable, .isDirect])
        try reference.setDispatchQueue(nil)
        try network.end()
    }

    @Test("is watched before there is an interface of its name")
    func late() throws {
        let network = try WatchedNetwork()
        let reference = try network.reference("fe80::9%late0")
        try network.recorder.watch(reference)
        #expect(try reference.getFlags() == [])
        try network.topology.wire("late0", address: "fe80::1/64")
        #expect(try network.recorder.next() == [.reachable, .isDirect])
        try network.topology.ip("link del late0")
        #expect(try network.recorder.next() == [])
        try reference.setDispatchQueue(nil)
        try network.end()
    }
}

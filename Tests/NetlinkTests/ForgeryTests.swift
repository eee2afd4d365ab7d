// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
import LinuxSystem
import Netlink
import TestTopology
import Testing

@Suite("Messages to a requester's socket", .timeLimit(.minutes(10)), .needs(.namespaces))
struct ForgeryTests {
    @Test("the kernel refuses what another socket sends to it, and delivers its own")
    func refused() throws {
        let topology = try Topology()
        try topology.run {
            let transport = try KernelTransport()
            let message: [UInt8] = Array("forged message".utf8)
            let sent = unsafe message.withUnsafeBytes { bytes in
                unsafe topology_forge_netlink(transport.port, 0, bytes.baseAddress, bytes.count, 1)
            }
            #expect(sent == -ECONNREFUSED)
            let requester = NetlinkRequester(transport: transport)
            #expect(try requester.linkIndex(of: "lo")?.rawValue == 1)
        }
    }

    @Test("a message of root to the link group counts as a change of links, and is no answer")
    func announced() throws {
        let topology = try Topology()
        try topology.run {
            let requester = try NetlinkRequester()
            let loopback = try #require(InterfaceIndex(1))
            #expect(try requester.link(loopback)?.flags.contains(.up) == true)
            #expect(requester.linkGeneration == 0)
            // The messages look like the kernel's, except for the sequence number.
            let sent = unsafe Change.link(loopback, up: false).withBytes { bytes in
                unsafe topology_forge_netlink(0, 1, bytes.baseAddress, bytes.count, 3)
            }
            #expect(sent == 3)
            #expect(try requester.link(loopback)?.flags.contains(.up) == true)
            #expect(requester.linkGeneration == 3 && requester.counters.strays == 3)
            // Bytes that are no message, as many as the queue holds.
            let garbage = [UInt8](repeating: 0xFF, count: 100)
            let garbageSent = unsafe garbage.withUnsafeBytes { bytes in
                unsafe topology_forge_netlink(0, 1, bytes.baseAddress, bytes.count, 10_000)
            }
            #expect(garbageSent > 100)
            #expect(try requester.link(loopback)?.flags.contains(.up) == true)
            #expect(requester.counters.overruns == 1)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
import LinuxSystem
import Netlink
import NetworkFacts
import TestTopology
import Testing

@Suite("Messages to a conversation's socket", .timeLimit(.minutes(10)), .needs(.namespaces))
struct ForgeryTests {
    @Test("the kernel refuses what another socket sends to it, and delivers its own")
    func refused() throws {
        let topology = try Topology()
        try topology.run {
            let transport = try KernelTransport()
            let message: [UInt8] = Array("forged message".utf8)
            let sent = unsafe message.withUnsafeBytes { bytes in
                unsafe topology_forge_netlink(transport.port, bytes.baseAddress, bytes.count, 1)
            }
            #expect(sent == -ECONNREFUSED)
            let conversation = Conversation(transport: transport)
            #expect(try conversation.linkIndex(of: "lo")?.rawValue == 1)
        }
    }
}

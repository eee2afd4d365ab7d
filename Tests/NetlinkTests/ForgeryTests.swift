// SPDX-License-Identifier: Apache-2.0

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
            let forger = try NetlinkSocket()
            // struct sockaddr_nl: family, padding, port, groups.
            var target = (UInt16(AF_NETLINK), UInt16(0), transport.port, UInt32(0))
            let descriptor = forger.rawDescriptor
            let sent = unsafe withUnsafeBytes(of: &target) { bytes in
                unsafe sendto(
                    descriptor, "forged message", 14, 0, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), 12)
            }
            let error = errno
            #expect(sent == -1)
            #expect(error == ECONNREFUSED)
            let conversation = Conversation(transport: transport)
            #expect(try conversation.linkIndex(of: "lo")?.rawValue == 1)
        }
    }
}

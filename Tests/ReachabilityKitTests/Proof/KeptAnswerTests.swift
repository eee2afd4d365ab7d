// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import NetworkFacts
import Synchronization
import TestTopology
import Testing

@testable import ReachabilityKit

/// To which question a kept answer belongs.
@Suite("A kept answer", .timeLimit(.minutes(10)), .needs(.namespaces))
struct KeptAnswerTests {
    private let target = Target(IPAddress(text: "127.0.0.1"))

    private func kernel() throws -> KernelAccess {
        try Topology().run {
            try KernelAccess(
                deviceTypes: DeviceTypes(), socketDefaults: { () throws(Errno) in try SocketDefaults(in: nil) }
            ) {
                () throws(NetlinkError) in throw .answersLost
            }
        }
    }

    /// Keeps an answer, which takes a second question under the same generation.
    private func keep(in cell: borrowing VerdictCache, _ kernel: KernelAccess, tag: UInt64 = 0) throws {
        kernel.lookupDelay.store(0, ordering: .relaxed)
        for _ in 0..<3 {
            _ = try kernel.askAndKeep(in: cell, tag: tag) { () throws(NetlinkError) in
                try kernel.ask(about: target, keys: RoutingKeys())
            }
        }
        try #require(kernel.provenFlags(in: cell, tag: tag) == .own)
    }

    @Test("is not taken for one about a name's other addresses")
    func otherAddresses() throws {
        let cell = VerdictCache()
        let kernel = try kernel()
        try keep(in: cell, kernel, tag: 1)
        #expect(kernel.provenFlags(in: cell, tag: 2) == nil)
    }

    @Test("is not taken for one of another namespace's kernel, in which as much has happened")
    func otherKernel() throws {
        let cell = VerdictCache()
        let kernels = [try kernel(), try kernel()]
        try keep(in: cell, kernels[0])
        #expect(kernels[1].provenFlags(in: cell) == nil)
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@Suite("The state of the outgoing link", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct LinkStateTests {
    /// After one announcement of a carrier the kernel waits a second before the next (linkwatch_nextevent in
    /// net/core/link_watch.c), so the second loss is announced late. Kernels before 6.8 show meanwhile that it is gone.
    @Test(.needs(.tun))
    func `kept and new answers agree between the loss of a carrier and its announcement`() throws {
        let view = View()
        let tunnel = try view.topology.tun("tun0", address: "10.0.0.1/24")
        let other = try view.topology.tun("tun1", address: "10.1.0.1/24")
        let held = try view.reference("10.0.0.2")
        // On a busy machine the second may be over before the second carrier is lost.
        for _ in 0..<3 {
            try other.setCarrier(false)
            try view.topology.waitForLink("tun1", .down)
            #expect(try held.getFlags() == .tunnelled)
            try tunnel.setCarrier(false)
            var comparisons = 0
            try view.topology.waitUntil("the announcement") {
                // `link` asks by a socket of its own, as another process would.
                let before = try view.topology.linkFacts("tun0")?.readiness
                let kept = try held.getFlags()
                let explained = try held.explain().flags
                let new = try view.reference("10.0.0.2").getFlags()
                let after = try view.topology.linkFacts("tun0")?.readiness
                // Nothing can be compared across the announcement itself.
                if before == after {
                    comparisons += 1
                    let expected: ReachabilityFlags = after == .ready ? .tunnelled : .nothing
                    #expect([kept, explained, new] == [expected, expected, expected])
                }
                return after != .ready
            }
            try view.expect("10.0.0.2", are: .nothing, .linkBroken(.down))
            #expect(comparisons > 0)
            for (name, device) in [("tun0", tunnel), ("tun1", other)] {
                try device.setCarrier(true)
                try view.topology.waitForLink(name, .up)
            }
        }
    }
}

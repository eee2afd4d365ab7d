// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import NetworkFacts
import ReachabilityKit
import TestTopology
import Testing

/// The one change that the kernel makes in silence: an IPv6 route whose time is up.
@Suite("A route that expires", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct ExpiryTests {
    /// Asks until the answer is another, and tells how often the sentinel had to be emptied from the last old answer to
    /// the first new one. The limit is there for a test that fails; it is no measure of anything.
    private func drainsUntilChange(of reference: ReachabilityRef) throws -> Int? {
        let routingGeneration = try reference.namespace.kernel().routingGeneration
        let first = try reference.getFlags()
        let limit = SystemTime().now().advanced(by: .seconds(60))
        while SystemTime().now() < limit {
            let before = routingGeneration.drainCount
            if try reference.getFlags() != first { return routingGeneration.drainCount - before }
        }
        return nil
    }

    @Test(
        "ends for a cached answer too, while the kernel has announced nothing", arguments: ["2001:db8::1", "default"])
    func expires(_ target: String) throws {
        let prefix = target == "default" ? "::/0" : "2001:db8::/32"
        let wired = try Wired(ipv4: false)
        let reference = try wired.view.reference(target)
        #expect(try reference.getFlags() == .nothing)
        try wired.ip("-6 route add \(prefix) via fd00::254 dev eth0 expires 1")
        #expect(try reference.getFlags() == .routed)
        #expect(try drainsUntilChange(of: reference) == 0)
        #expect(try reference.getFlags() == .nothing)
        // The kernel keeps the dead route for half a minute and tells of its end only then.
        #expect(try wired.topology.ip("-6 route show \(prefix)").contains("via fd00::254"))
    }

    @Test("keeps its answer where it is renewed in time")
    func renewed() throws {
        let wired = try Wired(ipv4: false, "-6 route add 2001:db8::/32 via fd00::254 dev eth0 expires 1")
        let doomed = try wired.view.reference("2001:db9::1")
        let renewed = try wired.view.reference("2001:db8::1")
        try wired.ip("-6 route add 2001:db9::/32 via fd00::254 dev eth0 expires 1")
        #expect(try renewed.getFlags() == .routed)
        try wired.ip("-6 route replace 2001:db8::/32 via fd00::254 dev eth0 expires 1000")
        // By the time that a route of the same age is gone, this one would be.
        #expect(try drainsUntilChange(of: doomed) == 0)
        #expect(try renewed.getFlags() == .routed)
    }

    @Test("does not keep an answer for ever asking again where it never ends")
    func permanent() throws {
        let wired = try Wired(ipv4: false, "-6 route add 2001:db8::/32 via fd00::254 dev eth0")
        #expect(try wired.view.reference("2001:db8::1").getFlags() == .routed)
        try wired.view.expect("2001:db8::1", are: .routed, .throughGateway)
    }
}

// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import ReachabilityKit
import TestTopology
import Testing

/// The one change that the kernel does not announce: the expiry of an IPv6 route.
@Suite("A route that expires", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct ExpiryTests {
    /// Asks until the answer changes. Returns how often the queue was emptied between the last old answer and the first new
    /// one. The limit only ends a failing test.
    private func drainsUntilChange(of reference: ReachabilityRef) throws -> Int? {
        let freshness = try reference.namespace.kernel().freshness!
        let first = try reference.getFlags()
        let limit = SystemTime().now().advanced(by: .seconds(60))
        while SystemTime().now() < limit {
            let before = freshness.drainCount
            if try reference.getFlags() != first { return freshness.drainCount - before }
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
        // The kernel keeps the expired route for half a minute and announces its end only then.
        #expect(try wired.topology.ip("-6 route show \(prefix)").contains("via fd00::254"))
    }

    @Test("keeps its answer if it is renewed in time")
    func renewed() throws {
        let wired = try Wired(ipv4: false, "-6 route add 2001:db8::/32 via fd00::254 dev eth0 expires 1")
        let doomed = try wired.view.reference("2001:db9::1")
        let renewed = try wired.view.reference("2001:db8::1")
        try wired.ip("-6 route add 2001:db9::/32 via fd00::254 dev eth0 expires 1")
        #expect(try renewed.getFlags() == .routed)
        try wired.ip("-6 route replace 2001:db8::/32 via fd00::254 dev eth0 expires 1000")
        // When a route of the same age is gone, this one would be too.
        #expect(try drainsUntilChange(of: doomed) == 0)
        #expect(try renewed.getFlags() == .routed)
    }

    @Test("is not asked for again and again if it never expires")
    func permanent() throws {
        let wired = try Wired(ipv4: false, "-6 route add 2001:db8::/32 via fd00::254 dev eth0")
        #expect(try wired.view.reference("2001:db8::1").getFlags() == .routed)
        try wired.view.expect("2001:db8::1", are: .routed, .throughGateway)
    }
}

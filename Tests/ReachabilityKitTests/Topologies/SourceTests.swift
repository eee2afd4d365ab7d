// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

/// The kernel finds a route also where it has no address to send from (RTA_PREFSRC is ::1, or is not there).
@Suite("The address to send from", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct SourceTests {
    /// One that carries and has no address of its own, not even a link-local one.
    private func bare() throws -> Machine {
        let topology = try Machine()
        try topology.set("net.ipv6.conf.default.addr_gen_mode", 1)
        try topology.wire("eth0")
        try topology.ip("route add default dev eth0")
        try topology.ip("-6 route add default dev eth0")
        return topology
    }

    @Test func `a link-local address is one to send from`() throws {
        let view = View(try bare())
        try view.topology.ip("address add fe80::1/64 dev eth0 nodad")
        try view.topology.ip("address add 169.254.7.7/16 dev eth0")
        try view.topology.waitForRoute(to: IPAddress(text: "2001:db8::1")) { answer in
            if case .route(let route) = answer { route.source == IPAddress(text: "fe80::1") } else { false }
        }
        try view.expect("2001:db8::1", "192.0.2.1", "fe80::5%eth0", are: .direct, .onLink)
    }

    @Test("an address is none while its link is asked whether another machine has it, and is told of when it is one")
    func tentative() throws {
        let topology = try bare()
        // Duplicate address detection, for as long as the test takes.
        try topology.set("net.ipv6.conf.eth0.accept_dad", 1)
        try topology.set("net.ipv6.conf.eth0.dad_transmits", 1000)
        let view = View(topology)
        try topology.ip("address add 2001:db8:1::5/64 dev eth0")
        #expect(try topology.ip("-6 address show dev eth0").contains("tentative"))
        try view.expect("2001:db8::1", "2001:db8:1::7", "default", are: .nothing, .noSourceAddress)
        try view.expect("2001:db8::1", are: .nothing, .notOurAddress, options: { $0.sourceAddress = "2001:db8:1::5" })

        let reference = try view.reference("2001:db8::1")
        let (told, path) = (ReceivedValues<ReachabilityFlags>(), ReceivedValues<NetworkPath>())
        reference.setCallback { told.record($0) }
        try reference.setDispatchQueue(told.queue)
        defer { try? reference.setDispatchQueue(nil) }
        let subscription = try topology.run { try PathSource().observe { path.record($0) } }
        defer { subscription.cancel() }
        #expect(try path.next().ipv6 == nil)
        // A second that is usable at once stands for the end of the detection: the same announcement, RTM_NEWADDR.
        try topology.ip("address add 2001:db8:1::6/64 dev eth0 nodad")
        #expect(try told.next() == .direct)
        // Routes and addresses are announced one after the other, so the path may change more than once.
        try path.next { $0.ipv6 != nil }
        try view.expect("2001:db8::1", are: .direct, .onLink)
        try topology.ip("address del 2001:db8:1::6/64 dev eth0")
        #expect(try told.next() == .nothing)
        try path.next { $0.ipv6 == nil }
    }

    @Test func `an address becomes one when the detection has ended`() throws {
        let topology = try bare()
        try topology.set("net.ipv6.conf.eth0.accept_dad", 1)
        let reference = try View(topology).reference("2001:db8::1")
        let told = ReceivedValues<ReachabilityFlags>()
        try topology.ip("address add 2001:db8:1::5/64 dev eth0")
        reference.setCallback { told.record($0) }
        try reference.setDispatchQueue(told.queue)
        defer { try? reference.setDispatchQueue(nil) }
        #expect(try told.next() == .direct)
        #expect(try !topology.ip("-6 address show dev eth0").contains("tentative"))
    }
}

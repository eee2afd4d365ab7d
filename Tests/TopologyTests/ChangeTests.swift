// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import TestTopology
import Testing

@Suite("A change by netlink", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct ChangeTests {
    private let topology: Topology
    private let changer: Changer
    private let eth0: InterfaceIndex

    init() throws {
        topology = try Topology()
        try topology.wire("eth0", address: "10.0.0.1/24", "fd00::1/64")
        changer = try Changer(in: topology)
        eth0 = try topology.index(of: "eth0")
    }

    private func decision(_ destination: String) throws -> RouteDecision? {
        guard case .route(let decision) = try topology.route(to: IPAddress(text: destination)) else { return nil }
        return decision
    }

    @Test(
        "adds, replaces and deletes a route",
        arguments: [
            ("192.0.2.0/24", "192.0.2.1", "10.0.0.2", "10.0.0.3"),
            ("2001:db8::/32", "2001:db8::1", "fd00::2", "fd00::3"),
            ("192.0.2.0/24", "192.0.2.1", "fd00::2", "10.0.0.3"),
        ])
    func routes(_ prefix: String, _ address: String, _ first: String, _ second: String) throws {
        try changer.apply(.route(.add, prefix, via: first, through: eth0))
        #expect(try decision(address)?.gateway == IPAddress(text: first))
        try changer.apply(.route(.replace, prefix, via: second, through: eth0))
        #expect(try decision(address)?.gateway == IPAddress(text: second))
        try changer.apply(.route(.delete, prefix))
        #expect(try decision(address) == nil)
    }

    @Test("adds a route that is on-link, and one of a type that refuses")
    func otherRoutes() throws {
        try changer.apply(.route(.add, "192.0.2.0/24", through: eth0))
        #expect(try decision("192.0.2.1")?.interface == eth0)
        #expect(try decision("192.0.2.1")?.gateway == nil)
        try changer.apply(.route(.add, "198.51.100.0/24", kind: .prohibit))
        #expect(try topology.route(to: IPAddress(text: "198.51.100.1")) == .unreachable(.prohibited))
    }

    @Test("adds and deletes a rule")
    func rules() throws {
        try changer.apply(.route(.add, "0.0.0.0/0", via: "10.0.0.2", through: eth0, table: 1000))
        #expect(try decision("192.0.2.1") == nil)
        try changer.apply(.rule(.add, priority: 100, table: 1000, to: "192.0.2.0/24"))
        #expect(try decision("192.0.2.1")?.table == 1000)
        #expect(try decision("198.51.100.1") == nil)
        try changer.apply(.rule(.delete, priority: 100, table: 1000, to: "192.0.2.0/24"))
        #expect(try decision("192.0.2.1") == nil)
    }

    @Test("adds, replaces and deletes a next-hop object, and its routes with it")
    func nextHops() throws {
        try changer.apply(.nextHop(.add, 7, via: "10.0.0.2", through: eth0))
        try changer.apply(.route(.add, "192.0.2.0/24", nextHop: 7))
        #expect(try decision("192.0.2.1")?.gateway == IPAddress(text: "10.0.0.2"))
        try changer.apply(.nextHop(.replace, 7, via: "10.0.0.3", through: eth0))
        #expect(try decision("192.0.2.1")?.gateway == IPAddress(text: "10.0.0.3"))
        try changer.apply(.nextHop(.delete, 7))
        #expect(try decision("192.0.2.1") == nil)
    }

    @Test(
        "adds and deletes an address",
        arguments: [("10.1.0.1/24", "10.1.0.1"), ("fd01::1/64", "fd01::1")])
    func addresses(_ text: String, _ address: String) throws {
        try changer.apply(.address(.add, text, of: eth0))
        try topology.waitForOwn([text])
        #expect(try decision(address)?.kind == .local)
        try changer.apply(.address(.delete, text, of: eth0))
        #expect(try decision(address) == nil)
    }

    @Test("takes a link down and up")
    func links() throws {
        try changer.apply(.link(eth0, up: false))
        #expect(try topology.link("eth0")?.readiness == .disabled)
        #expect(try decision("10.0.0.2") == nil)
        try changer.apply(.link(eth0, up: true))
        #expect(try decision("10.0.0.2") != nil)
    }

    @Test("has a link wait, and work again")
    func linkStates() throws {
        try topology.waitForLink("eth0", .up)
        try changer.apply(.link(eth0, dormant: true))
        #expect(try topology.link("eth0")?.readiness == .dormant)
        #expect(try decision("10.0.0.2") != nil)
        try changer.apply(.link(eth0, dormant: false))
        #expect(try topology.link("eth0")?.readiness == .ready)
    }

    @Test("throws the kernel's error")
    func refusals() throws {
        #expect(throws: Errno(rawValue: 3)) { try changer.apply(.route(.delete, "192.0.2.0/24")) }  // ESRCH
        try changer.apply(.route(.add, "192.0.2.0/24", through: eth0))
        #expect(throws: Errno.fileExists) { try changer.apply(.route(.add, "192.0.2.0/24", through: eth0)) }
    }

    @Test("can be made many thousand times, each seen at once")
    func manyChanges() throws {
        let add = Change.route(.add, "192.0.2.0/24", through: eth0)
        let delete = Change.route(.delete, "192.0.2.0/24")
        let query = RouteQuery(destination: IPAddress(text: "192.0.2.1"))
        let wrong = try topology.run {
            let requester = try NetlinkRequester()
            var wrong = 0
            for _ in 0..<2000 {
                try changer.apply(add)
                if case .unreachable = try requester.route(query) { wrong += 1 }
                try changer.apply(delete)
                if case .route = try requester.route(query) { wrong += 1 }
            }
            return wrong
        }
        #expect(wrong == 0)
    }
}

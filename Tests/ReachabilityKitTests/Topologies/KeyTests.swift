// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import ReachabilityKit
import TestTopology
import Testing

/// The options of a reference that decide about the route.
@Suite("Options that decide about the route", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct KeyTests {
    @Test(arguments: [("-4", "10.0.0.254", "8.8.8.8"), ("-6", "fd00::254", "2001:db8::1")])
    func `a firewall mark takes the route that its rule says`(family: String, router: String, target: String) throws {
        let wired = try Wired(
            "\(family) rule add fwmark 7 table 1000\n\(family) route add default via \(router) dev eth0 table 1000")
        try wired.view.expect(target, "default", are: .nothing)
        try wired.view.expect(target, "default", are: .routed, options: { $0.mark = 7 })
        try wired.view.expect(target, "default", are: .nothing, options: { $0.mark = 8 })
    }

    @Test func `rules with a range of user ids hold for the caller's by default`() throws {
        let wired = try Wired("route add default via 10.0.0.254\nrule add uidrange 0-0 prohibit priority 100")
        try wired.view.expect("8.8.8.8", "default", are: .nothing, .refused(.prohibited))
        try wired.view.expect("8.8.8.8", are: .nothing, .refused(.prohibited), options: { $0.userID = 0 })
    }

    @Test(.needs(.otherUsers))
    func `a user id takes the route that its rule says`() throws {
        let wired = try Wired("rule add uidrange 1000-1999 table 1000\nroute add default via 10.0.0.254 table 1000")
        try wired.view.expect("8.8.8.8", "default", are: .nothing)
        try wired.view.expect("8.8.8.8", "default", are: .routed, options: { $0.userID = 1000 })
        try wired.view.expect("8.8.8.8", "default", are: .nothing, options: { $0.userID = 2000 })
    }

    @Test(.needs(.otherUsers))
    func `a mark and a user id count beside an interface too`() throws {
        let wired = try Wired(
            """
            route add default via 10.0.0.254
            rule add fwmark 7 prohibit priority 100
            rule add uidrange 1000-1999 unreachable priority 101
            """)
        try wired.view.expect("8.8.8.8", are: .routed, options: { $0.interface = "eth0" })
        try wired.view.expect("8.8.8.8", "default", are: .nothing) {
            ($0.interface, $0.mark) = ("eth0", 7)
        }
        try wired.view.expect("8.8.8.8", "default", are: .nothing) {
            ($0.interface, $0.userID) = ("eth0", 1000)
        }
    }

    @Test func `a source address takes the route that its rule says, and must be ours`() throws {
        let wired = try Wired(
            """
            address add 10.0.0.7/24 dev eth0
            rule add from 10.0.0.7 table 1000
            route add default via 10.0.0.254 table 1000
            """)
        try wired.view.expect("8.8.8.8", "default", are: .nothing)
        try wired.view.expect("8.8.8.8", "default", are: .routed, options: { $0.sourceAddress = "10.0.0.7" })
        try wired.view.expect("8.8.8.8", "default", are: .nothing, options: { $0.sourceAddress = "10.0.0.1" })
        try wired.view.expect(
            "8.8.8.8", "default", are: .nothing, .notOurAddress, options: { $0.sourceAddress = "10.0.0.8" })
        let why = try wired.view.reference("8.8.8.8") { $0.sourceAddress = "10.0.0.7" }.explain()
        #expect(why.source == "10.0.0.7")
    }

    @Test func `a source address and a pair exclude each other`() throws {
        let view = View()
        let error = try #require(throws: ReachabilityError.self) {
            try view.reference("10.0.0.1,8.8.8.8") { $0.sourceAddress = "10.0.0.7" }
        }
        #expect(error.code == .invalidOption)
    }

    @Test func `an interface without a route reaches nothing, although the kernel claims all of it on-link`() throws {
        let wired = try Wired("route add default via 10.0.0.254\n-6 route add default via fd00::254 dev eth0")
        try wired.topology.wire("eth1")
        try wired.view.expect(
            "8.8.8.8", "10.0.0.2", are: .nothing, .refused(.noRouteOnInterface), options: { $0.interface = "eth1" })
        try wired.view.expect("2001:db8::1", "fd00::2", "default", are: .nothing, options: { $0.interface = "eth1" })
        try wired.view.expect("8.8.8.8", "2001:db8::1", "default", are: .routed, options: { $0.interface = "eth0" })
        try wired.view.expect("10.0.0.2", are: .direct, options: { $0.interface = "eth0" })
    }

    @Test func `an interface takes its own route, however bad its metric`() throws {
        let wired = try Wired("route add default via 10.0.0.254 metric 100")
        try wired.topology.wire("eth1", address: "10.1.0.1/24")
        try wired.topology.ip("route add default via 10.1.0.254 metric 200")
        let eth1 = try wired.topology.index(of: "eth1")
        try wired.view.expect("8.8.8.8", "default", are: .routed, options: { $0.interface = "eth1" })
        #expect(try wired.view.verdict("8.8.8.8") { $0.interface = "eth1" }.interface == eth1)
        try wired.topology.ip("link set eth1-peer down")
        try wired.topology.waitForLink("eth1") { $0.readiness != .ready }
        try wired.view.expect("8.8.8.8", "default", are: .nothing, options: { $0.interface = "eth1" })
        try wired.view.expect("8.8.8.8", "default", are: .routed)
    }

    @Test func `a loopback address is this machine's from whichever interface`() throws {
        let wired = try Wired("route add default via 10.0.0.254")
        try wired.view.expect("127.0.0.1", "::1", are: .own, options: { $0.interface = "eth0" })
    }

    @Test(arguments: ["", "averyveryverylongname", "a/b", "eth0:1", "a b", "eth0\0x", ".", ".."])
    func `a name that no interface can have is refused`(_ name: String) throws {
        let wired = try Wired()
        let error = try #require(throws: ReachabilityError.self) {
            try wired.view.reference("8.8.8.8") { $0.interface = name }
        }
        #expect(error.code == .noSuchInterface)
        #expect(error.object == name)
    }

    // MARK: Namespaces

    @Test func `a reference looks into the namespace given, by path, from wherever it is asked`() throws {
        let wired = try Wired("route add default via 10.0.0.254")
        let path = wired.topology.namespacePath
        let inside = try ReachabilityRef(address: "8.8.8.8", options: options { $0.networkNamespace = .path(path) })
        let outside = try Topology().run { try ReachabilityRef(address: "8.8.8.8") }
        #expect(try inside.getFlags() == .routed)
        #expect(try outside.getFlags() == .nothing)
        try wired.topology.ip("route delete default")
        #expect(try inside.getFlags() == .nothing)
        try wired.topology.ip("address add fe80::7/64 dev eth0 nodad")
        try wired.topology.waitForOwn(["fe80::7/64"])
        let scoped = try ReachabilityRef(
            address: "fe80::1%eth0", options: options { $0.networkNamespace = .path(path) })
        #expect(try scoped.getFlags() == .direct)
    }

    @Test func `a namespace that is none is refused, and says what it was`() throws {
        for (namespace, object) in [
            (ReachabilityOptions.NetworkNamespace.name("nosuchname"), "nosuchname"), (.name("../run"), "../run"),
            (.path("/nowhere"), "/nowhere"), (.descriptor(-1), "descriptor -1"),
        ] {
            let error = try #require(throws: ReachabilityError.self) {
                try ReachabilityRef(address: "8.8.8.8", options: options { $0.networkNamespace = namespace })
            }
            #expect(error.code == .invalidOption)
            #expect(error.object == object)
            #expect(error.errno != nil)
        }
    }

    @Test func `a file that is no namespace is refused`() throws {
        let error = try #require(throws: ReachabilityError.self) {
            try ReachabilityRef(address: "8.8.8.8", options: options { $0.networkNamespace = .path("/dev/null") })
                .getFlags()
        }
        #expect(!error.description.isEmpty)
    }

    private func options(_ configure: (inout ReachabilityOptions) -> Void) -> ReachabilityOptions {
        var options = ReachabilityOptions()
        configure(&options)
        return options
    }
}

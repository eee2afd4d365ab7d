// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestHosts
import TestTopology
import TestWaiting
import Testing

@testable import ReachabilityKit
@testable import Routes

/// What is done to a network, and what the callbacks must tell.
struct Scene: CustomTestStringConvertible, Sendable {
    let name: String
    var target = "192.0.2.1"
    var setup: [String] = []
    /// Each command, and the flags of the one callback that it causes; nil if it causes none.
    let steps: [(command: String, flags: ReachabilityFlags?)]

    var testDescription: String { name }

    static let direct: ReachabilityFlags = [.reachable, .isDirect]
    static let own: ReachabilityFlags = [.reachable, .isDirect, .isLocalAddress]

    /// Every scene has two links, of which the first has the default routes.
    static let beginning = ["route add default via 10.0.0.254", "-6 route add default via 2001:db8::2 dev eth0"]

    /// Runs a command of `ip`, or "sysctl NAME=VALUE".
    private func perform(_ command: String, in topology: Topology) throws {
        guard command.hasPrefix("sysctl ") else {
            try topology.ip(command)
            return
        }
        let parts = command.dropFirst(7).split(separator: "=")
        try topology.set(String(parts[0]), Int(parts[1])!)
    }

    func play() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24", "2001:db8::1/64")
        try network.topology.wire("eth1", address: "10.1.0.1/24", "2001:db8:0:1::1/64")
        for command in Self.beginning + setup { try perform(command, in: network.topology) }
        let reference = try network.watch(target)
        var present = try reference.getFlags()
        for (command, flags) in steps {
            // Repeated looks would also find what is not announced.
            try network.finishRechecks()
            try perform(command, in: network.topology)
            if let flags {
                let told = try network.recorder.next()
                #expect(told == flags, "after \(command)")
                present = flags
            } else {
                try network.settle()
            }
            #expect(network.recorder.untaken == 0, "after \(command)")
            #expect(try reference.getFlags() == present, "after \(command)")
        }
        try network.settle()
        #expect(network.recorder.untaken == 0)
    }
}

/// The rows of the table of announcements in Docs/Behaviour.md. Each change leads to exactly one callback.
@Suite("A callback comes exactly once", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct SilentChangeTests {
    @Test(arguments: [
        Scene(name: "a device is deleted, and its routes with it", steps: [("link del eth0", [])]),
        Scene(
            name: "the address of a network goes and comes", target: "10.0.0.7",
            steps: [
                ("route del default", nil), ("address del 10.0.0.1/24 dev eth0", []),
                ("address add 10.0.0.1/24 dev eth0", Scene.direct),
            ]),
        Scene(
            name: "the source address that a route prefers goes", setup: ["address add 10.0.0.9/32 dev eth0"],
            steps: [
                ("route del default", []), ("route add 192.0.2.0/24 via 10.0.0.254 src 10.0.0.9", .reachable),
                ("address del 10.0.0.9/32 dev eth0", []),
            ]),
        Scene(
            name: "the route leads through an IPv6 gateway",
            steps: [
                ("route del default", []), ("-4 route add default via inet6 2001:db8::2 dev eth0", .reachable),
                ("route del default", []),
            ]),
        Scene(
            name: "a table that a rule points to is filled and emptied",
            setup: ["route del default", "rule add from all lookup 100 priority 500"],
            steps: [
                ("route add default via 10.0.0.254 table 100", .reachable), ("route del default table 100", []),
            ]),
        Scene(
            name: "a link is taken down and brought up", target: "10.0.0.7", setup: ["route del default"],
            steps: [("link set eth0 down", []), ("link set eth0 up", Scene.direct)]),
        Scene(
            name: "a bridge loses and regains its only port", target: "172.16.0.7",
            setup: [
                "route del default", "link add br0 type bridge", "link set eth1 master br0",
                "address add 172.16.0.1/24 dev br0",
            ],
            steps: [
                ("link set br0 up", Scene.direct), ("link set eth1 nomaster", []),
                ("link set eth1 master br0", Scene.direct),
            ]),
        Scene(
            name: "a next-hop object is replaced, of which routes say nothing",
            setup: [
                "sysctl net.ipv4.nexthop_compat_mode=0", "nexthop add id 7 via 10.0.0.254 dev eth0",
                "route add 192.0.2.0/24 nhid 7",
            ],
            steps: [
                ("nexthop replace id 7 blackhole", []), ("nexthop replace id 7 via 10.0.0.254 dev eth0", .reachable),
                ("nexthop replace id 7 via 10.1.0.254 dev eth1", .reachable), ("nexthop del id 7", .reachable),
            ]),
        Scene(
            name: "the interface is another, with the same flags",
            steps: [("route replace default via 10.1.0.254", .reachable)]),
        Scene(
            name: "a rule comes and goes",
            steps: [
                ("rule add to 192.0.2.0/24 blackhole", []), ("rule del to 192.0.2.0/24 blackhole", .reachable),
            ]),
        Scene(
            name: "a route to half of everything comes and goes",
            steps: [
                ("route add unreachable 128.0.0.0/1", []), ("route del unreachable 128.0.0.0/1", .reachable),
            ]),
        Scene(
            name: "a link waits for a login",
            steps: [
                ("link set eth0 state dormant", [.reachable, .connectionRequired]),
                ("link set eth0 state up", .reachable),
            ]),
        Scene(
            name: "the lifetime of an address has passed", target: "10.0.0.7", setup: ["route del default"],
            steps: [("address change 10.0.0.1/24 dev eth0 valid_lft 2 preferred_lft 2", [])]),
    ])
    func `where, in IPv4,`(scene: Scene) throws { try scene.play() }

    @Test(arguments: [
        Scene(
            name: "a route goes and comes", target: "2001:db8:7::1",
            steps: [
                ("-6 route del default", []), ("-6 route add default via 2001:db8::2", .reachable),
                ("-6 route add unreachable 2001:db8:7::/48", []),
                ("-6 route del unreachable 2001:db8:7::/48", .reachable),
            ]),
        Scene(
            name: "a rule comes and goes", target: "2001:db8:7::1",
            steps: [
                ("-6 rule add to 2001:db8:7::/48 blackhole", []),
                ("-6 rule del to 2001:db8:7::/48 blackhole", .reachable),
            ]),
        Scene(
            name: "a next-hop object is replaced, of which routes say nothing", target: "2001:db8:7::1",
            setup: [
                "sysctl net.ipv4.nexthop_compat_mode=0", "nexthop add id 7 via 2001:db8::2 dev eth0",
                "-6 route add 2001:db8:7::/48 nhid 7",
            ],
            steps: [
                ("nexthop replace id 7 via 2001:db8:0:1::2 dev eth1", .reachable), ("nexthop del id 7", .reachable),
            ]),
        Scene(
            name: "IPv6 is turned off", target: "2001:db8:7::1",
            steps: [("sysctl net.ipv6.conf.eth0.disable_ipv6=1", [])]),
        Scene(
            name: "the lifetime of an address has passed", target: "2001:db8::7",
            setup: ["-6 route del default"],
            steps: [("address change 2001:db8::1/64 dev eth0 valid_lft 2 preferred_lft 2", [])]),
        Scene(
            name: "the other end is unplugged", target: "2001:db8::7",
            steps: [("link set eth0-peer down", []), ("link set eth0-peer up", Scene.direct)]),
    ])
    func `where, in IPv6,`(scene: Scene) throws { try scene.play() }

    @Test(.needs(.ownersSettings))
    func `where, in IPv6, a link goes down without a word about its routes`() throws {
        let scene = Scene(
            name: "no word about routes", target: "2001:db8:7::1",
            setup: ["sysctl net.ipv6.route.skip_notify_on_dev_down=1"], steps: [("link set eth0 down", [])])
        try scene.play()
    }

    /// The kernel announces the end of an IPv6 route when it collects such routes (fib6_run_gc in net/ipv6/ip6_fib.c): here not
    /// within the hour, so only the look at that moment can find it. The lifetimes have room for a program's start.
    @Test(.needs(.ownersSettings)) func `where several IPv6 routes end one after the other`() throws {
        let network = try WatchedNetwork("2001:db8::1/64")
        try network.topology.set("net.ipv6.route.gc_interval", 3600)
        let references = try ["2001:db8:1::1", "2001:db8:2::1"].map { try network.reference($0) }
        for (number, seconds) in [(1, 6), (2, 12)] {
            try network.topology.ip("-6 route add 2001:db8:\(number)::/48 via 2001:db8::2 expires \(seconds)")
        }
        for reference in references { try network.watch(reference) }
        #expect(try references.map { try $0.getFlags() } == [.reachable, .reachable])
        #expect(try network.recorder.next() == [])
        #expect(try references.map { try $0.getFlags() } == [[], .reachable])
        #expect(try network.recorder.next() == [])
    }

    @Test(arguments: [
        Scene(
            name: "the default path loses IPv4 and IPv6 one after the other", target: "default",
            steps: [
                ("-6 route del default", nil), ("route del default", []),
                ("-6 route add default via 2001:db8::2", .reachable), ("route add default via 10.0.0.254", nil),
            ]),
        Scene(
            name: "the default path is two halves", target: "0.0.0.0",
            setup: ["-6 route del default", "route del default"],
            steps: [
                ("route add 0.0.0.0/1 via 10.0.0.254", .reachable), ("route add 128.0.0.0/1 via 10.0.0.254", nil),
                ("route del 0.0.0.0/1", nil), ("route del 128.0.0.0/1", []),
            ]),
        Scene(
            name: "the default path lies in a table that a rule points to", target: "default",
            setup: [
                "-6 route del default", "route del default", "rule add not fwmark 51820 lookup 51820 priority 500",
            ],
            steps: [("route add default via 10.1.0.254 table 51820", .reachable), ("rule del lookup 51820", [])]),
        Scene(
            name: "an unreachable route stands behind the default path", target: "default",
            setup: ["-6 route del default"],
            steps: [
                ("route add unreachable default metric 4278198272", nil), ("route del default metric 0", []),
                ("route del unreachable default metric 4278198272", nil),
            ]),
        Scene(
            name: "a pair loses and regains its local address", target: "10.0.0.2,192.0.2.1",
            setup: ["address add 10.0.0.2/24 dev eth0", "address add 10.0.0.3/24 dev eth0"],
            steps: [
                ("address del 10.0.0.3/24 dev eth0", nil), ("address del 10.0.0.2/24 dev eth0", []),
                ("address add 10.0.0.2/24 dev eth0", .reachable), ("route add prohibit 192.0.2.1", []),
                ("route del prohibit 192.0.2.1", .reachable),
            ]),
        Scene(
            name: "the default path from an address is half of one", target: "192.168.0.1,0.0.0.0",
            setup: ["address add 192.168.0.1/24 dev eth1", "route del default"],
            steps: [("route add 0.0.0.0/1 via 10.0.0.254", .reachable), ("route del 0.0.0.0/1", [])]),
        Scene(
            name: "a local address alone goes and comes", target: "10.0.0.1,",
            steps: [
                ("address del 10.0.0.1/24 dev eth0", []),
                ("address add 10.0.0.1/24 dev eth0", Scene.own), ("link set eth0-peer down", nil),
            ]),
    ])
    func `where, of default paths and pairs,`(scene: Scene) throws { try scene.play() }

    @Test(arguments: [
        Scene(
            name: "a container comes and goes",
            steps: [
                ("link add veth7 type veth peer name veth8", nil), ("address add 172.17.0.1/16 dev veth7", nil),
                ("link set veth8 up", nil), ("link set veth7 up", nil), ("link del veth7", nil),
            ]),
        Scene(
            name: "a lease and an advertisement are renewed",
            steps: [
                ("address change 10.0.0.1/24 dev eth0 valid_lft 3600 preferred_lft 3600", nil),
                ("address change 2001:db8::1/64 dev eth0 valid_lft 3600 preferred_lft 1800", nil),
            ]),
        Scene(
            name: "links and settings change that do not concern the route",
            steps: [
                ("link set eth0 mtu 1400", nil), ("link set eth0 txqueuelen 50", nil), ("link set eth1 down", nil),
                ("sysctl net.ipv4.ip_forward=1", nil), ("sysctl net.ipv4.conf.all.rp_filter=2", nil),
                ("neighbour add 10.0.0.254 lladdr 02:00:00:00:00:01 dev eth0", nil),
                ("neighbour del 10.0.0.254 dev eth0", nil),
            ]),
        Scene(
            name: "other routes and rules come and go",
            steps: [
                ("route add 192.0.2.0/25 via 10.0.0.253", nil), ("route add 192.0.3.0/24 via 10.1.0.254", nil),
                ("rule add to 203.0.113.0/24 blackhole", nil), ("route del 192.0.2.0/25", nil),
                ("nexthop add id 9 blackhole", nil), ("nexthop del id 9", nil),
                ("route replace default via 10.0.0.254", nil),
            ]),
    ])
    func `and none where`(scene: Scene) throws { try scene.play() }

    /// The kernel announces the address whose lifetime the advertisement renews, and nothing of the route. One that has ended is
    /// still there for half a minute.
    @Test func `where a router shortens the lifetime of its route, and advertises it again`() throws {
        let (network, router) = (try WatchedNetwork(), try Topology())
        // Otherwise the collection of routes that have ended announces them within half a minute.
        try network.topology.set("net.ipv6.route.gc_interval", 3600)
        try network.topology.wire("eth0", address: "fe80::2/64", peerAddress: "fe80::1/64", in: router)
        let path = ReceivedValues<Bool>()
        let token = try network.topology.run { try PathSource().observe { path.record($0.ipv6 != nil) } }
        defer { token.cancel() }
        try network.watch("2001:db8:8::1")
        #expect(try path.next() == false)
        try router.advertiseRouter(on: "eth0-peer", seconds: 1800)
        #expect(try network.recorder.next() == .reachable)
        try WaitLimit.wait(for: "the path") { try path.next() }
        // The address is announced as it was. The next one could be the first after an announcement that was read late.
        try router.advertiseRouter(on: "eth0-peer", seconds: 1800)
        try network.settle()
        try network.finishRechecks()
        try router.advertiseRouter(on: "eth0-peer", seconds: 2)
        #expect(try network.recorder.next() == [])
        try WaitLimit.wait(for: "the end of the path") { try !path.next() }
        try router.advertiseRouter(on: "eth0-peer", seconds: 1800)
        #expect(try network.recorder.next() == .reachable)
        try WaitLimit.wait(for: "the path") { try path.next() }
    }

    /// Each is announced as a link that is otherwise as it was.
    @Test func `where a link gets a second name and loses it`() throws {
        let network = try WatchedNetwork("10.0.0.1/24", "route add default via 10.0.0.254")
        try network.watch(network.reference("192.0.2.1") { $0.interface = "uplink" })
        try network.topology.ip("link set dev eth0 alias something")
        try network.settle()
        try network.topology.ip("link property add dev eth0 altname uplink")
        #expect(try network.recorder.next() == .reachable)
        try network.topology.ip("link property del dev eth0 altname uplink")
        #expect(try network.recorder.next() == [])
    }
}

@Suite("Watched together", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct TableOfTransitionsTests {
    private struct Row {
        let target: String
        /// Without a default route, with one, with the other end unplugged, and with the link down.
        let flags: [ReachabilityFlags]
    }

    private static let none: ReachabilityFlags = []
    private static let rows = [
        Row(target: "10.0.0.1", flags: [Scene.own, Scene.own, Scene.own, Scene.own]),
        Row(target: "10.0.0.2", flags: [Scene.direct, Scene.direct, none, none]),
        Row(target: "10.0.0.255", flags: [Scene.direct, Scene.direct, none, none]),
        Row(target: "192.0.2.1", flags: [none, .reachable, none, none]),
        Row(target: "0.0.0.0", flags: [none, .reachable, none, none]),
        Row(target: "::", flags: [none, .reachable, none, none]),
        Row(target: "::ffff:192.0.2.1", flags: [none, .reachable, none, none]),
        Row(target: "169.254.1.1", flags: [none, Scene.direct, none, none]),
        Row(target: "224.0.0.251", flags: [none, Scene.direct, none, none]),
        Row(target: "255.255.255.255", flags: [none, Scene.direct, none, none]),
        Row(target: "10.0.0.1,192.0.2.1", flags: [none, .reachable, none, none]),
        Row(target: "127.0.0.1", flags: [Scene.own, Scene.own, Scene.own, Scene.own]),
        Row(target: "2001:db8:7::1", flags: [none, none, none, none]),
    ]

    @Test func `all kinds of targets go through all states of a network, each called back once for each change`() throws
    {
        let network = try WatchedNetwork("10.0.0.1/24")
        let watched = try Self.rows.map { row in
            (row: row, reference: try network.reference(row.target), recorder: CallbackRecorder())
        }
        for item in watched { try network.watch(item.reference, on: item.recorder) }
        var state = 0
        for (command, next) in [
            ("route add default via 10.0.0.254", 1), ("link set eth0-peer down", 2), ("link set eth0-peer up", 1),
            ("link set eth0 down", 3),
        ] {
            try network.topology.ip(command)
            for item in watched where item.row.flags[state] != item.row.flags[next] {
                let told = try item.recorder.next()
                #expect(told == item.row.flags[next], "\(item.row.target) after \(command)")
            }
            try network.settle()
            for item in watched {
                try item.recorder.finishDeliveries()
                #expect(item.recorder.untaken == 0, "\(item.row.target) after \(command)")
                let flags = try item.reference.getFlags()
                #expect(flags == item.row.flags[next], "\(item.row.target) after \(command)")
            }
            state = next
        }
    }

    @Test func `equal addresses share their lookups, and each is called back`() throws {
        let network = try WatchedNetwork("10.0.0.1/24")
        let watched = try (0..<10).map { _ in (try network.reference("192.0.2.1"), CallbackRecorder()) }
        for (reference, recorder) in watched { try network.watch(reference, on: recorder) }
        try network.settle()
        let before = watched[0].0.statistics
        try network.topology.ip("route add 192.0.2.0/24 via 10.0.0.254")
        for (_, recorder) in watched { #expect(try recorder.next() == .reachable) }
        let after = watched[0].0.statistics
        withExtendedLifetime(network) { #expect(after.deliveries - before.deliveries == 10) }
    }
}

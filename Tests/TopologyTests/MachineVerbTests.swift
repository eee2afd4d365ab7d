// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import Synchronization
import TestTopology
import Testing

/// Two machines with names that no other test has: a client, whose eth0 is 10.0.0.1/24, and a router behind it.
struct TwoMachines {
    let client: Machine
    let router: Machine
    /// Differs for each pair. It has four digits, so that no part of an address is taken for it.
    let number: Int

    private static let count = Atomic(1000)

    init() throws {
        number = Self.count.add(1, ordering: .relaxed).newValue
        client = try Machine("client \(number)")
        router = try client.connect("eth0", to: "router \(number)", "10.0.0.1/24", "10.0.0.254/24")
        try client.route("default", via: "10.0.0.254")
    }
}

@Suite("What is done to a machine", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct MachineVerbTests {
    /// A verb, and what iproute2 says of the network when it has returned.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let act: @Sendable (TwoMachines) throws -> Void
        let question: String
        var says: [String] = []
        var lacks: [String] = []

        init(
            _ name: String, _ question: String, says: [String] = [], lacks: [String] = [],
            _ act: @escaping @Sendable (TwoMachines) throws -> Void
        ) {
            (testDescription, self.act, self.question) = (name, act, question)
            (self.says, self.lacks) = (says, lacks)
        }
    }

    private static let link = "ip -o -d link show eth0"

    static let rows =
        [
            Row("connects", "ip -o address show eth0", says: ["10.0.0.1/24"]) { _ in },
            Row("connects with a carrier", link, says: ["state UP", "LOWER_UP", "addrgenmode none"]) { _ in },
            Row("has a second cable", "ip -o address show eth1", says: ["10.0.1.1/24"]) {
                try $0.client.connect("eth1", to: $0.router, "10.0.1.1/24", "10.0.1.254/24")
            },
            Row("unplugs", link, says: ["NO-CARRIER"], lacks: ["LOWER_UP", "state UP"]) {
                try $0.client.link("eth0").unplug()
            },
            Row(
                "keeps the routes of what is unplugged", "ip route",
                says: ["default via 10.0.0.254 dev eth0 ", " linkdown"]
            ) {
                try $0.client.link("eth0").unplug()
            },
            Row("plugs in", link, says: ["state UP"], lacks: ["NO-CARRIER"]) {
                try $0.client.link("eth0").unplug()
                try $0.client.link("eth0").plugIn()
            },
            Row("has routes that can be used after plugging in", "ip route", says: ["default via"], lacks: ["linkdown"])
            {
                try $0.client.link("eth0").unplug()
                try $0.client.link("eth0").plugIn()
            },
            Row("takes the link at the other end down", link, says: ["state DOWN"]) {
                try $0.router.link("eth0").unplug()
            },
            Row("takes a link down", link, says: ["state DOWN"], lacks: [",UP"]) {
                try $0.client.link("eth0").takeDown()
            },
            Row("has no route through a link that is down", "ip route", lacks: ["eth0"]) {
                try $0.client.link("eth0").takeDown()
            },
            Row("brings a link up", link, says: ["state UP"]) {
                try $0.client.link("eth0").takeDown()
                try $0.client.link("eth0").bringUp()
            },
            Row("makes a link dormant", link, says: ["state DORMANT", "mode DORMANT"]) {
                try $0.client.link("eth0").goDormant()
            },
            Row("ends that", link, says: ["state UP", "mode DEFAULT"]) {
                try $0.client.link("eth0").goDormant()
                try $0.client.link("eth0").bringUp()
            },
            Row("deletes a link", "ip -o link", lacks: ["eth0"]) { try $0.client.link("eth0").delete() },
            Row("deletes both ends", "ip -o link", lacks: ["eth0"]) { try $0.router.link("eth0").delete() },
            Row("makes a bridge", "ip -o -d link show eth0", says: ["master br0"]) {
                try $0.client.bridge("br0", of: ["eth0"], "10.0.2.1/24")
            },
            Row("has a bridge that is up", "ip -o -d link show br0", says: ["state UP", "bridge"]) {
                try $0.client.bridge("br0", of: ["eth0"], "10.0.2.1/24")
            },
            Row("makes a tun device", "ip -o -d link show tun0", says: ["POINTOPOINT", "LOWER_UP", "tun type tun"]) {
                try $0.client.tun("tun0", "10.8.0.2/24")
            },
            Row("unplugs a tun device", "ip -o link show tun0", says: ["NO-CARRIER", "state DOWN"]) {
                try $0.client.tun("tun0", "10.8.0.2/24").unplug()
            },
            Row("connects to a VPN", "ip route", says: ["0.0.0.0/1 dev tun0", "128.0.0.0/1 dev tun0", "default via"]) {
                try $0.client.vpn("tun0", "10.8.0.2/24")
            },
            Row("connects to a VPN for IPv6", "ip -6 route", says: ["::/1 dev tun0", "8000::/1 dev tun0"]) {
                try $0.client.vpn("tun0", "10.8.0.2/24", "fd08::2/64")
            },
            Row("disconnects", "ip route", says: ["default via"], lacks: ["tun0"]) {
                try $0.client.vpn("tun0", "10.8.0.2/24").delete()
            },
            Row("adds an IPv4 address", "ip -o address show eth0", says: ["10.0.0.2/24", "valid_lft forever"]) {
                try $0.client.link("eth0").address("10.0.0.2/24")
            },
            Row("adds an IPv6 address", "ip -o -6 address show eth0", says: ["fd00::1/64"], lacks: ["tentative"]) {
                try $0.client.link("eth0").address("fd00::1/64")
            },
            Row(
                "adds an IPv4 address for a time", "ip -o address show eth0",
                says: ["10.0.0.2/24", "preferred_lft 100sec"]
            ) {
                try $0.client.link("eth0").address("10.0.0.2/24", seconds: 100)
            },
            Row(
                "adds an IPv6 address for a time", "ip -o -6 address show eth0",
                says: ["fd00::1/64", "valid_lft 100sec"]
            ) {
                try $0.client.link("eth0").address("fd00::1/64", seconds: 100)
            },
            Row("adds an IPv6 address to a link that is down", "ip -o -6 address show eth0", says: ["fd00::1/64"]) {
                try $0.client.link("eth0").takeDown()
                try $0.client.link("eth0").address("fd00::1/64")
            },
            Row("adds an IPv6 address to a link without a carrier", "ip -o -6 address show eth0", says: ["fd00::1/64"])
            {
                try $0.client.link("eth0").unplug()
                try $0.client.link("eth0").address("fd00::1/64")
            },
            Row("removes an IPv4 address", "ip -o address show eth0", lacks: ["10.0.0.1"]) {
                try $0.client.link("eth0").removeAddress("10.0.0.1/24")
            },
            Row("removes an IPv6 address", "ip -o -6 address", lacks: ["fd00::1"]) {
                try $0.client.link("eth0").address("fd00::1/64")
                try $0.client.link("eth0").removeAddress("fd00::1/64")
            },
            Row("adds a route on a link", "ip route", says: ["198.51.100.0/24 dev eth0 proto static scope link"]) {
                try $0.client.route("198.51.100.0/24", on: "eth0")
            },
            Row(
                "adds a route with a metric", "ip route",
                says: ["default via 10.0.0.253 dev eth0 proto static metric 100"]
            ) {
                try $0.client.route("default", via: "10.0.0.253", metric: 100)
            },
            Row("adds a route to another table", "ip route show table 100", says: ["198.51.100.7 via 10.0.0.254"]) {
                try $0.client.route("198.51.100.7", via: "10.0.0.254", table: 100)
            },
            Row("adds an IPv6 route for a time", "ip -6 route", says: ["2001:db8::/32 via fd00::2", "expires "]) {
                try $0.client.link("eth0").address("fd00::1/64")
                try $0.client.route("2001:db8::/32", via: "fd00::2", seconds: 100)
            },
            Row("moves a route", "ip route show default", says: ["via 10.0.0.253"], lacks: ["via 10.0.0.254"]) {
                try $0.client.moveRoute("default", via: "10.0.0.253")
            },
            Row("makes a destination unreachable", "ip route", says: ["unreachable default"], lacks: ["default via"]) {
                try $0.client.moveRoute("default", type: .unreachable)
            },
            Row("moves an IPv6 route", "ip -6 route show default", says: ["via fd00::3"], lacks: ["fd00::2"]) {
                try $0.client.link("eth0").address("fd00::1/64")
                try $0.client.route("default", via: "fd00::2")
                try $0.client.moveRoute("default", via: "fd00::3")
            },
            Row("removes a route", "ip route", says: ["10.0.0.0/24"], lacks: ["default"]) {
                try $0.client.removeRoute("default")
            },
            Row("adds a rule for a mark", "ip rule; ip -6 rule", says: ["1000:\tfrom all fwmark 0x7 lookup 100"]) {
                try $0.client.rule(mark: 7, table: 100)
            },
            Row("removes a rule", "ip rule; ip -6 rule", lacks: ["0x7"]) {
                try $0.client.rule(mark: 7, table: 100)
                try $0.client.removeRule(mark: 7, table: 100)
            },
            Row("sets a kernel setting", "cat /proc/sys/net/ipv4/ip_forward", says: ["1"]) {
                try $0.client.set("net.ipv4.ip_forward", 1)
            },
        ]
        + RouteType.allCases.filter { $0 != .unicast }.map { type in
            Row("adds a route of type \(type)", "ip route show table 100", says: ["\(type) 198.51.100.0/24"]) {
                try $0.client.route("198.51.100.0/24", type: type, table: 100)
            }
        }

    @Test(arguments: rows) func `is in the kernel when the call returns`(_ row: Row) throws {
        let machines = try TwoMachines()
        try row.act(machines)
        let said = try machines.client.run(row.question)
        for text in row.says { #expect(said.contains(text), "\(said)") }
        for text in row.lacks { #expect(!said.contains(text), "\(said)") }
    }

    /// Many kernels of virtual machines lack these modules.
    @Test func `makes a dummy link and a virtual LAN, or says that the kernel has none`() throws {
        let client = try TwoMachines().client
        do throws(MachineError) {
            try client.dummy("dummy0", "10.9.0.1/24").unplug()
            #expect(try client.linkFacts("dummy0")?.operationalState == .down)
        } catch {
            #expect("\(error)".contains("Unknown device type"))
        }
        do throws(MachineError) {
            try client.vlan("lan", number: 5, on: "eth0", "10.0.5.1/24")
            let said = try client.run("ip -o -d link show lan")
            for text in ["lan@eth0", "vlan protocol 802.1Q id 5", "state UP"] { #expect(said.contains(text)) }
        } catch {
            #expect("\(error)".contains("Unknown device type"))
        }
    }

    @Test func `plugs a cable into another machine, and the link stays the same`() throws {
        let machines = try TwoMachines()
        let before = try machines.client.run("ip -o address show eth0; ip route")
        let other = try machines.client.link("eth0").replug(to: "other \(machines.number)", "10.0.0.254/24")
        #expect(try machines.client.run("ip -o address show eth0; ip route") == before)
        #expect(try machines.router.linkFacts("eth0") == nil)
        try other.tcpServer(at: "203.0.113.7", port: 7, .halfClosing("the other"))
        #expect(try machines.client.run(MachineServerTests.receiving(from: "203.0.113.7", 7)) == "the other")
        try machines.client.link("eth0").replug(to: machines.router, "10.0.0.254/24")
        #expect(try other.linkFacts("eth0") == nil)
        try machines.client.link("eth0").unplug()
    }

    @Test func `keeps the IPv6 addresses of the other end while a cable is unplugged`() throws {
        let machines = try TwoMachines()
        try machines.router.link("eth0").address("fd00::254/64")
        try machines.client.link("eth0").unplug()
        try machines.client.link("eth0").plugIn()
        #expect(try machines.router.run("ip -o -6 address show eth0").contains("fd00::254/64"))
    }

    @Test func `keeps a machine that was connected by its name, and lets it go with the first`() throws {
        let machines = try TwoMachines()
        var client: Machine? = try Machine("first \(machines.number)")
        weak let second = try client?.connect("eth0", to: "second \(machines.number)", "10.0.0.1/24", "10.0.0.2/24")
        #expect(second != nil)
        client = nil
        #expect(second == nil)
        _ = try Machine("second \(machines.number)")
    }

    @Test func `this process is a machine where its network is a test's own`() throws {
        #expect(try Machine.current === Machine.current)
        let inode = try Machine.current.run("readlink /proc/self/ns/net").dropLast()
        #expect(Files.linkTarget(of: "/proc/self/ns/net").map { $0 == inode } == true)
    }

    @Test(arguments: ["link add br0 type bridge", "address add 10.0.0.1/24 dev lo"])
    func `a network that has something is not taken for a test's own`(command: String) throws {
        let machine = try Machine()
        try machine.run { () throws(MachineError) in try CallingThread.checkThatNetworkIsEmpty() }
        try machine.ip(command)
        let error = try #require(throws: MachineError.self) {
            try machine.run { () throws(MachineError) in try CallingThread.checkThatNetworkIsEmpty() }
        }
        #expect("\(error)".hasPrefix("The network of this process is not a test's own: it has the"))
        #expect("\(error)".hasSuffix("Give the test the trait `.network`, or run the tests with `unshare -rnm`."))
    }

    @Test func `can be read as text`() throws {
        let machines = try TwoMachines()
        try machines.client.rule(mark: 7, table: 100)
        try machines.client.route("198.51.100.0/24", type: .unreachable, metric: 5, table: 100)
        try machines.client.webServer(at: "10.0.0.1") { _ in .ok() }
        let text = machines.client.state
        // Not those for multicast, which have the same number.
        #expect(text.split(separator: "\n").filter { $0.contains("32767: ") } == ["    32767: IPv4 to table 253"])
        for line in [
            "client \(machines.number):", "    eth0, veth, up, with a carrier, state up", "    10.0.0.1/24 on eth0",
            "    default via 10.0.0.254 on eth0", "    unreachable 198.51.100.0/24 metric 5 table 100",
            "    1000: IPv4 with mark 7 to table 100", "    32766: IPv6 to table 254",
            "    web server at 10.0.0.1: nothing",
        ] { #expect(text.split(separator: "\n").map(String.init).contains(line), "\(line)\n\(text)") }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Netlink
import TestTopology
import Testing

@Suite("A topology", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct TopologyTests {
    @Test("has nothing but lo, which is up")
    func isEmpty() throws {
        let topology = try Topology()
        let lo = try #require(try topology.link("lo"))
        #expect(lo.flags.contains(.up))
        #expect(try topology.ip("-brief link").split(separator: "\n").count == 1)
    }

    @Test("sees no other's links")
    func areSeparate() throws {
        let left = try Topology()
        let right = try Topology()
        try left.wire("eth0", address: "10.0.0.1/24")
        #expect(try left.link("eth0") != nil)
        #expect(try right.link("eth0") == nil)
        #expect(left.namespace.identity != right.namespace.identity)
    }

    @Test("is the namespace its path and its handle lead to")
    func isRecognised() throws {
        let topology = try Topology()
        let seen = topology.run { NamespaceIdentity.current() }
        #expect(seen == topology.namespace.identity)
        #expect(try NamespaceHandle(path: topology.namespacePath).identity == topology.namespace.identity)
        #expect(NamespaceIdentity.current() != topology.namespace.identity)
    }

    @Test("starts a program with three open descriptors, whatever the tests have open")
    func descriptors() throws {
        // dup(2) does not set close-on-exec.
        let inherited = dup(2)
        try #require(inherited > 2)
        defer { close(inherited) }
        // Checked one by one, because listing them would open another.
        let script = "d=3; while [ $d -lt 100 ]; do [ ! -e /proc/$$/fd/$d ] || echo $d; d=$((d + 1)); done"
        #expect(try Topology().run { try CallingThread.execute(["sh", "-c", script]) } == "")
    }

    @Test("throws what ip complains about, and names the command")
    func commandFails() throws {
        let topology = try Topology()
        let error = try #require(throws: TopologyError.self) { try topology.ip("link set nothing up") }
        #expect("\(error)".contains("link set nothing up"))
        #expect("\(error)".contains("Cannot find device \"nothing\""))
    }

    @Test("stops at the first of several commands that fails")
    func batchFails() throws {
        let topology = try Topology()
        #expect(throws: TopologyError.self) {
            try topology.ip(
                """
                link add one type bridge
                link set nothing up
                link add two type bridge
                """)
        }
        #expect(try topology.link("one") != nil)
        #expect(try topology.link("two") == nil)
    }

    @Test("returns and throws what its closure does")
    func passesResults() throws {
        struct Mine: Error, Equatable {}
        let topology = try Topology()
        #expect(topology.run { 42 } == 42)
        #expect(throws: Mine()) { try topology.run { throw Mine() } }
        #expect(topology.run { topology.run { 1 } } == 1)
    }

    @Test("has settings of its own")
    func hasSettings() throws {
        let left = try Topology()
        let right = try Topology(inheriting: [KernelSetting("net.ipv4.ip_forward", 1)])
        try left.set("net.ipv4.ip_forward", 1)
        let read = { try Files.contents(of: "/proc/sys/net/ipv4/ip_forward") }
        #expect(try left.run(read) == Array("1\n".utf8))
        #expect(try right.run(read) == Array("0\n".utf8))
    }

    /// What a new namespace has on a machine with containers, on one with a firewall, and on one without IPv6.
    private static let machines = [
        [KernelSetting("net.ipv4.ip_forward", 1), KernelSetting("net.ipv4.conf.default.forwarding", 1)],
        [
            KernelSetting("net.ipv4.conf.all.rp_filter", 1), KernelSetting("net.ipv4.conf.default.rp_filter", 2),
            KernelSetting("net.ipv4.conf.all.ignore_routes_with_linkdown", 1),
            KernelSetting("net.ipv4.fib_multipath_hash_policy", 1),
            KernelSetting("net.ipv6.fib_multipath_hash_policy", 1),
            KernelSetting("net.ipv6.conf.all.forwarding", 1), KernelSetting("net.ipv6.conf.default.accept_ra", 0),
            KernelSetting("net.ipv6.conf.all.accept_dad", 1),
        ],
        [KernelSetting("net.ipv6.conf.all.disable_ipv6", 1)],
    ]

    @Test("has the settings that tests rely on, whatever the machine's are", arguments: machines)
    func settings(_ inherited: [KernelSetting]) throws {
        let topology = try Topology(inheriting: inherited)
        for setting in Topology.settings {
            let present = topology.run { setting.present }
            #expect(present == nil || present == setting.value, "\(setting)")
        }
    }

    @Test("shows its links in /sys where asked to", .needs(.sysfs))
    func mountsSysfs() throws {
        let topology = try Topology(sysfs: true)
        try topology.wire("eth0")
        let uevent = try topology.run { try Files.contents(of: "/sys/class/net/eth0/uevent") }
        #expect(String(decoding: uevent, as: UTF8.self).contains("INTERFACE=eth0"))
        #expect(throws: Errno.noSuchFile) { try Files.contents(of: "/sys/class/net/eth0/uevent") }
    }

    @Test("ends with its object")
    func ends() throws {
        let near = try Topology()
        do {
            let far = try Topology()
            try near.wire("eth0", in: far)
        }
        try near.waitForNoLink("eth0")
    }
}

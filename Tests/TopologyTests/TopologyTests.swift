// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@Suite("A topology", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct TopologyTests {
    @Test func `starts a program with three open descriptors, whatever the tests have open`() throws {
        // dup(2) does not set close-on-exec.
        let inherited = dup(2)
        try #require(inherited > 2)
        defer { close(inherited) }
        // Checked one by one, because listing them would open another.
        let script = "d=3; while [ $d -lt 100 ]; do [ ! -e /proc/$$/fd/$d ] || echo $d; d=$((d + 1)); done"
        #expect(try Machine().run { try CallingThread.execute(["sh", "-c", script]) } == "")
    }

    @Test func `throws what ip complains about, and names the command`() throws {
        let topology = try Machine()
        let error = try #require(throws: MachineError.self) { try topology.ip("link set nothing up") }
        #expect("\(error)".contains("link set nothing up"))
        #expect("\(error)".contains("Cannot find device \"nothing\""))
    }

    @Test func `stops at the first of several commands that fails`() throws {
        let topology = try Machine()
        #expect(throws: MachineError.self) {
            try topology.ip(
                """
                link add one type bridge
                link set nothing up
                link add two type bridge
                """)
        }
        #expect(try topology.linkFacts("one") != nil)
        #expect(try topology.linkFacts("two") == nil)
    }

    @Test func `has settings of its own`() throws {
        let left = try Machine()
        let right = try Machine(inheriting: [KernelSetting("net.ipv4.ip_forward", 1)])
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

    @Test(arguments: machines)
    func `has the settings that tests rely on, whatever the machine's are`(_ inherited: [KernelSetting]) throws {
        let topology = try Machine(inheriting: inherited)
        for setting in Machine.settings {
            let present = topology.run { setting.present }
            #expect(present == nil || present == setting.value, "\(setting)")
        }
    }

    @Test("shows its links in /sys where asked to", .needs(.sysfs))
    func mountsSysfs() throws {
        let topology = try Machine(sysfs: true)
        try topology.wire("eth0")
        let uevent = try topology.run { try Files.contents(of: "/sys/class/net/eth0/uevent") }
        #expect(String(decoding: uevent, as: UTF8.self).contains("INTERFACE=eth0"))
        #expect(throws: Errno.noSuchFile) { try Files.contents(of: "/sys/class/net/eth0/uevent") }
    }

    @Test func `ends with its object`() throws {
        let near = try Machine()
        do {
            let far = try Machine()
            try near.wire("eth0", in: far)
        }
        try near.waitForNoLink("eth0")
    }

    @Test func `says what was seen last where something does not come`() throws {
        let topology = try Machine()
        let error = try #require(throws: MachineError.self) {
            try topology.waitForLink("lo", timeout: .milliseconds(1)) { !$0.isLoopback }
        }
        #expect("\(error)".contains("name: \"lo\""))
    }

    @Test func `throws the kernel's error where it refuses a change`() throws {
        let changer = try Changer(in: Machine())
        #expect(throws: Errno(rawValue: ESRCH)) { try changer.apply(.route(.delete, "192.0.2.0/24")) }
        let add = Change.route(.add, "192.0.2.0/24", kind: .blackhole)
        try changer.apply(add)
        #expect(throws: Errno.fileExists) { try changer.apply(add) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
package import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// A private network for a test: a network namespace, and a thread that lives in it.
///
/// A process may have many. Devices, routes and settings vanish with the last holder of the namespace: this object, a
/// socket, a handle. Nothing of it is visible outside.
package final class Topology: Sendable {
    private let worker: Worker
    /// The namespace.
    package let namespace: NamespaceHandle
    /// A path to the namespace, valid while this object lives.
    package let namespacePath: String

    /// Makes a namespace in which lo is up, IPv6 addresses are usable at once, and `settings` hold.
    ///
    /// - Parameters:
    ///   - sysfs: also gives the thread a /sys that shows this namespace. Otherwise /sys is that of the tests' process and
    ///     shows none of these links.
    ///   - inherited: what a new namespace has on another machine, set before `settings`.
    package init(sysfs: Bool = false, inheriting inherited: [KernelSetting] = []) throws {
        let worker = try Worker(name: "topology")
        self.worker = worker
        do {
            (namespace, namespacePath) = try worker.run { try Self.enter(sysfs: sysfs, inherited) }
        } catch {
            worker.end()
            throw error
        }
    }

    deinit {
        worker.end()
    }

    private static func enter(sysfs: Bool, _ inherited: [KernelSetting]) throws -> (NamespaceHandle, String) {
        let entered = sysfs ? topology_enter_new_network_with_sysfs() : topology_enter_new_network()
        guard entered == 0 else { throw TopologyError.last("make a network namespace") }
        let path = "/proc/\(getpid())/task/\(topology_thread_id())/ns/net"
        let namespace = try NamespaceHandle(path: path)
        for setting in inherited + settings { try setting.apply() }
        try CallingThread.ip("link set lo up")
        // Most machines have no policy rule. With this variable all tests run as on a machine that has one (see `Fence`).
        if unsafe getenv("TEST_RULE") != nil { try CallingThread.ip("rule add to 192.0.2.250 lookup main priority 1") }
        return (namespace, path)
    }

    /// What tests rely on, in the order in which it is set: the first of a family changes others. A new namespace has the
    /// machine's values for IPv4 (devinet_init_net in net/ipv4/devinet.c), and a machine with containers forwards.
    package static let settings: [KernelSetting] =
        [KernelSetting("net.ipv4.ip_forward", 0), KernelSetting("net.ipv4.conf.default.forwarding", 0)]
        + ["all", "default"].flatMap { interface in
            [
                KernelSetting("net.ipv4.conf.\(interface).rp_filter", 0),
                KernelSetting("net.ipv4.conf.\(interface).ignore_routes_with_linkdown", 0),
                KernelSetting("net.ipv6.conf.\(interface).disable_ipv6", 0),
                KernelSetting("net.ipv6.conf.\(interface).forwarding", 0),
                KernelSetting("net.ipv6.conf.\(interface).accept_ra", 1),
                KernelSetting("net.ipv6.conf.\(interface).autoconf", 1),
                KernelSetting("net.ipv6.conf.\(interface).ignore_routes_with_linkdown", 0),
                // During duplicate address detection, a second, a new address cannot be a source. The settings of the
                // interface and of "all" must both be 0 to turn it off (addrconf_dad_begin).
                KernelSetting("net.ipv6.conf.\(interface).accept_dad", 0),
            ]
        } + [
            KernelSetting("net.ipv6.conf.lo.disable_ipv6", 0),
            KernelSetting("net.ipv4.fib_multipath_hash_policy", 0),
            KernelSetting("net.ipv6.fib_multipath_hash_policy", 0),
        ]

    /// Runs `body` on the topology's thread and returns when it has ended.
    ///
    /// Make references, sockets and requesters here, because they belong to the namespace of the thread that makes them.
    /// Check results outside: an expectation that fails here fails the test run, but the report cannot name the test.
    package func run<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try worker.run(body)
    }

    /// Runs iproute2's `ip` in the namespace: one command, or several, one on each line.
    @discardableResult
    package func ip(_ commands: String) throws(TopologyError) -> String {
        try run { () throws(TopologyError) in try CallingThread.ip(commands) }
    }

    /// Sets a kernel setting of the namespace, such as `set("net.ipv4.conf.all.forwarding", 1)`.
    package func set(_ setting: String, _ value: Int) throws(TopologyError) {
        try run { () throws(TopologyError) in try CallingThread.setKernelSetting(setting, String(value)) }
    }

    /// The index of a link.
    package func index(of name: String) throws(TopologyError) -> InterfaceIndex {
        guard let index = run({ try? Interfaces.index(of: name) }).flatMap(InterfaceIndex.init) else {
            throw .system("find link \(name)", .noSuchDevice)
        }
        return index
    }

    /// The present facts of a link; nil if there is none of this name.
    package func link(_ name: String) throws -> LinkFacts? {
        try run { try CallingThread.link(name, NetlinkRequester()) }
    }

    /// The kernel's present answer for a destination.
    package func route(to destination: IPAddress) throws -> RouteAnswer {
        try run { try NetlinkRequester().route(RouteQuery(destination: destination)) }
    }
}

extension CallingThread {
    static func link(_ name: String, _ requester: NetlinkRequester) throws(NetlinkError) -> LinkFacts? {
        guard let index = (try? Interfaces.index(of: name)).flatMap(InterfaceIndex.init) else { return nil }
        return try requester.link(index)
    }
}

extension NetlinkRequester {
    /// The kernel's answer for one destination.
    package func route(_ query: RouteQuery) throws(NetlinkError) -> RouteAnswer {
        var replies: [RouteReply] = []
        try routes([query], into: &replies)
        return try replies[0].answer(to: query)
    }
}

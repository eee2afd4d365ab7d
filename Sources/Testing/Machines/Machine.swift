// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink

@_implementationOnly import CReachabilityTesting

/// A computer in a test, with its own network: this process (``current``), or another machine, such as a router.
///
/// Another machine is a network namespace with a thread of this process in it (network_namespaces(7)). Its links, routes and
/// servers disappear when nothing keeps the namespace alive any more. It is kept alive by this object, by a socket in it, and by
/// the machine whose `connect` made it.
///
/// A method that makes a change returns when the kernel has made and announced the change. Addresses are text, such as
/// "192.0.2.1" or "2001:db8::1". An address of a link includes the length of its prefix, as in "192.0.2.1/24".
public final class Machine: Sendable {
    /// The name, for error messages and the text of ``state``.
    public let name: String
    private let worker: Worker
    /// The namespace.
    package let namespace: NamespaceHandle
    /// A path to the namespace, valid while this object lives.
    package let namespacePath: String
    /// The objects that live as long as the machine.
    let belongings = Lock(Belongings())

    /// The parts of a machine that the kernel does not keep.
    struct Belongings {
        /// The other ends of the cables, by the name of the link.
        var cables: [String: Cable] = [:]
        /// The objects that keep tun devices alive, by name.
        var tunnels: [String: TunDevice] = [:]
        var servers: [(name: String, server: any RunningServer)] = []
        /// The hosts that ``Machine/state`` explains.
        var hosts: [String] = []
    }

    /// Makes a machine that is not connected to any other.
    ///
    /// - Parameter name: a name that no other machine of this process has.
    /// - Throws: ``MachineError`` if the network namespace cannot be made.
    public convenience init(_ name: String) throws(MachineError) {
        try self.init(named: name, Self.enterNewNetwork)
        try MachineRegistry.shared.add(self)
    }

    /// - Parameters:
    ///   - name: need not be unique.
    ///   - inherited: the settings that the namespace has before those of every machine are made.
    ///   - enter: moves the calling thread, which is the machine's, into its namespace.
    package init(
        named name: String, inheriting inherited: [KernelSetting] = [], _ enter: () throws(MachineError) -> Void
    ) throws(MachineError) {
        self.name = name
        worker = try MachineError.attempt(to: "start a thread") { () throws(Errno) in try Worker(name: "machine") }
        do throws(MachineError) {
            (namespace, namespacePath) = try worker.run { () throws(MachineError) in
                try enter()
                return try Self.prepare(inherited)
            }
        } catch {
            worker.end()
            throw error
        }
    }

    deinit {
        for (_, server) in belongings.withLock(\.servers) { server.stop() }
        worker.end()
    }

    /// Moves the calling thread into a new network.
    package static func enterNewNetwork() throws(MachineError) {
        guard reachability_testing_enter_new_network() == 0 else { throw .last("make a network namespace") }
    }

    private static func prepare(_ inherited: [KernelSetting]) throws(MachineError) -> (NamespaceHandle, String) {
        let path = "/proc/\(Files.linkTarget(of: "/proc/thread-self") ?? "thread-self")/ns/net"
        let namespace = try MachineError.attempt(to: "open \(path)") { () throws(Errno) in
            try NamespaceHandle(path: path)
        }
        for setting in inherited + settings { try setting.apply() }
        try Changer(to: "bring lo up").apply(.link(.loopback, up: true), to: "bring lo up")
        return (namespace, path)
    }

    /// Settings that tests rely on, in the order in which they are made: the first of a family changes others. A new namespace
    /// gets the host's values for IPv4 (devinet_init_net in net/ipv4/devinet.c), and a host that runs containers forwards
    /// packets.
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

    /// Runs `body` on the machine's thread, and returns when it has ended.
    ///
    /// A socket belongs to the network of the thread that makes it, and so do monitors and reachability references. Threads that
    /// are started in `body` stay in the machine's network; tasks and queues do not.
    public func run<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try worker.run(body)
    }

    /// Runs a shell command on the machine, such as "ip route show", for anything that has no method here.
    ///
    /// - Returns: its standard output.
    /// - Throws: ``MachineError`` if the command exits with a status other than 0.
    @discardableResult
    public func run(_ command: String) throws(MachineError) -> String {
        try run { () throws(MachineError) in try CallingThread.execute(["sh", "-ec", command]) }
    }

    /// Sets a kernel setting of the machine's network, such as `set("net.ipv4.ip_forward", 1)` for a router between two networks.
    public func set(_ setting: String, _ value: Int) throws(MachineError) {
        try run { () throws(MachineError) in try CallingThread.setKernelSetting(setting, String(value)) }
    }

    /// The index of a link.
    package func index(of name: String) throws(MachineError) -> InterfaceIndex {
        guard let index = run({ try? Interfaces.index(of: name) }).flatMap(InterfaceIndex.init) else {
            throw .mistake("\(self.name) has no link named \"\(name)\".")
        }
        return index
    }

    /// Asks the kernel about the machine's network.
    func ask<Value>(
        to purpose: String, _ body: (NetlinkRequester) throws(NetlinkError) -> Value
    ) throws(MachineError) -> Value {
        try run { () throws(MachineError) in
            do throws(NetlinkError) {
                return try body(NetlinkRequester())
            } catch {
                throw .mistake("It failed to \(purpose): \(error).")
            }
        }
    }

    /// The present facts of a link; nil if there is none of this name.
    package func linkFacts(_ name: String) throws(MachineError) -> LinkFacts? {
        try ask(to: "read the link \(name) of \(self.name)") { (requester) throws(NetlinkError) in
            guard let index = (try? Interfaces.index(of: name)).flatMap(InterfaceIndex.init) else { return nil }
            return try requester.link(index)
        }
    }

    /// The kernel's present answer for a destination.
    package func route(_ query: RouteQuery) throws(MachineError) -> RouteAnswer {
        try ask(to: "look up the route to \(query.destination)") { (requester) throws(NetlinkError) in
            try requester.route(query)
        }
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

// SPDX-License-Identifier: Apache-2.0

import CTestTopology
package import ReachabilityLinuxSystem
package import ReachabilityNetlink
@_exported public import ReachabilityTestMachines
@_exported public import TestHosts
@_exported public import TestWaiting

/// What our own tests do with machines, and users do otherwise or not at all.
extension Machine {
    /// Makes a machine without a link to another.
    ///
    /// - Parameters:
    ///   - sysfs: also gives the thread a /sys that shows this namespace. Otherwise /sys is that of the tests' process and
    ///     shows none of these links.
    ///   - inherited: what a new namespace has on another computer, set before the settings that tests rely on.
    package convenience init(sysfs: Bool = false, inheriting inherited: [KernelSetting] = []) throws {
        try self.init(named: "a machine", inheriting: inherited) { () throws(MachineError) in
            guard sysfs else { return try Self.enterNewNetwork() }
            guard topology_enter_new_network_with_sysfs() == 0 else {
                throw .last("make a network namespace with a /sys")
            }
        }
        // Most machines have no policy rule. With this variable all tests run as on a machine that has one (see `Fence`).
        if unsafe getenv("TEST_RULE") != nil { try ip("rule add to 192.0.2.250 lookup main priority 1") }
    }

    /// A machine with a /sys and an empty /etc of its own.
    package static func withOwnFiles() throws -> Machine {
        let machine = try Machine(sysfs: true)
        try machine.run("mount -t tmpfs tmpfs /etc")
        return machine
    }

    /// Runs iproute2's `ip` in the namespace: one command, or several, one on each line.
    @discardableResult
    package func ip(_ commands: String) throws(MachineError) -> String {
        try run { () throws(MachineError) in try CallingThread.ip(commands) }
    }

    /// Makes a veth pair with both ends up, and waits until the kernel announces nothing more of it: both ends are up, and
    /// have the addresses that were given.
    ///
    /// - Parameters:
    ///   - name: the name of this end. The other end has "-peer" after it, unless it is named.
    ///   - addresses: of this end, such as "10.0.0.1/24" or "fd00::1/64".
    ///   - other: the machine of the other end; nil for this one.
    ///   - index: the index of this end.
    ///   - hasLinkLocalAddress: whether both ends get an IPv6 address of their own.
    package func wire(
        _ name: String, address addresses: String..., peer: String? = nil, peerAddress: String? = nil,
        in other: Machine? = nil, index: UInt32? = nil, hasLinkLocalAddress: Bool = false
    ) throws {
        try wire(
            name, addresses.map { try LinkAddress(reading: $0) }, peer: peer ?? "\(name)-peer",
            peerAddress.map { [try LinkAddress(reading: $0)] } ?? [], in: other ?? self, index: index ?? 0,
            hasLinkLocalAddress: hasLinkLocalAddress)
    }

    /// A network with eth0, whose address is 10.0.0.1/24, and then what these commands of `ip` do.
    package static func wired(_ commands: String...) throws -> Machine {
        let machine = try Machine()
        try machine.wire("eth0", address: "10.0.0.1/24")
        for command in commands { try machine.ip(command) }
        return machine
    }

    /// The same with a default route by 10.0.0.254.
    package static func routed() throws -> Machine { try wired("route add default via 10.0.0.254") }

    /// Makes a tun or tap device that is up. Needs `Capability.tun`.
    package func tun(
        _ name: String, _ kind: TunDevice.Kind = .tunnel, address addresses: String..., carrier: Bool = true
    ) throws -> TunDevice {
        let device = try TunDevice(
            name, type: kind.type, addresses.map { try LinkAddress(reading: $0) }, on: self, carrier: carrier)
        if carrier { try waitForOwn(addresses) }
        return device
    }

    /// The kernel's present answer for a destination.
    package func route(to destination: IPAddress) throws(MachineError) -> RouteAnswer {
        try route(RouteQuery(destination: destination))
    }

    /// Waits until the namespace owns addresses of a link with a carrier.
    package func waitForOwn(_ addresses: [String]) throws(MachineError) {
        for address in addresses where address.contains(":") {
            try waitForOwn(IPAddress(reading: String(address.prefix { $0 != "/" })))
        }
    }

    /// Waits until the condition holds, which is checked after each announcement of the kernel.
    package func waitUntil(_ description: String, _ condition: () throws -> Bool) throws {
        var failure: (any Error)?
        try wait(for: description) { () throws(MachineError) in
            do { return try condition() } catch { failure = error }
            return true
        } until: {
            $0
        }
        if let failure { throw failure }
    }

    /// Puts a link into a state of RFC 2863, such as `.dormant` or `.testing`, as a driver or daemon would, and waits for it.
    /// `.up` ends it.
    package func setOperationalState(_ state: LinkFacts.OperationalState, of name: String) throws {
        // In dormant mode the link stays dormant when its carrier comes back (operstates.rst in the kernel's
        // documentation), like a link that waits for a login.
        try ip("link set \(name) mode \(state == .dormant ? "dormant" : "default")")
        try ip("link set \(name) state \(state)")
        try waitForLink(name, state)
    }

    /// Sets a device's type in sysfs, as drivers of modems and Wi-Fi do.
    package func setDeviceType(_ type: String, of name: String) throws {
        let index = try index(of: name).rawValue
        try run(
            """
            file=$(mktemp)
            printf 'DEVTYPE=\(type)\\nINTERFACE=\(name)\\nIFINDEX=\(index)\\n' > $file
            mount --bind $file /sys/class/net/\(name)/uevent
            rm $file
            """)
    }

    /// Advertises a router that can be used for so many seconds, and the prefix 2001:db8:7::/64, to the other end of the link. This
    /// end needs a link-local address.
    package func advertiseRouter(on name: String, seconds: UInt16) throws {
        let error = run { unsafe topology_advertise(name, seconds) }
        guard error == 0 else { throw Errno(rawValue: error) }
    }
}

extension CallingThread {
    /// Runs commands of iproute2's `ip`, one on each line, up to the first that fails.
    @discardableResult
    package static func ip(_ commands: String) throws(MachineError) -> String {
        let lines = commands.split(separator: "\n")
        // A batch accepts no option, such as "-6".
        if lines.count > 1, !lines.contains(where: { $0.hasPrefix("-") }) {
            return try execute(["ip", "-batch", "-"], input: commands + "\n")
        }
        return try lines.map { (line) throws(MachineError) in
            try execute(["ip"] + line.split(separator: " ").map(String.init))
        }.joined()
    }
}

extension TunDevice {
    /// The kind of a tun device.
    package enum Kind: Sendable {
        /// ARPHRD_NONE: packets (tun), as of WireGuard and most VPNs.
        case tunnel
        /// ARPHRD_PPP: like a pppd's link in everything but its kind (measured against a real one).
        case ppp
        /// ARPHRD_RAWIP, as a mobile modem's link.
        case rawIP
        /// Ethernet frames (tap).
        case frames

        fileprivate var type: UInt16? {
            switch self {
            case .tunnel: 65534
            case .ppp: 512
            case .rawIP: 519
            case .frames: nil
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// The other end of a cable.
struct Cable {
    /// Weak, because a cable keeps only a machine alive that was made for it (`kept`).
    weak var machine: Machine?
    let link: String
    var kept: Machine?
}

extension Machine {
    // MARK: Cables

    /// Makes a new machine, connects this one to it by a cable, and returns the new machine.
    ///
    /// Neither end gets a link-local IPv6 address by itself.
    ///
    /// - Parameters:
    ///   - link: the name of the new link of this machine, such as "eth0".
    ///   - name: the name of the new machine.
    ///   - address: the address of this end, such as "10.0.0.1/24".
    ///   - itsAddress: the address of the other end.
    @discardableResult
    public func connect(
        _ link: String, to name: String, _ address: String, _ itsAddress: String
    ) throws(MachineError) -> Machine {
        let other = try Machine(name)
        try connect(link, to: other, address, itsAddress)
        belongings.withLock { $0.cables[link]?.kept = other }
        return other
    }

    /// Connects this machine to another one by a cable.
    public func connect(
        _ link: String, to other: Machine, _ address: String, _ itsAddress: String
    ) throws(MachineError) {
        let addresses = (own: try LinkAddress(reading: address), other: try LinkAddress(reading: itsAddress))
        try wire(link, [addresses.own], peer: other.freeLinkName(), [addresses.other], in: other)
    }

    /// The first of the names eth0, eth1 and so on that no link has.
    func freeLinkName() throws(MachineError) -> String {
        let names = try ask(to: "list the links of \(name)") { (requester) throws(NetlinkError) in
            try requester.inventory().links.map(\.facts.name)
        }
        return (0...names.count).lazy.map { "eth\($0)" }.first { !names.contains($0) } ?? "eth"
    }

    /// Makes a veth pair with both ends up, and waits until the kernel has announced everything about it: both ends are up, and
    /// have their addresses.
    ///
    /// - Parameter hasLinkLocalAddress: whether both ends get their own IPv6 address, which the kernel adds a moment later
    ///   (addrconf_dev_config in net/ipv6/addrconf.c).
    package func wire(
        _ name: String, _ addresses: [LinkAddress], peer: String, _ peerAddresses: [LinkAddress], in other: Machine,
        index: UInt32 = 0, hasLinkLocalAddress: Bool = false
    ) throws(MachineError) {
        // The other end is made in its own namespace, so its name may be in use here.
        let place = try other.openNamespace()
        try make(
            .newCable(try valid(name), index: index, peer: try valid(peer), in: place),
            to: "connect \(name) of \(self.name) to \(peer) of \(other.name)")
        belongings.withLock { $0.cables[name] = Cable(machine: other, link: peer) }
        other.belongings.withLock { $0.cables[peer] = Cable(machine: self, link: name) }
        for (machine, link) in [(self, name), (other, peer)] where !hasLinkLocalAddress {
            try machine.change(link) { .linkWithoutOwnAddress($0) }
        }
        try other.bringUp(peer, peerAddresses)
        try bringUp(name, addresses)
        try waitUntilUsable(name, addresses)
        try other.waitUntilUsable(peer, peerAddresses)
    }

    func openNamespace() throws(MachineError) -> OwnedDescriptor {
        try MachineError.attempt(to: "open the network of \(name)") { () throws(Errno) in
            try Files.open(namespacePath)
        }
    }

    /// Throws if no link can have this name.
    func valid(_ name: String) throws(MachineError) -> String {
        guard InterfaceName(name) != nil else {
            throw .mistake(
                "\"\(name)\" cannot be the name of a link, which has 1 to 15 bytes and no blank, '/' or ':'.")
        }
        return name
    }

    /// Makes a change of a link, and returns when the kernel has acknowledged it.
    func change(_ link: String, _ change: (InterfaceIndex) -> Change) throws(MachineError) {
        let (index, purpose) = (try index(of: link), "change the link \(link) of \(name)")
        try run { () throws(MachineError) in try Changer(to: purpose).apply(change(index), to: purpose) }
    }

    /// Before the link is up, a new address may be announced at once or later, so nothing is waited for here.
    func bringUp(_ name: String, _ addresses: [LinkAddress]) throws(MachineError) {
        for address in addresses { try change(name) { .address(.add, address, of: $0) } }
        try change(name) { .link($0, up: true) }
    }

    // MARK: Other links

    /// Returns a link of this machine, which can then be changed.
    public func link(_ name: String) throws(MachineError) -> Link {
        _ = try index(of: name)
        return Link(machine: self, name: name)
    }

    /// Makes a bridge, which is up. Its ports are links that this machine has.
    @discardableResult
    public func bridge(_ name: String, of ports: [String] = [], _ addresses: String...) throws(MachineError) -> Link {
        let link = try add(.newLink(try valid(name), kind: "bridge"), name, addresses)
        for port in ports { try link.add(port: port) }
        return link
    }

    /// Makes a dummy link, which is up. It accepts every packet and sends it nowhere.
    @discardableResult
    public func dummy(_ name: String, _ addresses: String...) throws(MachineError) -> Link {
        try add(.newLink(try valid(name), kind: "dummy"), name, addresses)
    }

    /// Makes a virtual LAN on a link (802.1Q), which is up.
    @discardableResult
    public func vlan(
        _ name: String, number: UInt16, on lower: String, _ addresses: String...
    ) throws(MachineError) -> Link {
        try add(.newVLAN(try valid(name), number: number, on: index(of: lower)), name, addresses)
    }

    private func add(_ change: Change, _ name: String, _ addresses: [String]) throws(MachineError) -> Link {
        let addresses = try LinkAddress.list(addresses)
        try make(change, to: "make the link \(name) of \(self.name)")
        try self.change(name) { .linkWithoutOwnAddress($0) }
        try bringUp(name, addresses)
        try waitUntilUsable(name, addresses)
        return Link(machine: self, name: name)
    }

    /// Makes a tun device, like a VPN program, which is up. Packets that are sent to it are lost.
    @discardableResult
    public func tun(_ name: String, _ addresses: String...) throws(MachineError) -> Link {
        try tun(name, LinkAddress.list(addresses))
    }

    private func tun(_ name: String, _ addresses: [LinkAddress]) throws(MachineError) -> Link {
        let device = try TunDevice(valid(name), addresses, on: self)
        belongings.withLock { $0.tunnels[name] = device }
        try waitUntilUsable(name, addresses)
        return Link(machine: self, name: name)
    }

    /// Connects to a VPN: makes a tun device, and the two routes, each for one half of all addresses, with which VPN programs
    /// send everything into the tunnel without changing the default route. There are such routes for IPv6, too, if the device has
    /// an IPv6 address. Deleting the link disconnects.
    @discardableResult
    public func vpn(_ name: String, _ addresses: String...) throws(MachineError) -> Link {
        let read = try LinkAddress.list(addresses)
        let link = try tun(name, read)
        for (family, halves) in [(AddressFamily.v4, ["0.0.0.0/1", "128.0.0.0/1"]), (.v6, ["::/1", "8000::/1"])]
        where read.contains(where: { $0.address.family == family }) {
            for half in halves { try route(half, on: name) }
        }
        return link
    }

    /// Waits until the kernel has announced everything about a new link that is up.
    func waitUntilUsable(_ name: String, _ addresses: [LinkAddress]) throws(MachineError) {
        guard try Link(machine: self, name: name).waitUntilSettled().flags.contains(.lowerUp) else { return }
        for address in addresses where address.address.family == .v6 { try waitForOwn(address.address) }
    }
}

extension LinkAddress {
    static func list(_ texts: [String]) throws(MachineError) -> [LinkAddress] {
        try texts.map { (text) throws(MachineError) in try LinkAddress(reading: text) }
    }
}

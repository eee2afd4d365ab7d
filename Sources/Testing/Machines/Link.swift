// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// A link of a ``Machine``: a network card, or something that looks like one to programs.
public struct Link: Sendable {
    let machine: Machine
    /// The name, such as "eth0".
    public let name: String

    /// Unplugs the cable: the link loses its carrier, and keeps its addresses and routes. The other end of the cable loses its
    /// carrier, too, and its routes; only those of its addresses come back when the cable is plugged in again.
    ///
    /// For cables, tun and dummy devices.
    public func unplug() throws(MachineError) { try setCarrier(false) }

    /// Plugs the cable in again.
    public func plugIn() throws(MachineError) { try setCarrier(true) }

    /// Brings the link up. Ends ``goDormant()``, too.
    public func bringUp() throws(MachineError) {
        try machine.change(name) { .link($0, up: true) }
        if try machine.linkFacts(name)?.operationalState == .dormant {
            try machine.change(name) { .link($0, dormant: false, staying: false) }
        }
        try waitUntilSettled()
    }

    /// Takes the link down, as an administrator does. Its routes and its IPv6 addresses are removed.
    public func takeDown() throws(MachineError) {
        try machine.change(name) { .link($0, up: false) }
        try machine.waitForLink(name) { !$0.flags.contains(.up) && $0.isSettled }
    }

    /// Makes the link dormant: it waits for an external event, such as a login or a dialled connection (RFC 2863). Its addresses
    /// and routes stay.
    public func goDormant() throws(MachineError) {
        try machine.change(name) { .link($0, dormant: true, staying: true) }
        try machine.waitForLink(name, .dormant)
    }

    /// Deletes the link, and the other end of its cable.
    public func delete() throws(MachineError) {
        let known = machine.belongings.withLock { belongings in
            (belongings.cables.removeValue(forKey: name), belongings.tunnels.removeValue(forKey: name))
        }
        if let device = known.1 {
            device.close()
        } else {
            let index = try machine.index(of: name)
            try machine.make(.deleteLink(index), to: "delete the link \(name) of \(machine.name)")
        }
        if let cable = known.0 { cable.machine?.belongings.withLock { _ = $0.cables.removeValue(forKey: cable.link) } }
        try machine.waitForNoLink(name)
    }

    /// Unplugs the cable, and plugs it into a new machine. The link keeps its index, addresses and routes.
    ///
    /// - Parameters:
    ///   - name: the name of the new machine.
    ///   - itsAddress: the address of the new machine on this cable.
    @discardableResult
    public func replug(to name: String, _ itsAddress: String) throws(MachineError) -> Machine {
        let other = try Machine(name)
        try replug(to: other, itsAddress)
        machine.belongings.withLock { $0.cables[self.name]?.kept = other }
        return other
    }

    /// Unplugs the cable, and plugs it into another machine. The link keeps its index, addresses and routes.
    public func replug(to other: Machine, _ itsAddress: String) throws(MachineError) {
        let address = try LinkAddress(reading: itsAddress)
        let (before, its) = try otherEnd()
        let next = try other.freeLinkName()
        let place = try other.openNamespace()
        try before.change(its) { .link($0, to: place, as: next) }
        before.belongings.withLock { _ = $0.cables.removeValue(forKey: its) }
        other.belongings.withLock { $0.cables[next] = Cable(machine: machine, link: name) }
        // If nothing else keeps the former machine alive, it is released now.
        machine.belongings.remove { $0.cables.updateValue(Cable(machine: other, link: next), forKey: name) }
        // In between, the cable has no carrier, and programs notice that.
        try waitUntilSettled()
        try other.change(next) { .linkWithoutOwnAddress($0) }
        try other.bringUp(next, [address])
        try other.waitUntilUsable(next, [address])
        try waitUntilSettled()
    }

    /// Makes another link a port of this bridge.
    public func add(port: String) throws(MachineError) {
        let bridge = try machine.index(of: name)
        try machine.change(port) { .link($0, portOf: bridge) }
        try machine.waitForLink(port) { $0.master == bridge }
        try waitUntilSettled()
    }

    // MARK: Addresses

    /// Adds an address, such as "10.0.0.1/24". It can be used at once.
    ///
    /// - Parameter seconds: how long it is valid; nil for ever.
    public func address(_ text: String, seconds: UInt32? = nil) throws(MachineError) {
        let (address, index) = (try LinkAddress(reading: text), try machine.index(of: name))
        try machine.make(
            .address(.add, address, of: index, lifetime: seconds),
            to: "add the address \(text) to \(name) of \(machine.name)")
        if address.address.family == .v6, try machine.linkFacts(name)?.hasCarrier == true {
            try machine.waitForOwn(address.address)
        }
    }

    /// Removes an address, and the routes that depend on it.
    public func removeAddress(_ text: String) throws(MachineError) {
        let (address, index) = (try LinkAddress(reading: text), try machine.index(of: name))
        try machine.make(
            .address(.delete, address, of: index), to: "remove the address \(text) from \(name) of \(machine.name)")
    }

    // MARK: -

    private func setCarrier(_ isOn: Bool) throws(MachineError) {
        let known = machine.belongings.withLock { ($0.tunnels[name], $0.cables[name]?.link) }
        if let tunnel = known.0 {
            try tunnel.setCarrier(isOn)
        } else if known.1 != nil {
            let (other, its) = try otherEnd()
            // Otherwise the IPv6 addresses would be removed with the link; they are, if the setting cannot be written.
            try? other.set("net/ipv6/conf/\(its)/keep_addr_on_down", 1)
            try other.change(its) { .link($0, up: isOn) }
            try Link(machine: other, name: its).waitUntilSettled()
        } else {
            try machine.change(name) { .link($0, carrier: isOn) }
        }
        try machine.waitForLink(name) { $0.isSettled && (!$0.flags.contains(.up) || $0.hasCarrier == isOn) }
    }

    private func otherEnd() throws(MachineError) -> (Machine, String) {
        guard let cable = machine.belongings.withLock({ $0.cables[name] }), let other = cable.machine else {
            throw .mistake("\(name) of \(machine.name) is not the end of a cable to a machine of this test.")
        }
        return (other, cable.link)
    }

    /// The kernel reports the carrier first, and the state that follows from it later (net/core/link_watch.c).
    @discardableResult
    func waitUntilSettled() throws(MachineError) -> LinkFacts {
        try machine.waitForLink(name, \.isSettled)
    }
}

extension LinkFacts {
    fileprivate var hasCarrier: Bool { flags.contains(.lowerUp) }

    /// Whether the operational state follows from the flags (rfc2863_policy in net/core/link_watch.c).
    fileprivate var isSettled: Bool {
        guard flags.contains(.up) else { return [.down, .notPresent, .lowerLayerDown].contains(operationalState) }
        switch operationalState {
        case .up, .dormant, .unknown, .testing: return flags.contains(.lowerUp)
        case .down, .lowerLayerDown, .notPresent: return !flags.contains(.lowerUp)
        }
    }
}

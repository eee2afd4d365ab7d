// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// Links that any machine can make: veth pairs.
extension Topology {
    /// Makes a veth pair with both ends up, and waits until the kernel announces nothing more of it: both ends are up, and
    /// have the addresses that were given.
    ///
    /// - Parameters:
    ///   - name: the name of this end. The other end has "-peer" after it, unless it is named.
    ///   - addresses: of this end, such as "10.0.0.1/24" or "fd00::1/64".
    ///   - other: the topology of the other end; nil for this one.
    ///   - index: the index of this end.
    ///   - hasLinkLocalAddress: whether both ends get an IPv6 address of their own, which the kernel adds a moment later
    ///     (addrconf_dev_config in net/ipv6/addrconf.c).
    package func wire(
        _ name: String, address addresses: String..., peer: String? = nil, peerAddress: String? = nil,
        in other: Topology? = nil, index: UInt32? = nil,
        hasLinkLocalAddress: Bool = false
    ) throws {
        let peer = peer ?? "\(name)-peer"
        let other = other ?? self
        let number = index.map { "index \($0) " } ?? ""
        // The other end is made in its own namespace, so that its name need not be free here.
        let place = other === self ? "" : " netns \(other.namespacePath)"
        try ip("link add \(name) \(number)type veth peer name \(peer)\(place)")
        if !hasLinkLocalAddress {
            try leaveWithoutLinkLocalAddress(name)
            try other.leaveWithoutLinkLocalAddress(peer)
        }
        try other.bringUp(peer, peerAddress.map { [$0] } ?? [])
        try bringUp(name, addresses)
        try waitForLink(name, .up)
        try other.waitForLink(peer, .up)
        try waitForOwn(addresses)
        if let peerAddress { try other.waitForOwn([peerAddress]) }
    }

    /// A network with eth0, whose address is 10.0.0.1/24, and then what these commands of `ip` do.
    package static func wired(_ commands: String...) throws -> Topology {
        let topology = try Topology()
        try topology.wire("eth0", address: "10.0.0.1/24")
        for command in commands { try topology.ip(command) }
        return topology
    }

    /// Waits until the namespace owns addresses of a link with a carrier. For an IPv6 address a kernel worker does that, after
    /// the call that adds it has returned, also without duplicate address detection (addrconf_dad_work in
    /// net/ipv6/addrconf.c).
    package func waitForOwn(_ addresses: [String]) throws {
        for address in addresses where address.contains(":") {
            try waitForRoute(to: IPAddress.withLength(text: address).address) { answer in
                if case .route(let route) = answer { route.kind == .local } else { false }
            }
        }
    }

    /// The kernel then makes no address from the link's hardware address (IN6_ADDR_GEN_MODE_NONE in if_link.h).
    private func leaveWithoutLinkLocalAddress(_ name: String) throws {
        try ip("link set \(name) addrgenmode none")
    }

    func bringUp(_ name: String, _ addresses: [String]) throws {
        for address in addresses {
            try ip("address add \(address) dev \(name)\(address.contains(":") ? " nodad" : "")")
        }
        try ip("link set \(name) up")
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
    /// Advertises a router that can be used for so many seconds, and the prefix 2001:db8:7::/64, to the other end of the link. This
    /// end needs a link-local address.
    package func advertiseRouter(on name: String, seconds: UInt16) throws {
        let error = run { unsafe topology_advertise(name, seconds) }
        guard error == 0 else { throw Errno(rawValue: error) }
    }
}

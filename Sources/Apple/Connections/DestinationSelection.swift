// SPDX-License-Identifier: Apache-2.0

package import ReachabilityKit
package import ReachabilityLinuxSystem
import ReachabilityNetlink

/// The order in which a host's addresses are tried (RFC 6724 6). Pure.
///
/// Three of the ten rules are left out. The kernel uses a deprecated source address (rule 3) only if it has no other;
/// mobile IPv6 (rule 4) is not in use; and a program cannot tell whether packets are encapsulated further on (rule 7).
/// Rule 9, the longest common prefix, is applied to IPv6 only, as glibc does for addresses beyond the link: in IPv4 it
/// says nothing about distance.
package struct DestinationSelection: Comparable {
    // Numbers, because tuples of them can be compared. The smaller key is the better address.
    private let key:
        (isUnreachable: Int, scopeDiffers: Int, labelDiffers: Int, negativePrecedence: Int, scope: Int, unlikeBits: Int)

    /// - Parameter source: the address that packets to the destination would be sent from; nil if there is no route.
    package init(_ destination: IPAddress, from source: IPAddress?) {
        let policy = Policy.of(destination)
        let scope = destination.selectionScope
        guard let source else {
            key = (1, 1, 1, -policy.precedence, scope, 128)
            return
        }
        key = (
            0, scope == source.selectionScope ? 0 : 1, policy.label == Policy.of(source).label ? 0 : 1,
            -policy.precedence, scope, Self.unlikeBits(destination, source)
        )
    }

    package static func < (left: Self, right: Self) -> Bool { left.key < right.key }
    package static func == (left: Self, right: Self) -> Bool { left.key == right.key }

    /// The addresses, best first. Equally good ones keep their order (rule 10).
    package static func sorted(_ addresses: [IPAddress], source: (IPAddress) -> IPAddress?) -> [IPAddress] {
        guard addresses.count > 1 else { return addresses }
        let ranked = addresses.enumerated().map { (Self($1, from: source($1)), $0, $1) }
        return ranked.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }

    /// How many bits of the network half follow the common prefix. The other half is the interface's own choice and no
    /// measure of distance.
    private static func unlikeBits(_ destination: IPAddress, _ source: IPAddress) -> Int {
        guard case .v6(let one, _) = destination, case .v6(let other, _) = source else { return 0 }
        return 64 - (one.high ^ other.high).leadingZeroBitCount
    }
}

/// An entry of the default policy table (RFC 6724 2.1).
private struct Policy {
    let precedence: Int
    let label: Int

    /// From the longest prefix to the shortest.
    private static let table: [(prefix: Prefix, policy: Policy)] = [
        ("::1", 128, 50, 0), ("::ffff:0:0", 96, 35, 4), ("::", 96, 1, 3), ("2001::", 32, 5, 5), ("2002::", 16, 30, 2),
        ("3ffe::", 16, 1, 12), ("fec0::", 10, 1, 11), ("fc00::", 7, 3, 13), ("::", 0, 40, 1),
    ].map { text, length, precedence, label in
        guard let base = IPv6Address(text) else { fatalError("no address: \(text)") }
        return (Prefix(.v6(base), length: UInt8(length)), Policy(precedence: precedence, label: label))
    }

    static func of(_ address: IPAddress) -> Policy {
        // An IPv4 address is looked up as ::ffff:a.b.c.d.
        let mapped: IPAddress =
            switch address.unmapped {
            case .v4(let inner): .v6(IPv6Address(high: 0, low: 0xFFFF_0000_0000 | UInt64(inner.rawValue)))
            case .v6: address.unscoped
            }
        guard let found = Self.table.first(where: { $0.prefix.contains(mapped) }) else {
            preconditionFailure("the last prefix covers everything")
        }
        return found.policy
    }
}

extension IPAddress {
    /// The address's scope, numbered like multicast scopes (RFC 6724 3.1, 3.2).
    fileprivate var selectionScope: Int {
        let (link, site, global) = (0x2, 0x5, 0xE)
        switch unmapped {
        case .v4(let address): return address.isLinkLocal || address.isLoopback ? link : global
        case .v6(let address, _):
            if address.isMulticast { return Int(address.high >> 48 & 0xF) }
            if address.isLinkLocal || address.isLoopback { return link }
            return address.high >> 54 == 0x3FB ? site : global
        }
    }
}

/// The interfaces a connection may use.
package struct InterfaceChoice: Sendable {
    package let source: PathSource
    package let restriction: PathRestriction
    /// The name of the one interface it has to use, if there is one.
    package let required: String?
    /// The names of interfaces it must not use.
    package let prohibited: [String]
    /// Whether it must not use mobile networks.
    package let prohibitsCellular: Bool
    /// Whether it must not use networks that NetworkManager calls metered.
    package let prohibitsMetered: Bool

    package init(
        source: PathSource = PathSource(), restriction: PathRestriction = PathRestriction(), required: String? = nil,
        prohibited: [String] = [], prohibitsCellular: Bool = false, prohibitsMetered: Bool = false
    ) {
        self.source = source
        self.restriction = restriction
        self.required = required
        self.prohibited = prohibited
        self.prohibitsCellular = prohibitsCellular
        self.prohibitsMetered = prohibitsMetered
    }

    /// Whether the kernel may choose the interface.
    package var isFree: Bool {
        restriction.isNone && prohibited.isEmpty && !prohibitsCellular && !prohibitsMetered
    }

    /// The interfaces that are up and allowed, the most preferred first.
    package func allowed(_ path: NetworkPath) -> [NetworkPath.Interface] {
        (path.interfaces + (path.loopback.map { [$0] } ?? [])).filter { interface in
            let name = InterfaceName(interface.name)
            return restriction.allows(interface.kind)
                && (required == nil || required.flatMap(InterfaceName.init) == name)
                && !prohibited.contains { InterfaceName($0) == name }
                && !(prohibitsCellular && interface.kind == .cellular)
                && !(prohibitsMetered && interface.isMetered)
        }
    }

    /// The interface to bind a socket to; nil for none. A socket stays unbound if the kernel's own choice is allowed,
    /// because a bound one would not follow a change of routes.
    ///
    /// - Parameter path: the newest path that was observed, which says what is metered; nil to ask the kernel.
    func device(
        towards address: IPAddress, _ reference: ReachabilityRef, _ path: NetworkPath?
    ) throws(Errno) -> String? {
        guard !isFree else { return required }
        do throws(ReachabilityError) {
            let allowed = if let path { allowed(path) } else { allowed(try source.current()) }
            let unbound = try Self.verdict(on: address, nil, reference)
            if required == nil, unbound.flags.rank != .none, let index = unbound.interface,
                allowed.contains(where: { $0.linkIndex == index })
            {
                return nil
            }
            for interface in allowed
            where try Self.verdict(on: address, interface.name, reference).flags.rank != .none {
                return interface.name
            }
        } catch {
            throw Errno(rawValue: error.errno ?? Errno.networkDown.rawValue)
        }
        throw .networkDown
    }

    /// The interface by which a new connection would leave; nil if no allowed interface leads to the address.
    ///
    /// - Parameter path: the present path.
    func interface(
        towards address: IPAddress, _ reference: ReachabilityRef, _ path: NetworkPath
    ) -> InterfaceIndex? {
        do {
            let device = try device(towards: address, reference, path)
            let verdict = try Self.verdict(on: address, device, reference)
            return verdict.flags.rank == .reachable ? verdict.interface : nil
        } catch {
            return nil
        }
    }

    private static func verdict(
        on address: IPAddress, _ device: String?, _ reference: ReachabilityRef
    ) throws(ReachabilityError) -> Verdict {
        let keys = device.flatMap(InterfaceName.init).map { reference.keys.bound(to: .name($0)) } ?? reference.keys
        return try ReachabilityRef(.target(Target(address)), keys: keys, namespace: reference.namespace)
            .currentVerdict()
    }
}

// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import ReachabilityKit

/// The interfaces a connection may use.
package struct InterfaceChoice: Sendable {
    package let source: PathSource
    package let restriction: PathRestriction
    /// The name of the one interface it has to use, if there is one.
    package let required: String?
    /// The names of interfaces it must not use.
    package let prohibited: Set<String>
    /// Whether it must not use mobile networks, and those that NetworkManager calls metered.
    package let prohibitsExpensive: Bool

    package init(
        source: PathSource = PathSource(), restriction: PathRestriction = PathRestriction(), required: String? = nil,
        prohibited: Set<String> = [], prohibitsExpensive: Bool = false
    ) {
        self.source = source
        self.restriction = restriction
        self.required = required
        self.prohibited = prohibited
        self.prohibitsExpensive = prohibitsExpensive
    }

    /// Whether the kernel may choose the interface.
    package var isFree: Bool { restriction.isNone && prohibited.isEmpty && !prohibitsExpensive }

    /// The interfaces that are up and allowed, the most preferred first.
    package func allowed(_ path: NetworkPath) -> [NetworkPath.Interface] {
        (path.interfaces + (path.loopback.map { [$0] } ?? [])).filter { interface in
            restriction.allows(interface.kind) && (required == nil || required == interface.name)
                && !prohibited.contains(interface.name)
                && !(prohibitsExpensive && (interface.kind == .cellular || interface.isMetered))
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
                allowed.contains(where: { $0.index == index })
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
    package func interface(
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
        return try ReachabilityRef(target: Target(address), keys: keys, namespace: reference.namespace).currentVerdict()
    }
}

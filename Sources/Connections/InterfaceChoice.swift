// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NetworkFacts
package import ReachabilityKit

/// Which interfaces a connection may use.
package struct InterfaceChoice: Sendable {
    /// Where the interfaces are seen from.
    package let source: PathSource
    package let restriction: PathRestriction
    /// The one interface it has to use.
    package let required: String?

    package init(
        source: PathSource = PathSource(), restriction: PathRestriction = PathRestriction(), required: String? = nil
    ) {
        self.source = source
        self.restriction = restriction
        self.required = required
    }

    /// Whether the kernel is free to choose.
    package var isFree: Bool { restriction.isNone }

    /// The interfaces that are up and allowed, the most preferred first.
    package func allowed(_ path: NetworkPath) -> [NetworkPath.Interface] {
        (path.interfaces + (path.loopback.map { [$0] } ?? [])).filter { interface in
            restriction.allows(interface.kind) && (required == nil || required == interface.name)
        }
    }

    /// The interface to bind a socket to; nil for none. Where the kernel's own decision is allowed it stays free: a
    /// bound socket would not follow a change of routes.
    func device(towards address: IPAddress, _ reference: ReachabilityRef) throws(Errno) -> String? {
        guard !isFree else { return required }
        do throws(ReachabilityError) {
            let allowed = allowed(try source.current())
            let plain = try Self.verdict(on: address, nil, reference)
            if required == nil, plain.flags.rank != .none, let index = plain.interface,
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

    private static func verdict(
        on address: IPAddress, _ device: String?, _ reference: ReachabilityRef
    ) throws(ReachabilityError) -> Verdict {
        let given = reference.keys
        let keys = RoutingKeys(
            interfaceName: device, interface: given.interface, mark: given.mark, userID: given.userID)
        return try ReachabilityRef(target: Target(address), keys: keys, namespace: reference.namespace).currentVerdict()
    }
}

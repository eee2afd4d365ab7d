// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// What the kernel is asked about. It is read and checked once.
package enum Target: Hashable, Sendable {
    case address(IPAddress)
    /// A local address, and optionally a remote one: what could be sent from the local address.
    indirect case pair(local: IPAddress, remote: IPAddress?)
    /// Any way off this machine, of either family.
    case defaultPath
    /// The same of one family.
    case defaultPathOf(AddressFamily)
}

extension Target {
    /// The target for an address. An unspecified address stands for the default path (Apple's Reachability sample).
    package init(_ address: IPAddress) {
        self = address.unmapped.isUnspecified ? .defaultPath : .address(address)
    }

    /// The target for a pair of addresses; nil if both are missing.
    ///
    /// A pair without a local address, or with an unspecified one, is the same target as the remote address.
    package init?(local: IPAddress?, remote: IPAddress?) {
        let local = local.flatMap { $0.unmapped.isUnspecified ? nil : $0 }
        switch (local, remote) {
        case (let local?, let remote): self = .pair(local: local, remote: remote)
        case (nil, let remote?): self.init(remote)
        case (nil, nil): return nil
        }
    }
}

extension Target: CustomStringConvertible {
    package var description: String {
        switch self {
        case .address(let address): address.description
        case .pair(let local, let remote): "\(local),\(remote?.description ?? "")"
        case .defaultPath, .defaultPathOf: "default"
        }
    }
}

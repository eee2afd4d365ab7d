// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Something that the kernel can be asked about. It is parsed and checked once.
package enum Target: Hashable, Sendable {
    case address(IPAddress)
    /// A local address, and optionally a remote one, for packets from the local address.
    indirect case pair(local: IPAddress, remote: IPAddress?)
    /// Any route out of this machine, in either family.
    case defaultPath
    /// Any route out of this machine in one family.
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

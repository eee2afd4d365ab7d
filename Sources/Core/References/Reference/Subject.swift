// SPDX-License-Identifier: Apache-2.0

import ReachabilityResolverFiles

/// The target of a reference: something that the kernel can be asked about, or a name, for whose addresses it is asked.
package enum Subject: Hashable, Sendable {
    case target(Target)
    case name(NamedHost)
}

extension Subject: CustomStringConvertible {
    package var description: String {
        switch self {
        case .target(let target): target.description
        case .name(let host): host.name.description
        }
    }
}

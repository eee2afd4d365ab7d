// SPDX-License-Identifier: Apache-2.0

import ReachabilityResolverFiles

/// What a reference is to: something that the kernel is asked about, or a name, whose addresses it is asked about.
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

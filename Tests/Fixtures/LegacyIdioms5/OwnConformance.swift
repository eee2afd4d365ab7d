// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

// Clients add this conformance, so the module must not have it. In one language mode only: both sets of files end up
// in one program.
extension SCNetworkReachabilityFlags: CustomStringConvertible {
    /// The letters that are about.
    public var description: String {
        [
            contains(.transientConnection) ? "t" : "-", contains(.reachable) ? "R" : "-",
            contains(.interventionRequired) ? "i" : "-", contains(.isLocalAddress) ? "l" : "-",
            contains(.isDirect) ? "d" : "-",
        ].joined()
    }
}

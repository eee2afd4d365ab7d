// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

// Clients add this conformance, so the module must not have it. It is in one language mode only, because both sets of
// files are linked into one program.
extension SCNetworkReachabilityFlags: CustomStringConvertible {
    /// The usual letters.
    public var description: String {
        [
            contains(.transientConnection) ? "t" : "-", contains(.reachable) ? "R" : "-",
            contains(.interventionRequired) ? "i" : "-", contains(.isLocalAddress) ? "l" : "-",
            contains(.isDirect) ? "d" : "-",
        ].joined()
    }
}

// SPDX-License-Identifier: Apache-2.0

// The code in SystemConfiguration's page, compiled here.

import SystemConfiguration

func legacy() {
    var flags = SCNetworkReachabilityFlags()
    if let target = SCNetworkReachabilityCreateWithName(nil, "www.swift.org"),
        SCNetworkReachabilityGetFlags(target, &flags), flags.contains(.reachable)
    {
        print("a packet would leave")
    }
}

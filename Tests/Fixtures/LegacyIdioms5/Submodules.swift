// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration.CaptiveNetwork
import SystemConfiguration.SCDynamicStore
import SystemConfiguration.SCNetworkReachability

/// Imports the framework header by header.
public enum Submodules {
    /// What each of the headers declares.
    public static func everything() -> (CFString, SCNetworkReachabilityFlags, CFArray?) {
        (kSCDynamicStoreDomainState, .reachable, CNCopySupportedInterfaces())
    }
}

// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

/// How errors are reported.
package enum Errors {
    package static func reasonForNoTarget() -> String {
        guard SCNetworkReachabilityCreateWithName(nil, "") == nil else { return "" }
        guard SCError() == Int32(kSCStatusInvalidArgument) else { return "" }
        return String(cString: SCErrorString(SCError()))
    }

    package static func flagsOrThrow(_ target: SCNetworkReachability) throws -> SCNetworkReachabilityFlags {
        var flags = SCNetworkReachabilityFlags()
        guard SCNetworkReachabilityGetFlags(target, &flags) else { throw SCCopyLastError() as Error }
        return flags
    }

    /// The older names.
    package static func isReachableByOlderNames(_ name: String) -> Bool {
        var flags: SCNetworkConnectionFlags = 0
        guard SCNetworkCheckReachabilityByName(name, &flags) else { return false }
        let isReachable = Int(flags) & kSCNetworkFlagsReachable != 0
        let needsConnection = Int(flags) & kSCNetworkFlagsConnectionRequired != 0
        return isReachable && !needsConnection
    }

    package static func lastError() -> (CFIndex, String) {
        let error = SCCopyLastError()
        return (CFErrorGetCode(error), (CFErrorCopyDescription(error) as String?) ?? "")
    }
}

extension SCNetworkReachabilityFlags {
    /// Clients extend the flags, and the module must not be in the way.
    var isConnected: Bool { contains(.reachable) && !contains(.connectionRequired) && !isOnWWAN }
    var isOnWWAN: Bool { contains(.isWWAN) }
    var isOnDemand: Bool { !isDisjoint(with: [.connectionOnTraffic, .connectionOnDemand, .connectionAutomatic]) }
}

extension SCNetworkReachability {
    static let loopback = "127.0.0.1"
}

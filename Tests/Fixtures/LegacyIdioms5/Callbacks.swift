// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

/// A global function as callback.
private func globalCallback(
    _ target: SCNetworkReachability, _ flags: SCNetworkReachabilityFlags, _ info: UnsafeMutableRawPointer?
) {
    info?.assumingMemoryBound(to: UInt32.self).pointee = flags.rawValue
}

/// The forms in which a callback is given.
package enum Callbacks {
    package static func setGlobalFunction(_ target: SCNetworkReachability, _ place: UnsafeMutablePointer<UInt32>) {
        var context = SCNetworkReachabilityContext(
            version: 0, info: UnsafeMutableRawPointer(place), retain: nil, release: nil, copyDescription: nil)
        SCNetworkReachabilitySetCallback(target, globalCallback, &context)
    }

    package static func setNestedFunction(_ target: SCNetworkReachability, _ place: UnsafeMutablePointer<UInt32>) {
        func callback(
            reachability: SCNetworkReachability, flags: SCNetworkReachabilityFlags, info: UnsafeMutableRawPointer?
        ) {
            info!.assumingMemoryBound(to: UInt32.self).pointee = flags.rawValue
        }
        var context = SCNetworkReachabilityContext(
            version: 0, info: UnsafeMutableRawPointer(place), retain: nil, release: nil, copyDescription: nil)
        SCNetworkReachabilitySetCallback(target, callback, &context)
    }

    /// No context. The callback asks again, which is allowed.
    package static func setWithoutContext(
        _ target: SCNetworkReachability, _ body: @escaping @Sendable (SCNetworkReachabilityFlags, Bool) -> Void
    ) {
        SCNetworkReachabilitySetCallback(
            target,
            { target, flags, info in
                var again = SCNetworkReachabilityFlags()
                let isAnswered = SCNetworkReachabilityGetFlags(target, &again)
                body(again, isAnswered && info == nil)
            }, nil)
    }
}

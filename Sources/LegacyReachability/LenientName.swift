// SPDX-License-Identifier: Apache-2.0

import NetworkFacts
import ReachabilityKit

extension ReachabilityRef {
    /// Makes a reference by name as CreateWithName does: inet_aton's idea of an address first, white space and what
    /// follows it ignored, then IPv6 (SCDPrivate.c l.196, configd-1405), and a name whatever else it is. A name that
    /// is impossible answers 0.
    convenience init(lenientName name: String, options: ReachabilityOptions) throws(ReachabilityError) {
        if let text = AddressText(name, ignoringRest: true) {
            if case .v4(let address) = text.address {
                try self.init(target: Target(.v4(address)), options: options)
                return
            }
            // An unknown zone makes it a name, which cannot resolve.
            if let reference = try? ReachabilityRef(address: name, options: options) {
                try self.init(target: reference.target, options: options)
                return
            }
        }
        // SHIM until names are merged: `localhost` alone is known.
        let bare = name.lowercased()
        if bare == "localhost" || bare.hasSuffix(".localhost") {
            try self.init(target: Target(.v4(IPv4Address(lenient: "127.0.0.1")!)), options: options)
        } else {
            // 240.0.0.0/4 is nobody's: a pair with a local address that is not ours answers 0.
            try self.init(
                target: .pair(local: .v4(IPv4Address(lenient: "240.0.0.1")!), remote: nil), options: options)
        }
    }
}

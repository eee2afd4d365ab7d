// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

extension ReachabilityRef {
    /// Makes a reference by name as CreateWithName does: inet_aton's idea of an address first, white space and what
    /// follows it ignored, then IPv6 (SCDPrivate.c l.196, configd-1405), and a name whatever else it is. A name that
    /// is impossible answers 0.
    convenience init(lenientName name: String, options: ReachabilityOptions) throws(ReachabilityError) {
        do throws(ReachabilityError) {
            try self.init(lenientHostname: name, options: options)
        } catch {
            // An IPv6 address with an unknown zone is a name to Apple's function, and one that cannot resolve; as is
            // everything that begins with a percent sign.
            guard error.code == .noSuchInterface, options.interface == nil, name.contains("%") else { throw error }
            try self.init(lenientHostname: "%\(name)", options: options)
        }
    }
}

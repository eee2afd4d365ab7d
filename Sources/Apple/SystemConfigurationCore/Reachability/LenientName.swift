// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

extension ReachabilityRef {
    /// Makes a reference as CreateWithName does. The text is read as inet_aton reads an address, which ignores white
    /// space and what follows it, then as IPv6 (SCDPrivate.c l.196, configd-1405). Anything else is a name; an
    /// impossible name has no flags.
    convenience init(lenientName name: String, options: ReachabilityOptions) throws(ReachabilityError) {
        do throws(ReachabilityError) {
            try self.init(lenientHostname: name, options: options)
        } catch {
            // Apple's function takes an IPv6 address with an unknown zone for a name, which cannot be resolved. Here a
            // text that begins with a percent sign is such a name.
            guard error.code == .noSuchInterface, options.interface == nil, name.contains("%") else { throw error }
            try self.init(lenientHostname: "%\(name)", options: options)
        }
    }
}

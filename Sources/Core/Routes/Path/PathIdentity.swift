// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

extension NetworkPath {
    /// Tells whether connections that were made earlier are still worth using. While the identity is the same, they leave by the
    /// same interface and from the same address, and the machine has not slept for over a minute in between.
    ///
    /// The identity consists of the default route of each family, and of the number of sleeps that this process has seen. A
    /// captive portal, metering, another gateway and other interfaces do not change it. Compare identities only within one
    /// process.
    public struct Identity: Hashable, Sendable, CustomStringConvertible {
        /// The number that stands for it in JSON, in C and in Python.
        public var description: String { "\(number)" }

        /// The route of packets that only a default route covers. The state of the link is not part of it: a connection survives
        /// a cable that is pulled out for a moment.
        private struct Route: Hashable, Sendable {
            let interface: InterfaceIndex?
            let source: IPAddress?

            init(_ route: RouteDecision) { (interface, source) = (route.interface, route.source) }
        }

        private let ipv4: Route?
        private let ipv6: Route?
        private let sleeps: UInt64

        init(_ facts: PathFacts = PathFacts()) {
            ipv4 = facts.defaults[.v4]?.route.map(Route.init)
            ipv6 = facts.defaults[.v6]?.route.map(Route.init)
            sleeps = facts.sleeps
        }

        /// The identity as a number for other languages, never 0. Equal identities of one process have the same number, and two
        /// different ones share a number with a probability of 2^-53; a number of this size keeps all its digits in every JSON
        /// reader. Another process has other numbers (`Hasher`), so identities of different processes do not look equal.
        package var number: UInt64 {
            var hasher = Hasher()
            hasher.combine(self)
            return max(1, UInt64(UInt(bitPattern: hasher.finalize())) & (1 << 53 - 1))
        }
    }
}

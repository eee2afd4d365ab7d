// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

extension NetworkPath {
    /// Whether connections that were made before are still worth using: while the identity is the same, they leave by the same
    /// interface and from the same address, and the machine has not slept for over a minute in between.
    ///
    /// It is made of the default route of each family, and of the number of sleeps that this process has seen. What a captive
    /// portal does, whether the network is metered, another gateway and other interfaces do not change it. Compare it within one
    /// process.
    public struct Identity: Hashable, Sendable {
        /// How packets leave that only a default route covers. The state of the link does not count: a connection outlives a
        /// cable that is pulled out for a moment.
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

        /// The identity as a number for other languages, never 0. It is the same for equal identities of one process. Two that
        /// differ have the same number once in 2^53; and so far every reader of JSON keeps all digits. The numbers of another
        /// process are others (`Hasher`), so that nothing seems to be the same there.
        package var number: UInt64 {
            var hasher = Hasher()
            hasher.combine(self)
            return max(1, UInt64(UInt(bitPattern: hasher.finalize())) & (1 << 53 - 1))
        }
    }
}

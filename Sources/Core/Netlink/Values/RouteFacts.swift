// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// A route request to the kernel: the keys that its rules and tables use.
package struct RouteQuery: Hashable, Sendable {
    package var destination: IPAddress
    package var source: IPAddress?
    /// The outgoing interface of the request: that of the address, or the one that the socket is bound to.
    package var interface: InterfaceIndex?
    /// The interface that the socket is bound to. It differs from `interface` if the address names another one; connect(2)
    /// then fails.
    package var boundInterface: InterfaceIndex?
    package var mark: UInt32?
    /// The user of the socket; nil for the real user of the asking thread.
    package var userID: UInt32?
    package var transport: Transport
    /// The port of the receiver, for rules that name ports.
    package var port: UInt16?

    package init(
        destination: IPAddress, source: IPAddress? = nil, interface: InterfaceIndex? = nil,
        boundInterface: InterfaceIndex? = nil, mark: UInt32? = nil, userID: UInt32? = nil, transport: Transport = .tcp,
        port: UInt16? = nil
    ) {
        self.destination = destination
        self.source = source
        self.interface = interface
        self.boundInterface = boundInterface
        self.mark = mark
        self.userID = userID
        self.transport = transport
        self.port = port
    }
}

/// The protocol that a socket would speak, for rules that name one.
package enum Transport: Hashable, Sendable {
    case tcp, udp
}

/// The kernel's answer: a route, or that there is none.
package enum RouteAnswer: Hashable, Sendable {
    case route(RouteDecision)
    case unreachable(RouteRefusal)

    package var route: RouteDecision? {
        if case .route(let route) = self { route } else { nil }
    }
}

/// Why the kernel would not route, by its error.
package enum RouteRefusal: Hashable, Sendable {
    /// ENETUNREACH: no route, a throw route with nothing after it, or an unreachable rule.
    case noRoute
    /// EHOSTUNREACH: a route of type unreachable.
    case unreachable
    /// EACCES: a route or rule of type prohibit.
    case prohibited
    /// EINVAL: a route, rule or next hop of type blackhole.
    case blackhole
    /// EAFNOSUPPORT, EOPNOTSUPP: the kernel does not support the family.
    case familyUnsupported
    /// The kernel would send on-link through an interface without a route to the destination (table 0).
    case noRouteOnInterface
    /// ENODEV: there is no such interface.
    case noSuchInterface
    /// The route leaves by another interface than the requested one.
    case leavesElsewhere(InterfaceIndex)
}

/// The facts about a chosen route (RTM_NEWROUTE) that a verdict needs. Each question copies it, so all members are cheap to
/// copy.
package struct RouteDecision: Hashable, Sendable {
    /// RTN_… of linux/rtnetlink.h.
    package enum Kind: UInt8, Hashable, Sendable {
        case unspecified = 0, unicast, local, broadcast, anycast, multicast, blackhole, unreachable, prohibit, `throw`
        case translated, external
    }

    package var kind: Kind
    package var family: AddressFamily
    package var interface: InterfaceIndex?
    /// The next hop's address, of either family (RTA_GATEWAY, RTA_VIA).
    package var gateway: IPAddress?
    /// The source address of packets: that of the request, or the kernel's choice (RTA_PREFSRC). Nil if there is none.
    package var source: IPAddress?
    package var table: UInt32
    /// Whether only the interface and the source were found out. The gateway and the table are unknown then.
    package var isHopUnknown = false
    /// The route in its table; nil if the kernel told the hop alone.
    package var match: Match?

    /// What only the route in its table has.
    package struct Match: Hashable, Sendable {
        package var prefix: Prefix?
        package var metric: UInt32?
        /// The interface of the entry. For an address of this machine that is the one which has the address, while the hop is
        /// loopback.
        package var interface: InterfaceIndex?
        /// How long the route stays valid, in clock ticks; nil for ever (RTA_CACHEINFO, rta_expires).
        package var expiresInTicks: UInt32?
        /// The next-hop object of the route (RTA_NH_ID).
        package var nextHopID: UInt32?
        /// Whether the route has several hops, of which one is chosen by a hash of the addresses (RTA_MULTIPATH). Unknown for a
        /// route with a next-hop object where net.ipv4.nexthop_compat_mode is 0; then it counts as having several.
        package var hasSeveralHops = false

        package init(metric: UInt32? = nil, expiresInTicks: UInt32? = nil) {
            self.metric = metric
            self.expiresInTicks = expiresInTicks
        }
    }

    package var metric: UInt32? { match?.metric }
    package var expiresInTicks: UInt32? { match?.expiresInTicks }
    package var hasSeveralHops: Bool { match?.hasSeveralHops ?? false }

    package init(
        kind: Kind, family: AddressFamily = .v4, interface: InterfaceIndex? = nil, gateway: IPAddress? = nil,
        source: IPAddress? = nil, table: UInt32 = 254, metric: UInt32? = nil, expiresInTicks: UInt32? = nil
    ) {
        self.kind = kind
        self.family = family
        self.interface = interface
        self.gateway = gateway
        self.source = source
        self.table = table
        if metric != nil || expiresInTicks != nil { match = Match(metric: metric, expiresInTicks: expiresInTicks) }
    }

    /// Whether the route leads to this machine, whatever the state of its links.
    package var isLocal: Bool {
        // Not a comparison, which between modules would be a call through a witness table.
        switch kind {
        case .local, .anycast: true
        default: false
        }
    }

    /// Whether such a route can expire. Only IPv6 routes can (router advertisements, `ip -6 route … expires`).
    package var canExpire: Bool {
        if case (.unicast, .v6) = (kind, family) { true } else { false }
    }
}

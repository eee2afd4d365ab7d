// SPDX-License-Identifier: Apache-2.0

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
    package var userID: UInt32?

    package init(
        destination: IPAddress, source: IPAddress? = nil, interface: InterfaceIndex? = nil,
        boundInterface: InterfaceIndex? = nil, mark: UInt32? = nil, userID: UInt32? = nil
    ) {
        self.destination = destination
        self.source = source
        self.interface = interface
        self.boundInterface = boundInterface
        self.mark = mark
        self.userID = userID
    }
}

/// The kernel's answer: a route, or that there is none.
package enum RouteAnswer: Hashable, Sendable {
    case route(RouteDecision)
    case unreachable(RouteRefusal)
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
    package var metric: UInt32?
    /// How long the route stays valid, in clock ticks; nil for ever (RTA_CACHEINFO, rta_expires).
    package var expiresInTicks: UInt32?

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
        self.metric = metric
        self.expiresInTicks = expiresInTicks
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

/// Further facts about a route, for explanations.
package struct RouteDetails: Hashable, Sendable {
    /// The prefix of the matched route. Known for IPv6, and for IPv4 if the request was for the match.
    package var prefix: Prefix?
    package var nextHopID: UInt32?

    package init(prefix: Prefix? = nil, nextHopID: UInt32? = nil) {
        self.prefix = prefix
        self.nextHopID = nextHopID
    }
}

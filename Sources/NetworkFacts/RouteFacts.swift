// SPDX-License-Identifier: Apache-2.0

/// Which question is put to the kernel's routing: the keys that its rules and tables can look at.
package struct RouteQuery: Hashable, Sendable {
    package var destination: IPAddress
    package var source: IPAddress?
    /// The interface the kernel is asked to leave by: that of the address itself, or the one the socket is bound to.
    package var interface: InterfaceIndex?
    /// The interface the socket is bound to. It differs from `interface` where the address names another one, which
    /// connect(2) refuses.
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

/// What the kernel answered: a route, or that there is none.
package enum RouteAnswer: Hashable, Sendable {
    case route(RouteDecision)
    case unreachable(RouteRefusal)
}

/// Why the kernel would not route, by the error it answered with.
package enum RouteRefusal: Hashable, Sendable {
    /// ENETUNREACH: no route, a throw route and nothing behind it, or an unreachable rule.
    case noRoute
    /// EHOSTUNREACH: a route of type unreachable.
    case unreachable
    /// EACCES: a route or rule of type prohibit.
    case prohibited
    /// EINVAL: a route, rule or next hop of type blackhole.
    case blackhole
    /// EAFNOSUPPORT, EOPNOTSUPP: the kernel does not speak this family.
    case familyUnsupported
    /// The kernel would send on-link through an interface that has no route to the destination: its table is 0.
    case noRouteOnInterface
    /// The answer leaves by another interface than the one asked for.
    case leavesElsewhere(InterfaceIndex)
}

/// The route the kernel chose for one destination (RTM_NEWROUTE): what decides, and no more. It is made and copied at
/// every question, so it holds nothing that costs anything to copy.
package struct RouteDecision: Hashable, Sendable {
    /// RTN_… of linux/rtnetlink.h, as far as one can get in an answer.
    package enum Kind: UInt8, Hashable, Sendable {
        case unspecified = 0, unicast, local, broadcast, anycast, multicast, blackhole, unreachable, prohibit, `throw`
        case translated, external
    }

    package var kind: Kind
    package var family: AddressFamily
    package var interface: InterfaceIndex?
    /// The next hop's address, of either family (RTA_GATEWAY, RTA_VIA).
    package var gateway: IPAddress?
    /// The address packets leave from: the question's own, or the one the kernel would choose (RTA_PREFSRC). Nil where it
    /// has none to choose.
    package var source: IPAddress?
    package var table: UInt32
    package var metric: UInt32?
    /// How long the route stays valid, in kernel clock ticks; nil for ever (RTA_CACHEINFO, rta_expires).
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

    /// Whether it leads to this machine itself, whatever state its devices are in.
    package var isLocal: Bool {
        // No comparison: between modules that is a call through the protocol's table.
        switch kind {
        case .local, .anycast: true
        default: false
        }
    }

    /// Whether a route like this can end of itself: only IPv6's can (router advertisements, `ip -6 route … expires`).
    package var canExpire: Bool {
        if case (.unicast, .v6) = (kind, family) { true } else { false }
    }
}

/// What else is known of a route, for people to read.
package struct RouteDetails: Hashable, Sendable {
    /// The matched route's prefix; known for IPv6, and for IPv4 where the route itself was asked for.
    package var prefix: Prefix?
    package var nextHopID: UInt32?

    package init(prefix: Prefix? = nil, nextHopID: UInt32? = nil) {
        self.prefix = prefix
        self.nextHopID = nextHopID
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// What a route does with packets. The raw value is the kernel's (RTN_… of linux/rtnetlink.h).
public enum RouteType: UInt8, Sendable, CaseIterable {
    /// Sends them to a gateway, or to the link.
    case unicast = 1
    /// Delivers them to this machine.
    case local = 2
    /// Drops them silently.
    case blackhole = 6
    /// Drops them, and reports that the host is unreachable.
    case unreachable = 7
    /// Drops them, and reports that communication is prohibited.
    case prohibit = 8
    /// Continues with the next rule.
    case `throw` = 9

    fileprivate var kind: RouteDecision.Kind { RouteDecision.Kind(rawValue: rawValue) ?? .unicast }
}

extension Machine {
    // MARK: Routes

    /// Adds a route.
    ///
    /// - Parameters:
    ///   - destination: "default", a network such as "192.0.2.0/24", or an address.
    ///   - gateway: the router to which packets go; nil if the destination is on the link.
    ///   - link: the link; nil if the gateway determines it.
    ///   - type: what to do with packets.
    ///   - metric: of two routes to the same network, the one with the smaller metric is used; nil for the kernel's default.
    ///   - table: the number of a routing table, which is used by a ``rule(mark:table:priority:)``. 254 is the main table.
    ///   - seconds: how long the route is valid, for IPv6; nil for ever. The kernel does not announce its end.
    public func route(
        _ destination: String, via gateway: String? = nil, on link: String? = nil, type: RouteType = .unicast,
        metric: UInt32? = nil, table: UInt32 = 254, seconds: UInt32? = nil
    ) throws(MachineError) {
        let route = try Route(destination, gateway, link, self)
        if seconds != nil, route.prefix.base.family == .v4 {
            throw .mistake("The kernel has IPv6 routes that end by themselves, but no IPv4 ones: \(route.text).")
        }
        try make(route.change(.add, type.kind, metric, table, seconds), to: "add the route \(route.text)")
    }

    /// Changes the route to a destination in one step, so that there always is a route: to another gateway or link, or to another
    /// type, such as `.unreachable`. The parameters are those of ``route(_:via:on:type:metric:table:seconds:)``.
    public func moveRoute(
        _ destination: String, via gateway: String? = nil, on link: String? = nil, type: RouteType = .unicast,
        metric: UInt32? = nil, table: UInt32 = 254
    ) throws(MachineError) {
        let route = try Route(destination, gateway, link, self)
        try make(route.change(.replace, type.kind, metric, table, nil), to: "move the route \(route.text)")
    }

    /// Removes a route. A parameter that is nil matches any value; "default" without a gateway is the IPv4 default route.
    public func removeRoute(
        _ destination: String, via gateway: String? = nil, on link: String? = nil, metric: UInt32? = nil,
        table: UInt32 = 254
    ) throws(MachineError) {
        let route = try Route(destination, gateway, link, self)
        try make(route.change(.delete, .unspecified, metric, table, nil), to: "remove the route \(route.text)")
    }

    /// A route as it was given.
    private struct Route {
        let prefix: Prefix
        let gateway: IPAddress?
        let interface: InterfaceIndex?
        let text: String

        init(
            _ destination: String, _ gateway: String?, _ link: String?, _ machine: Machine
        ) throws(MachineError) {
            self.gateway = if let gateway { try IPAddress(reading: gateway) } else { nil }
            prefix = try Prefix(reading: destination, default: self.gateway?.family ?? .v4)
            interface = if let link { try machine.index(of: link) } else { nil }
            text =
                destination + (gateway.map { " via \($0)" } ?? "") + (link.map { " on \($0)" } ?? "")
                + " of \(machine.name)"
        }

        func change(
            _ verb: Change.Verb, _ kind: RouteDecision.Kind, _ metric: UInt32?, _ table: UInt32, _ seconds: UInt32?
        ) -> Change {
            .route(
                verb, prefix, via: gateway, through: interface, kind: kind, table: table, metric: metric,
                lifetime: seconds)
        }
    }

    // MARK: Rules

    /// Adds a policy rule, for both families, by which sockets with a mark (SO_MARK, socket(7)) use another routing table.
    ///
    /// - Parameters:
    ///   - mark: the mark; nil for all sockets.
    ///   - table: the number of the routing table.
    ///   - priority: rules with smaller numbers come first; the main table is used at 32766.
    public func rule(mark: UInt32? = nil, table: UInt32, priority: UInt32 = 1000) throws(MachineError) {
        for family in AddressFamily.allCases {
            try make(
                .rule(.add, priority: priority, table: table, family: family, mark: mark),
                to: "add the rule for table \(table) of \(name)")
        }
    }

    /// Removes a policy rule. The parameters are those with which it was added.
    public func removeRule(mark: UInt32? = nil, table: UInt32, priority: UInt32 = 1000) throws(MachineError) {
        for family in AddressFamily.allCases {
            try make(
                .rule(.delete, priority: priority, table: table, family: family, mark: mark),
                to: "remove the rule for table \(table) of \(name)")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

/// A pair of changes that switch a target's flags back and forth.
struct Flip: Sendable {
    var target: String
    var on: [Change]
    var off: [Change]
    var onFlags: ReachabilityFlags
    var offFlags: ReachabilityFlags = []

    /// The kind of change. Each lane has its own target and changes, which do not affect other lanes.
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case routes, routes6 = "IPv6 routes", replacements = "route replacements", rules, rules6 = "IPv6 rules"
        case nextHops = "next hops", addresses, addresses6 = "IPv6 addresses", links, linkStates = "states of links"

        var testDescription: String { rawValue }

        /// A link that goes down waits for all its users, some thousand times as long as a route takes.
        var share: Int { self == .links ? 20 : 1 }
    }
}

/// A network in which every kind of flip can be done in several lanes.
struct FlipGround {
    let wired: Wired
    let lanes: [Flip]
    private let devices: [TunDevice]

    init(_ kind: Flip.Kind, lanes: Int) throws {
        let wired = try Wired()
        var devices: [TunDevice] = []
        let eth0 = try wired.topology.index(of: "eth0")
        let isIPv6 = [.routes6, .rules6, .addresses6].contains(kind)
        let router = isIPv6 ? "fd00::2" : "10.0.0.2"
        if [.rules, .rules6].contains(kind) {
            try wired.topology.ip("\(isIPv6 ? "-6" : "-4") route add default via \(router) dev eth0 table 1000")
        }
        if [.routes6, .addresses6].contains(kind), lanes > 1 { try wired.topology.ip(Self.branches(lanes)) }
        var flips: [Flip] = []
        for lane in 0..<lanes {
            let net = isIPv6 ? "2001:db8:\(lane)::/48" : "198.51.\(lane).0/24"
            let host = isIPv6 ? "2001:db8:\(lane)::1" : "198.51.\(lane).1"
            let number = UInt32(100 + lane)
            switch kind {
            case .routes, .routes6:
                let add = Change.route(.add, net, via: router, through: eth0)
                flips.append(Flip(target: host, on: [add], off: [.route(.delete, net)], onFlags: .routed))
            case .replacements:
                let route = Change.route(.replace, net, via: router, through: eth0)
                let refusal = Change.route(.replace, net, kind: .prohibit)
                flips.append(Flip(target: host, on: [route], off: [refusal], onFlags: .routed))
            case .rules, .rules6:
                func rule(_ verb: Change.Verb) -> Change {
                    .rule(verb, priority: number, table: 1000, family: isIPv6 ? .v6 : .v4, to: net)
                }
                flips.append(Flip(target: host, on: [rule(.add)], off: [rule(.delete)], onFlags: .routed))
            case .nextHops:
                // The route goes with the object, and only the end of the object is announced.
                let object = Change.nextHop(.add, number, via: router, through: eth0)
                let route = Change.route(.add, net, nextHop: number)
                flips.append(
                    Flip(target: host, on: [object, route], off: [.nextHop(.delete, number)], onFlags: .routed))
            case .addresses, .addresses6:
                // For IPv6 the target is a neighbour, because the kernel routes the prefix of a new address at once, but the
                // address itself only after a worker has run (addrconf_dad_start), even without duplicate address detection.
                let (text, target) = isIPv6 ? ("\(host)/64", "2001:db8:\(lane)::2") : ("\(host)/32", host)
                let (add, delete) = (Change.address(.add, text, of: eth0), Change.address(.delete, text, of: eth0))
                flips.append(Flip(target: target, on: [add], off: [delete], onFlags: isIPv6 ? .direct : .own))
            case .links, .linkStates:
                let name = "tun\(lane)"
                devices.append(try wired.topology.tun(name, address: "\(host)/24"))
                try wired.topology.waitForLink(name) { $0.readiness == .ready }
                let link = try wired.topology.index(of: name)
                // A link that goes down loses its routes; one that becomes dormant keeps them.
                let isState = kind == .linkStates
                flips.append(
                    Flip(
                        target: "198.51.\(lane).2", on: [isState ? .link(link, dormant: false) : .link(link, up: true)],
                        off: [isState ? .link(link, dormant: true) : .link(link, up: false)], onFlags: .tunnelled,
                        offFlags: isState ? .dormantDialUp : []))
            }
        }
        let changer = try Changer(in: wired.topology)
        for flip in flips where kind != .links { for change in flip.on { try changer.apply(change) } }
        self.wired = wired
        self.devices = devices
        self.lanes = flips
    }

    /// Routes that keep every branching of the kernel's IPv6 tree between the prefixes of the lanes.
    ///
    /// When the kernel splits a branch for a new route, it links the new node before the node's children
    /// (fib6_add_1 in net/ipv6/ip6_fib.c). A lookup in that moment misses the routes below, which are unchanged: two
    /// of 420,000 lookups on Linux 6.18, beside seven threads that change routes. The kernel's own answer is wrong
    /// then, and no lane's answer could be judged. With these routes no branch is ever split.
    private static func branches(_ lanes: Int) -> String {
        (45..<48).flatMap { length in
            Set((0..<lanes).map { ($0 >> (48 - length)) << (48 - length) }).sorted().map { start in
                "-6 route add unreachable 2001:db8:\(String(start, radix: 16))::/\(length)"
            }
        }.joined(separator: "\n")
    }
}

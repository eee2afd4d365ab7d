// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import Testing

@testable import ReachabilitySystemBus

/// Paths derived from facts, without a kernel.
@Suite("A path")
struct DerivationTests {
    private func link(_ number: UInt32, _ name: String, _ change: (inout LinkFacts) -> Void = { _ in }) -> LinkFacts {
        var link = LinkFacts(index: InterfaceIndex(number)!, name: name)
        change(&link)
        return link
    }

    private func candidate(
        _ link: LinkFacts, gateway: IPv4Address? = nil, metric: UInt32? = nil
    ) -> PathFacts.Candidate {
        let own = IPv4Address(10, 0, UInt8(truncatingIfNeeded: link.index.rawValue), 1)
        let address = InterfaceAddress(interface: link.index, address: .v4(own), prefixLength: 24)
        var answers: [AddressFamily: RouteAnswer] = [:]
        if let gateway {
            answers[.v4] = .route(
                RouteDecision(
                    kind: .unicast, interface: link.index, gateway: .v4(gateway), source: .v4(own), metric: metric))
        }
        return PathFacts.Candidate(link: link, addresses: [address], answers: answers)
    }

    private let router = IPv4Address(10, 0, 0, 254)

    private func path(_ candidates: [PathFacts.Candidate], default index: UInt32?) -> NetworkPath {
        NetworkPath(facts(candidates, default: index))
    }

    private func facts(
        _ candidates: [PathFacts.Candidate], default index: UInt32?, metered: UInt32? = nil
    ) -> PathFacts {
        var facts = PathFacts()
        if let metered { facts.hints[InterfaceIndex(metered)!] = NetworkManager.Device(isMetered: true) }
        facts.candidates = candidates
        facts.defaults[.v4] =
            index.map {
                .route(
                    RouteDecision(
                        kind: .unicast, interface: InterfaceIndex($0), gateway: .v4(router), source: .v4(router)))
            } ?? .unreachable(.noRoute)
        facts.servers = [ServerAddress(.v4(IPv4Address(192, 0, 2, 53)))]
        return facts
    }

    @Test("prefers the default route's interface, then lower metrics, then those without a default route")
    func order() {
        let path = path(
            [
                candidate(link(1, "idle")), candidate(link(2, "slow"), gateway: router, metric: 600),
                candidate(link(3, "fast"), gateway: router, metric: 50),
                candidate(link(4, "policy"), gateway: router, metric: 900),
            ], default: 4)
        #expect(path.interfaces.map(\.name) == ["policy", "fast", "slow", "idle"])
        #expect(path.view().interfaces.map(\.name) == ["policy", "fast", "slow"])
        #expect(path.view().used.map(\.name) == ["policy"])
    }

    @Test("leaves out a link without carrier, although its route is still there")
    func broken() {
        let dead = link(2, "eth0") { $0.operationalState = .lowerLayerDown }
        let path = path([candidate(dead, gateway: router)], default: 2)
        #expect(path.view() == PathView())
        #expect(path.interfaces.map(\.leadsOut) == [false])
        #expect(
            "\(path.interfaces[0])".hasPrefix("eth0 ") && "\(path.interfaces[0])".hasSuffix(" (the link below is down)")
        )
    }

    @Test("with a restriction does not depend on the interface of the default route")
    func restriction() {
        let wifi = link(2, "wlan0") { $0.deviceType = "wlan" }
        let path = path(
            [candidate(link(1, "eth0"), gateway: router), candidate(wifi, gateway: router, metric: 600)], default: 1)
        let view = path.view(PathRestriction(required: .wifi))
        #expect(view.status == .satisfied)
        #expect(view.interfaces.map(\.name) == ["wlan0"])
        #expect(view.used == view.interfaces)
        #expect(path.view(PathRestriction(prohibited: [.wifi, .wiredEthernet])) == PathView())
    }

    @Test("of a tunnel is expensive over a mobile network")
    func costOfTunnels() {
        let modem = link(2, "wwan0") { $0.deviceType = "wwan" }
        let tunnel = link(3, "wg0") {
            $0.kind = "wireguard"; $0.hardwareType = 65534
        }
        let path = path([candidate(modem, gateway: router), candidate(tunnel, gateway: router)], default: 3)
        #expect(path.view().used.map(\.name) == ["wg0", "wwan0"])
        #expect(path.isExpensive && !path.isConstrained)
    }

    @Test("is expensive if packets leave by a metered interface, also under a tunnel, and only then")
    func metering() {
        let wire = candidate(link(2, "eth0"), gateway: router, metric: 100)
        let wireless = candidate(link(3, "wlan0") { $0.deviceType = "wlan" }, gateway: router, metric: 600)
        let tunnel = candidate(
            link(4, "wg0") {
                $0.kind = "wireguard"; $0.hardwareType = 65534
            }, gateway: router)
        func path(_ candidates: [PathFacts.Candidate], default index: UInt32, metered: UInt32?) -> NetworkPath {
            NetworkPath(facts(candidates, default: index, metered: metered))
        }
        #expect(!path([wire, wireless], default: 2, metered: nil).view().isExpensive)
        let metered = path([wire, wireless], default: 2, metered: 2)
        #expect(metered.view().isExpensive && metered.isConstrained)
        let other = path([wire, wireless], default: 2, metered: 3)
        #expect(!other.view().isExpensive && !other.isConstrained)
        #expect(other.view(PathRestriction(required: .wifi)).isExpensive)
        #expect(!other.view(PathRestriction(prohibited: [.wifi])).isExpensive)
        #expect(path([wire, tunnel], default: 4, metered: 2).view().isExpensive)
        #expect(!path([wire, wireless, tunnel], default: 4, metered: 3).view().isExpensive)
        #expect(path([wire, tunnel], default: 4, metered: 4).view().isExpensive)
        #expect(other.withoutHints == path([wire, wireless], default: 2, metered: nil))
    }

    @Test("has the same identity, whatever NetworkManager says, and which servers are asked")
    func identity() {
        let wire = candidate(link(2, "eth0"), gateway: router, metric: 100)
        var facts = facts([wire], default: 2)
        let before = NetworkPath(facts).identity
        facts.hints[InterfaceIndex(2)!] = NetworkManager.Device(isMetered: true, ipv4: .portal)
        facts.servers = []
        facts.candidates[0].link.operationalState = .dormant
        facts.candidates.append(candidate(link(3, "wlan0") { $0.deviceType = "wlan" }))
        #expect(NetworkPath(facts).identity == before && NetworkPath(facts).connectivity == .portal)
        facts.sleeps += 1
        #expect(NetworkPath(facts).identity != before)
    }

    @Test("carries what NetworkManager's check found by the default routes, and nothing else depends on it")
    func connectivity() {
        let values = NetworkManager.Connectivity.allCases
        for (own, other) in values.flatMap({ own in values.map { (own, $0) } }) {
            var facts = facts([candidate(link(1, "eth0"), gateway: router), candidate(link(2, "eth1"))], default: 1)
            let plain = NetworkPath(facts)
            #expect(plain.connectivity == .unknown)
            facts.hints = [
                InterfaceIndex(1)!: NetworkManager.Device(ipv4: own, ipv6: other),
                InterfaceIndex(2)!: NetworkManager.Device(ipv4: other, ipv6: other),
            ]
            let path = NetworkPath(facts)
            #expect(path.connectivity.rawValue == "\(own)" && path.view() == plain.view() && path.withoutHints == plain)
            // IPv6 leaves by the other one.
            facts.defaults[.v6] = .route(
                RouteDecision(kind: .unicast, interface: InterfaceIndex(2), source: .v6(IPv6Address(high: 1, low: 1))))
            let order: [NetworkManager.Connectivity] = [.unknown, .none, .limited, .portal, .full]
            let best = order.last { $0 == own || $0 == other }!
            #expect(NetworkPath(facts).connectivity.rawValue == "\(best)")
            facts.defaults = [:]
            #expect(NetworkPath(facts).connectivity == .unknown)
        }
    }

    @Test("looks to a client as it is, whatever it cannot see")
    func visible() {
        func path(_ change: (inout PathFacts) -> Void) -> NetworkPath {
            let loopback = link(1, "lo") { $0.flags.insert(.loopback) }
            var facts = facts(
                [
                    candidate(loopback), candidate(link(2, "eth0"), gateway: router, metric: 100),
                    candidate(link(3, "eth1"), gateway: router, metric: 600),
                ], default: 2)
            change(&facts)
            return NetworkPath(facts)
        }
        let plain = path { _ in }
        let unseen = [
            path { $0.candidates[0].addresses = [] },
            path { $0.candidates[2].addresses[0].flags = .init(rawValue: 0x20) },  // IFA_F_DEPRECATED
            path { facts in
                facts.candidates[1].addresses.append(
                    InterfaceAddress(
                        interface: InterfaceIndex(2)!, address: .v4(IPv4Address(169, 254, 0, 1)), prefixLength: 16))
            },
            path {
                $0.candidates[2].answers = candidate(link(3, "eth1"), gateway: router, metric: 700).answers
            },
        ]
        for other in unseen {
            #expect(other != plain && other.visible == plain.visible)
            #expect(other.description == plain.description && other.view().status == plain.view().status)
        }
        let seen = [
            path { $0.candidates[1].addresses = [] }, path { $0.servers = [] }, path { $0.defaults = [:] },
            path { $0.hints[InterfaceIndex(3)!] = NetworkManager.Device(isMetered: true) },
        ]
        for other in seen { #expect(other.visible != plain.visible) }
        for path in unseen + seen {
            #expect(
                path.visible.description == path.description && path.visible.interface?.name == path.interface?.name)
            #expect(path.visible.isExpensive == path.isExpensive && path.visible.reason == path.reason)
            #expect(path.visible.interfaces.map(\.isMetered) == path.interfaces.map(\.isMetered))
            #expect(path.visible.interfaces.map(\.hasIPv4) == path.interfaces.map(\.hasIPv4))
        }
    }

    @Test("tells a client that packets leave by loopback")
    func overLoopback() {
        let loopback = link(1, "lo") { $0.flags.insert(.loopback) }
        let path = path([candidate(loopback)], default: 1).visible
        #expect(path.status == .satisfied && path.interface?.kind == .loopback && path.interfaces.isEmpty)
    }

    @Test("is not satisfied by a route that leaves by another interface")
    func elsewhere() {
        var bound = candidate(link(2, "eth0"))
        bound.answers[.v4] = .route(RouteDecision(kind: .local, interface: InterfaceIndex(1)))
        #expect(path([bound], default: nil).interfaces.first?.leadsOut == false)
    }

    @Test(
        "knows the type of each link",
        arguments: [
            (1, nil, nil, InterfaceKind.wiredEthernet, false), (1, "veth", nil, .wiredEthernet, false),
            (1, "bridge", "bridge", .wiredEthernet, false), (1, "bond", "bond", .wiredEthernet, false),
            (1, "vlan", "vlan", .wiredEthernet, false), (1, nil, "wlan", .wifi, false),
            (1, nil, "wwan", .cellular, false), (65534, "wwan", "wwan", .cellular, false),
            (519, nil, nil, .cellular, false), (512, "ppp", "ppp", .other, true),
            (65534, "wireguard", "wireguard", .other, true), (65534, "tun", nil, .other, true),
            (1, "tun", nil, .other, true), (1, "vxlan", "vxlan", .other, true), (776, "sit", nil, .other, true),
            (65534, "xfrm", nil, .other, true), (1, "dummy", nil, .other, false), (32, nil, nil, .other, false),
        ] as [(UInt16, String?, String?, InterfaceKind, Bool)])
    func kinds(type: UInt16, kind: String?, deviceType: String?, expected: InterfaceKind, isTunnel: Bool) {
        let facts = link(2, "link0") {
            ($0.hardwareType, $0.kind, $0.deviceType) = (type, kind, deviceType)
        }
        #expect(facts.interfaceKind == expected)
        #expect(facts.isTunnel == isTunnel)
    }
}

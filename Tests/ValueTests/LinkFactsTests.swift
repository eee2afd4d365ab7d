// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import Testing

@Suite("The facts of a link")
struct LinkFactsTests {
    private func link(_ configure: (inout LinkFacts) -> Void) throws -> LinkFacts {
        var link = LinkFacts(index: try #require(InterfaceIndex(2)), name: "link0")
        configure(&link)
        return link
    }

    @Test(arguments: [256, 257, 258, 259, 260, 512, 519, 768, 769, 776, 778, 823, 65534] as [UInt16])
    func `a link is point-to-point by its hardware type`(_ type: UInt16) throws {
        let link = try link { $0.hardwareType = type }
        #expect(link.isPointToPoint)
        #expect(!link.isEthernetLike)
    }

    @Test(
        arguments: [
            0, 1, 6, 24, 32, 255, 261, 511, 513, 518, 520, 767, 770, 772, 775, 777, 779, 801, 824, 65533, 65535,
        ] as [UInt16])
    func `other hardware types are not point-to-point`(_ type: UInt16) throws {
        #expect(try !link { $0.hardwareType = type }.isPointToPoint)
    }

    @Test(arguments: ["ppp", "wireguard", "ipip", "sit", "gre", "ip6gre", "ip6tnl", "vti", "vti6", "xfrm"])
    func `a link is point-to-point by its kind, even with Ethernet's type`(_ kind: String) throws {
        #expect(try link { $0.kind = kind }.isPointToPoint)
    }

    @Test(arguments: [
        "tun", "veth", "bridge", "bond", "vlan", "vxlan", "gretap", "ip6gretap", "macvlan", "vrf", "dummy",
    ])
    func `layer-2 kinds are Ethernet`(_ kind: String) throws {
        let link = try link { $0.kind = kind }
        #expect(!link.isPointToPoint)
        #expect(link.isEthernetLike)
    }

    @Test func `the kernel's point-to-point flag decides whatever the type and kind are`() throws {
        let link = try link {
            $0.kind = "veth"
            $0.flags.insert(.pointToPoint)
        }
        #expect(link.isPointToPoint)
        #expect(!link.isEthernetLike)
    }

    @Test("a link is cellular by DEVTYPE wwan, by kind wwan or rmnet, or by the type of raw IP, and by nothing else")
    func cellular() throws {
        let modem = try link { $0.deviceType = "wwan" }
        // An Ethernet link of a modem is not one with neighbours.
        #expect(modem.isCellular && !modem.isEthernetLike)
        for kind in ["wwan", "rmnet"] { #expect(try link { $0.kind = kind }.isCellular) }
        #expect(try link { $0.hardwareType = 519 }.isCellular)
        #expect(try !link { _ in }.isCellular)
        #expect(try !link { $0.deviceType = "wlan" }.isCellular)
        #expect(try !link { $0.kind = "ppp" }.isCellular)
        #expect(try !link { $0.hardwareType = 512 }.isCellular)
        #expect(try !link { $0.name = "wwan0" }.isCellular)
    }

    @Test(arguments: LinkFacts.OperationalState.allCases)
    func `a link that is down is disabled, whatever state it reports`(_ state: LinkFacts.OperationalState) throws {
        let link = try link {
            $0.flags = [.running, .lowerUp]
            $0.operationalState = state
        }
        #expect(link.readiness == .disabled)
    }

    @Test(
        "a link that is up is as ready as its operational state says",
        arguments: [
            (.unknown, .ready), (.up, .ready), (.dormant, .dormant), (.down, .broken(.down)),
            (.lowerLayerDown, .broken(.lowerLayerDown)), (.notPresent, .broken(.notPresent)),
            (.testing, .broken(.testing)),
        ] as [(LinkFacts.OperationalState, LinkState.Readiness)])
    func readiness(_ state: LinkFacts.OperationalState, _ expected: LinkState.Readiness) throws {
        #expect(try link { $0.operationalState = state }.readiness == expected)
    }

    @Test(
        "a carrier counts when the state follows it, which is when the kernel announces it",
        arguments: LinkFacts.OperationalState.allCases)
    func carrier(_ state: LinkFacts.OperationalState) throws {
        let readiness = try [[.up], [.up, .lowerUp]].map { (flags: LinkFacts.Flags) in
            try link { ($0.flags, $0.operationalState) = (flags, state) }.readiness
        }
        #expect(readiness[0] == readiness[1])
    }

    @Test func `the dormant flag alone makes no link dormant`() throws {
        #expect(try link { $0.flags.insert(.dormant) }.readiness == .ready)
    }

    @Test func `only IPv6 unicast routes can expire`() throws {
        #expect(RouteDecision(kind: .unicast, family: .v6).canExpire)
        #expect(!RouteDecision(kind: .unicast, family: .v4).canExpire)
        #expect(!RouteDecision(kind: .local, family: .v6).canExpire)
    }
}

// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import Testing

@Suite("The facts of a link")
struct LinkFactsTests {
    private func link(_ configure: (inout LinkFacts) -> Void) throws -> LinkFacts {
        var link = LinkFacts(index: try #require(InterfaceIndex(2)), name: "link0")
        configure(&link)
        return link
    }

    @Test(
        "a link is point-to-point by its hardware type",
        arguments: [256, 257, 258, 259, 260, 512, 519, 768, 769, 776, 778, 823, 65534] as [UInt16])
    func pointToPointTypes(_ type: UInt16) throws {
        let link = try link { $0.hardwareType = type }
        #expect(link.isPointToPoint)
        #expect(!link.isEthernetLike)
    }

    @Test(
        "other hardware types are not point-to-point",
        arguments: [
            0, 1, 6, 24, 32, 255, 261, 511, 513, 518, 520, 767, 770, 772, 775, 777, 779, 801, 824, 65533, 65535,
        ] as [UInt16])
    func otherTypes(_ type: UInt16) throws {
        #expect(try !link { $0.hardwareType = type }.isPointToPoint)
    }

    @Test(
        "a link is point-to-point by its kind, even with Ethernet's type",
        arguments: ["ppp", "wireguard", "ipip", "sit", "gre", "ip6gre", "ip6tnl", "vti", "vti6", "xfrm"])
    func pointToPointKinds(_ kind: String) throws {
        #expect(try link { $0.kind = kind }.isPointToPoint)
    }

    @Test(
        "layer-2 kinds are Ethernet",
        arguments: ["tun", "veth", "bridge", "bond", "vlan", "vxlan", "gretap", "ip6gretap", "macvlan", "vrf", "dummy"])
    func ethernetKinds(_ kind: String) throws {
        let link = try link { $0.kind = kind }
        #expect(!link.isPointToPoint)
        #expect(link.isEthernetLike)
    }

    @Test("the kernel's point-to-point flag decides whatever the type and kind are")
    func pointToPointFlag() throws {
        let link = try link {
            $0.kind = "veth"
            $0.flags.insert(.pointToPoint)
        }
        #expect(link.isPointToPoint)
        #expect(!link.isEthernetLike)
    }

    @Test("a link is cellular by DEVTYPE wwan, by kind wwan or rmnet, or by the type of raw IP")
    func cellular() throws {
        #expect(try link { $0.deviceType = "wwan" }.isCellular)
        #expect(try link { $0.kind = "wwan" }.isCellular)
        #expect(try link { $0.kind = "rmnet" }.isCellular)
        #expect(try link { $0.hardwareType = 519 }.isCellular)
    }

    @Test("no other link is cellular")
    func notCellular() throws {
        #expect(try !link { _ in }.isCellular)
        #expect(try !link { $0.deviceType = "wlan" }.isCellular)
        #expect(try !link { $0.kind = "ppp" }.isCellular)
        #expect(try !link { $0.hardwareType = 512 }.isCellular)
        #expect(try !link { $0.name = "wwan0" }.isCellular)
    }

    @Test("an Ethernet link of a modem is not one with neighbours")
    func modem() throws {
        #expect(try !link { $0.deviceType = "wwan" }.isEthernetLike)
    }

    @Test("a link that is down is disabled, whatever state it reports", arguments: LinkFacts.OperationalState.allCases)
    func disabled(_ state: LinkFacts.OperationalState) throws {
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

    @Test("the dormant flag alone makes no link dormant")
    func dormantFlag() throws {
        #expect(try link { $0.flags.insert(.dormant) }.readiness == .ready)
    }

    @Test("only IPv6 unicast routes can expire")
    func expiry() throws {
        #expect(RouteDecision(kind: .unicast, family: .v6).canExpire)
        #expect(!RouteDecision(kind: .unicast, family: .v4).canExpire)
        #expect(!RouteDecision(kind: .local, family: .v6).canExpire)
    }
}

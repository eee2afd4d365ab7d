// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import Testing

@testable import ReachabilityKit
@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("What decides whether a gate is open")
struct GateDecisionTests {
    private typealias Conditions = RequestGate.Conditions
    private static let (wire, radio, modem, tunnel) = (
        InterfaceIndex(2)!, InterfaceIndex(3)!, InterfaceIndex(4)!, InterfaceIndex(5)!
    )

    private static func interface(
        _ index: InterfaceIndex, _ kind: InterfaceKind, isTunnel: Bool = false, isMetered: Bool = false
    ) -> NetworkPath.Interface {
        NetworkPath.Interface(
            linkIndex: index, name: "if\(index.rawValue)", kind: kind, isTunnel: isTunnel, isMetered: isMetered,
            ownAddresses: [], ipv4: NetworkPath.WayOut(flags: .reachable))
    }

    private static func path(_ interfaces: NetworkPath.Interface...) -> NetworkPath {
        var path = NetworkPath()
        path.interfaces = interfaces
        if let first = interfaces.first {
            path.ipv4 = .init(interface: first.linkIndex, flags: .reachable, gateway: nil)
        }
        return path
    }

    /// A wire, a metered radio and a modem; the wire has the default route.
    private static let three = path(
        interface(wire, .wiredEthernet), interface(radio, .wifi, isMetered: true), interface(modem, .cellular))

    private static func host(
        by interfaces: InterfaceIndex?..., flags: ReachabilityFlags = .reachable
    ) -> [Observation] { interfaces.map { Observation(flags: flags, interface: $0) } }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let conditions: RequestGate.Conditions
        let host: [Observation]
        let path: NetworkPath
        let obstacles: [RequestGate.Obstacle]

        init(
            _ description: String, _ conditions: RequestGate.Conditions, _ host: [Observation],
            over path: NetworkPath = three, _ obstacles: [RequestGate.Obstacle]
        ) {
            testDescription = description
            (self.conditions, self.host, self.path, self.obstacles) = (conditions, host, path, obstacles)
        }
    }

    private static let thrifty = Conditions(allowsExpensive: false, allowsConstrained: false)

    static let rows: [Row] = [
        Row("no conditions", .init(), host(by: modem), []),
        Row("no route", thrifty, host(by: nil, flags: []), [.unreachable]),
        Row("no address", .init(), [], [.unreachable]),
        Row(
            "a connection has to be made", .init(), host(by: modem, flags: [.reachable, .connectionRequired]),
            [.unreachable]),
        Row("the wire", thrifty, host(by: wire), []),
        Row("metered", thrifty, host(by: radio), [.expensive, .constrained]),
        Row("mobile", thrifty, host(by: modem), [.expensive]),
        Row("mobile is not constrained", .init(allowsConstrained: false), host(by: modem), []),
        Row("one of two addresses", thrifty, host(by: wire, modem), [.expensive]),
        Row(
            "an address that is not reachable does not count", thrifty, host(by: wire) + host(by: modem, flags: []), []),
        Row(
            "this machine", .init(allowsExpensive: false, requiredKind: .wifi),
            host(by: InterfaceIndex(1), flags: [.reachable, .isLocalAddress]), []),
        Row("required", .init(requiredKind: .wifi), host(by: radio), []),
        Row("another than required", .init(requiredKind: .wifi), host(by: wire), [.interface]),
        Row("required, of two addresses", .init(requiredKind: .wifi), host(by: radio, wire), [.interface]),
        Row("prohibited", .init(prohibitedKinds: [.cellular]), host(by: modem), [.interface]),
        Row(
            "not listed, and mobile by its flags", .init(prohibitedKinds: [.cellular]),
            host(by: InterfaceIndex(9), flags: [.reachable, .isWWAN]), over: path(), [.interface]),
        Row(
            "the interface below a tunnel", thrifty, host(by: tunnel),
            over: path(interface(tunnel, .other, isTunnel: true), interface(modem, .cellular)), [.expensive]),
        Row(
            "the required interface below a tunnel", .init(requiredKind: .wifi), host(by: tunnel),
            over: path(interface(tunnel, .other, isTunnel: true), interface(radio, .wifi)), []),
    ]

    @Test(arguments: rows)
    func `is a table`(row: Row) {
        #expect(row.conditions.obstacles(row.host, row.path) == row.obstacles)
    }

    @Test func `the path is followed only for conditions that concern it`() {
        #expect(!Conditions().needPath)
        #expect(!Conditions(stableTime: .seconds(5)).needPath)
        for conditions in [
            Conditions(allowsExpensive: false), Conditions(allowsConstrained: false), Conditions(requiredKind: .wifi),
            Conditions(prohibitedKinds: [.wifi]),
        ] {
            #expect(conditions.needPath)
        }
    }

    @Test func `what holds for long enough begins anew after a break`() {
        func at(_ seconds: UInt64) -> BootTime { BootTime(nanoseconds: seconds * 1_000_000_000) }
        var steadiness = Steadiness(.seconds(5))
        func observe(_ holds: Bool, at now: BootTime) -> Bool { steadiness.observe(holds, at: now) }
        #expect(steadiness.moment == nil)
        #expect(!observe(true, at: at(1)))
        #expect(!observe(true, at: at(5)))
        #expect(steadiness.moment == at(6))
        #expect(!observe(false, at: at(5)))
        #expect(steadiness.moment == nil)
        #expect(!observe(true, at: at(6)))
        #expect(!observe(true, at: at(10)))
        #expect(observe(true, at: at(11)))
        #expect(!observe(false, at: at(12)))
        var none = Steadiness(.zero)
        let isOver = none.observe(true, at: at(1))
        #expect(isOver)
    }
}

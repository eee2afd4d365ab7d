// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import Testing

@testable import ReachabilityKit

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
            index: index, name: "if\(index.rawValue)", kind: kind, isTunnel: isTunnel, isMetered: isMetered,
            addresses: [], ipv4: NetworkPath.WayOut(flags: .reachable))
    }

    private static func path(_ interfaces: NetworkPath.Interface...) -> NetworkPath {
        var path = NetworkPath()
        path.interfaces = interfaces
        if let first = interfaces.first { path.ipv4 = .init(interface: first.index, flags: .reachable, gateway: nil) }
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
        var path = three
        let obstacles: [RequestGate.Obstacle]
    }

    private static let thrifty = Conditions(allowsExpensive: false, allowsConstrained: false)

    static let rows: [Row] = [
        Row(testDescription: "no conditions", conditions: .init(), host: host(by: modem), obstacles: []),
        Row(
            testDescription: "no route", conditions: thrifty, host: host(by: nil, flags: []), obstacles: [.unreachable]),
        Row(testDescription: "no address", conditions: .init(), host: [], obstacles: [.unreachable]),
        Row(
            testDescription: "a connection has to be made", conditions: .init(),
            host: host(by: modem, flags: [.reachable, .connectionRequired]), obstacles: [.unreachable]),
        Row(testDescription: "the wire", conditions: thrifty, host: host(by: wire), obstacles: []),
        Row(
            testDescription: "metered", conditions: thrifty, host: host(by: radio),
            obstacles: [.expensive, .constrained]),
        Row(testDescription: "mobile", conditions: thrifty, host: host(by: modem), obstacles: [.expensive]),
        Row(
            testDescription: "mobile is not constrained", conditions: .init(allowsConstrained: false),
            host: host(by: modem), obstacles: []),
        Row(
            testDescription: "one of two addresses", conditions: thrifty, host: host(by: wire, modem),
            obstacles: [.expensive]),
        Row(
            testDescription: "an address that is not reachable does not count", conditions: thrifty,
            host: host(by: wire) + host(by: modem, flags: []), obstacles: []),
        Row(
            testDescription: "this machine", conditions: .init(allowsExpensive: false, requiredKind: .wifi),
            host: host(by: InterfaceIndex(1), flags: [.reachable, .isLocalAddress]), obstacles: []),
        Row(testDescription: "required", conditions: .init(requiredKind: .wifi), host: host(by: radio), obstacles: []),
        Row(
            testDescription: "another than required", conditions: .init(requiredKind: .wifi), host: host(by: wire),
            obstacles: [.interface]),
        Row(
            testDescription: "required, of two addresses", conditions: .init(requiredKind: .wifi),
            host: host(by: radio, wire), obstacles: [.interface]),
        Row(
            testDescription: "prohibited", conditions: .init(prohibitedKinds: [.cellular]), host: host(by: modem),
            obstacles: [.interface]),
        Row(
            testDescription: "not listed, and mobile by its flags", conditions: .init(prohibitedKinds: [.cellular]),
            host: host(by: InterfaceIndex(9), flags: [.reachable, .isWWAN]), path: path(), obstacles: [.interface]),
        Row(
            testDescription: "the interface below a tunnel", conditions: thrifty, host: host(by: tunnel),
            path: path(interface(tunnel, .other, isTunnel: true), interface(modem, .cellular)), obstacles: [.expensive]),
        Row(
            testDescription: "the required interface below a tunnel", conditions: .init(requiredKind: .wifi),
            host: host(by: tunnel), path: path(interface(tunnel, .other, isTunnel: true), interface(radio, .wifi)),
            obstacles: []),
    ]

    @Test("is a table", arguments: rows) func table(row: Row) {
        #expect(row.conditions.obstacles(row.host, row.path) == row.obstacles)
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

// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import Testing

@testable import ReachabilityKit
@testable import ReachabilityRoutes
@testable import WaitingURLSession

@Suite("What matters of the network to a request")
struct NetworkSnapshotTests {
    private static let wire = InterfaceIndex(2)!
    private static let modem = InterfaceIndex(3)!
    private static let tunnel = InterfaceIndex(4)!

    private func interface(
        _ index: InterfaceIndex, _ kind: InterfaceKind, isTunnel: Bool = false, isMetered: Bool = false, _ last: UInt8
    ) -> NetworkPath.Interface {
        NetworkPath.Interface(
            linkIndex: index, name: "if\(index.rawValue)", kind: kind, isTunnel: isTunnel, isMetered: isMetered,
            ownAddresses: [
                InterfaceAddress(interface: index, address: .v4(IPv4Address(10, 0, 0, last)), prefixLength: 24)
            ], ipv4: NetworkPath.WayOut(flags: .reachable))
    }

    private func path(_ interfaces: NetworkPath.Interface...) -> NetworkPath {
        var path = NetworkPath()
        path.interfaces = interfaces
        if let first = interfaces.first {
            path.ipv4 = .init(interface: first.linkIndex, flags: .reachable, gateway: nil)
        }
        return path
    }

    private func obstacle(
        by index: InterfaceIndex, _ path: NetworkPath, flags: ReachabilityFlags = .reachable, cellular: Bool = true,
        expensive: Bool = true
    ) -> ConnectivityObstacle? {
        snapshot(
            [Observation(flags: flags, interface: index)], path,
            .init(allowsExpensive: expensive, prohibitedKinds: cellular ? [] : [.cellular])
        ).obstacle
    }

    private func snapshot(
        _ host: [Observation], _ path: NetworkPath, _ conditions: RequestGate.Conditions = .init()
    ) -> NetworkSnapshot {
        NetworkSnapshot(GateView(host: host, path: path, obstacles: conditions.obstacles(host, path)))!
    }

    @Test func `a host must be reachable, without a connection that has to be made first`() {
        let path = path(interface(Self.wire, .wiredEthernet, 1))
        #expect(obstacle(by: Self.wire, path) == nil)
        #expect(obstacle(by: Self.wire, path, flags: []) == .unreachable)
        #expect(obstacle(by: Self.wire, path, flags: [.reachable, .connectionRequired]) == .unreachable)
    }

    @Test func `the interface of the host's route counts, not that of the default route`() {
        let path = path(interface(Self.modem, .cellular, 1), interface(Self.wire, .wiredEthernet, 2))
        #expect(obstacle(by: Self.modem, path, cellular: false) == .cellular)
        #expect(obstacle(by: Self.modem, path, expensive: false) == .expensive)
        #expect(obstacle(by: Self.modem, path) == nil)
        #expect(obstacle(by: Self.wire, path, cellular: false, expensive: false) == nil)
    }

    @Test func `each address of the host counts that can be reached, or could be after a connection was made`() {
        let path = path(interface(Self.wire, .wiredEthernet, 1), interface(Self.modem, .cellular, 2))
        func obstacle(_ other: ReachabilityFlags) -> ConnectivityObstacle? {
            let host = [
                Observation(flags: .reachable, interface: Self.wire), Observation(flags: other, interface: Self.modem),
            ]
            return snapshot(host, path, .init(prohibitedKinds: [.cellular])).obstacle
        }
        #expect(obstacle(.reachable) == .cellular)
        #expect(obstacle([.reachable, .connectionRequired]) == .cellular)
        #expect(obstacle([]) == nil)
    }

    @Test func `an interface that the path does not list is mobile if the flags say so`() {
        let path = path(interface(Self.wire, .wiredEthernet, 1))
        #expect(obstacle(by: Self.modem, path, flags: [.reachable, .isWWAN], cellular: false) == .cellular)
        #expect(obstacle(by: Self.modem, path, flags: [.reachable, .isWWAN], expensive: false) == .expensive)
    }

    @Test func `a metered interface is expensive`() {
        let path = path(interface(Self.wire, .wiredEthernet, isMetered: true, 1))
        #expect(obstacle(by: Self.wire, path, expensive: false) == .expensive)
        #expect(obstacle(by: Self.wire, path, cellular: false) == nil)
    }

    @Test func `nothing is said before all is known`() {
        #expect(NetworkSnapshot(GateView()) == nil)
    }

    @Test func `a tunnel costs what the interface below it costs`() {
        let tunnel = interface(Self.tunnel, .other, isTunnel: true, 9)
        let path = path(tunnel, interface(Self.modem, .cellular, 1))
        #expect(obstacle(by: Self.tunnel, path, expensive: false) == .expensive)
    }

    @Test func `the machine itself costs nothing`() {
        let path = path(interface(Self.modem, .cellular, 1))
        #expect(
            obstacle(by: InterfaceIndex(1)!, path, flags: [.reachable, .isLocalAddress], expensive: false) == nil)
    }

    @Test func `a connection is severed when the machine is back without any of its addresses`() {
        func snapshot(_ last: UInt8..., flags: ReachabilityFlags = .reachable) -> NetworkSnapshot {
            var path = NetworkPath()
            path.interfaces = last.map { interface(Self.wire, .wiredEthernet, $0) }
            return self.snapshot([Observation(flags: flags, interface: Self.wire)], path)
        }
        #expect(snapshot(2).severs(snapshot(1)))
        #expect(!snapshot(1, 2).severs(snapshot(1)) && !snapshot(1).severs(snapshot(1, 2)))
        #expect(!snapshot(2, flags: []).severs(snapshot(1)))
        #expect(!snapshot().severs(snapshot(1)))
        #expect(!snapshot(2).severs(snapshot(1, flags: [.reachable, .isLocalAddress])))
        #expect(!NetworkSnapshot.open.severs(.open))
    }
}

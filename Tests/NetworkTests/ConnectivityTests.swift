// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit
import ReachabilityLinuxSystem
import TestBus
import TestTopology
import Testing

@Suite("What NetworkManager says of connectivity", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct ConnectivityTests {
    @Test("comes to a client as a change of the path")
    func told() async throws {
        let network = try TestNetwork.wired()
        let bus = try network.scriptedBus(model: ManagerModel(.yes, .portal, interface: "eth0"))
        defer { bus.stop() }
        // The engine's thread is to see this network's bus, so it is started here, and not where a task runs.
        let (paths, engine) = try network.topology.run { (NetworkPath.changes, try PathSource().engine()) }
        for try await path in paths where path.connectivity != .unknown {
            #expect(
                path.connectivity == .portal && path.isExpensive && path.isConstrained
                    && path.interface?.isMetered == true)
            break
        }
        withExtendedLifetime(engine) {}
    }

    @Test("is followed while the path is watched, and is no update of an NWPath")
    func changes() throws {
        let network = try TestNetwork.wired()
        let bus = try network.scriptedBus(model: ManagerModel(.no, .portal, interface: "eth0"))
        defer { bus.stop() }
        let (monitor, updates) = network.watch()
        defer { monitor.cancel() }
        #expect(try updates.next().status == .satisfied)
        let paths = ReceivedValues<NetworkPath>()
        let subscription = try network.topology.run { try PathSource().observe(paths.record) }
        defer { subscription.cancel() }
        // The first path does not wait for the bus.
        let first = try paths.next { $0.connectivity != .unknown }
        #expect(first.connectivity == .portal)
        for value in [.limited, .none, .full, .unknown] as [ManagerModel.Connectivity] {
            bus.set(nil, value)
            let path = try paths.next()
            #expect("\(path.connectivity)" == "\(value)")
            #expect(path.withoutHints == first.withoutHints && path.view() == first.view())
        }
        bus.set(nil, .full)
        #expect(try paths.next().connectivity == .full)
        // The answer is dropped with the bus.
        bus.stop()
        #expect(try paths.next().connectivity == .unknown)
        // A change of the path itself is the next path, and the second update.
        try network.ip("route del default")
        #expect(try paths.next().ipv4 == nil)
        #expect(try updates.next().status == .unsatisfied)
    }

    @Test("is unknown where NetworkManager is absent, at once and while the path is watched")
    func absent() throws {
        let network = try TestNetwork.wired()
        let bus = try network.scriptedBus(.unmanaged, model: ManagerModel(.yes, .full, interface: "eth0"))
        defer { bus.stop() }
        let paths = ReceivedValues<NetworkPath>()
        let subscription = try network.topology.run { try PathSource().observe(paths.record) }
        defer { subscription.cancel() }
        #expect(try paths.next().connectivity == .unknown)
        try ProcessState.wait("the bus has its client") { bus.accepted == 1 }
        let path = try network.topology.run { try PathSource().current(hintTimeout: .seconds(60)) }
        #expect(path.connectivity == .unknown && path.view().status == .satisfied)
        bus.stop()
        let withoutBus = try network.topology.run { try PathSource().current(hintTimeout: .seconds(60)) }
        #expect(withoutBus == path)
        // Neither the answer that there is none nor the end of the bus was told: what is told next is the change.
        try network.ip("route del default")
        #expect(try paths.next().ipv4 == nil)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import TestBus
import TestTopology
import Testing

/// The engine's thread must not read what a client's setenv(3) may be moving. So what the environment says is what it said
/// when the client came first. Each test has a process of its own, because the environment is the process's.
@Suite("The environment of the process", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct EnvironmentTests {
    @Test("says where the bus is, once")
    func bus() async {
        await #expect(processExitsWith: .success) {
            unsafe unsetenv("DBUS_SYSTEM_BUS_ADDRESS")
            let network = try TestNetwork()
            try network.addUplink("eth0", number: 1, metric: 100)
            let bus = try network.scriptedBus(model: ManagerModel([ManagerModel.Device("eth0", .yes)]))
            let paths = ReceivedValues<NetworkPath>()
            let source = network.topology.run { PathSource() }
            unsafe setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent", 1)
            let subscription = try network.topology.run { try source.observe(paths.record) }
            let path = try paths.next { !$0.metered.isEmpty }
            #expect(path.metered == ["eth0"])
            subscription.cancel()
            bus.stop()
        }
    }

    @Test("says which domains are searched, once")
    func domains() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("LOCALDOMAIN", "early.example", 1)
            let network = try TestNetwork()
            let domains = ReceivedValues<[String]>()
            let source = network.topology.run { PathSource() }
            unsafe setenv("LOCALDOMAIN", "late.example", 1)
            let subscription = try source.observeAll { domains.record($0.searchDomains) }
            #expect(try domains.next() == ["early.example"])
            subscription.cancel()
        }
    }
}

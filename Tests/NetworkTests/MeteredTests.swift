// SPDX-License-Identifier: Apache-2.0

import Glibc
import Network
import ReachabilityKit
import ReachabilityLinuxSystem
import TestBus
import TestTopology
import Testing

@Suite("What NetworkManager says of metered networks", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct MeteredTests {
    @Test("makes a path expensive, and each change of it is one update")
    func changes() throws {
        let network = try TestNetwork()
        try network.addUplink("wlan0", number: 1, metric: 600, type: "wlan")
        let bus = try network.scriptedBus(model: ManagerModel(.guessedYes, interface: "wlan0"))
        defer { bus.stop() }
        let (monitor, recorder) = network.watch()
        // The first update does not wait for the bus, so there may be one before its answer, but only one.
        var expensive = try recorder.next()
        if !expensive.isExpensive { expensive = try recorder.next() }
        #expect(expensive.isExpensive && expensive.status == .satisfied)
        #expect(expensive.debugDescription.hasSuffix("expensive, constrained"))
        bus.set(.no)
        #expect(try !recorder.next().isExpensive)
        bus.set(.guessedNo)
        bus.set(.yes)
        #expect(try recorder.next().isExpensive)
        // A later monitor knows it at once.
        #expect(try network.path().isExpensive)
        // The answer is dropped with the bus.
        bus.stop()
        #expect(try !recorder.next().isExpensive)
        #expect(recorder.untaken == 0)
        monitor.cancel()
    }

    @Test("is waited for by a single question with a timeout")
    func once() throws {
        let network = try TestNetwork.wired()
        func path(_ timeout: Duration?) throws -> PathView {
            try network.topology.run { try PathSource().current(hintTimeout: timeout).view() }
        }
        let bus = try network.scriptedBus(.hesitant, model: ManagerModel(.yes, interface: "eth0"))
        #expect(try path(.seconds(60)).isExpensive)
        #expect(bus.accepted == 1)
        #expect(try !path(nil).isExpensive && bus.accepted == 1)
        bus.stop()
        #expect(try !path(.seconds(60)).isExpensive)
    }

    @Test("counts for the metered interface, and for what leaves by it")
    func interfaces() throws {
        let network = try TestNetwork()
        try network.addUplink("wlan0", number: 2, metric: 600, type: "wlan")
        try network.addUplink("eth0", number: 1, metric: 100)
        let bus = try network.scriptedBus(model: ManagerModel(.yes, interface: "wlan0"))
        defer { bus.stop() }
        let (wifi, all) = (PathRecorder(), PathRecorder())
        let monitors = [network.monitor { NWPathMonitor(requiredInterfaceType: .wifi) }, network.monitor()]
        network.start(monitors[0], wifi)
        network.start(monitors[1], all)
        try wifi.next { $0.isExpensive }
        // Packets leave by another interface, so this is the first update and the only one.
        #expect(try !all.next().isExpensive && all.untaken == 0)
        try network.ip("link set eth0 down")
        #expect(try all.next { $0.names == ["wlan0"] }.isExpensive)
        for monitor in monitors { monitor.cancel() }
    }

    @Test("is noticed with the next change of the path if the bus starts later")
    func lateBus() throws {
        let network = try TestNetwork.wired()
        try network.hideBus()
        let (monitor, recorder) = network.watch()
        try recorder.next()
        // What the first path led to is done before another monitor is told.
        let (second, fence) = network.watch()
        try fence.next()
        second.cancel()
        let model = ManagerModel(.yes, interface: "eth0")
        let bus = try network.scriptedBus(model: model)
        #expect(try !network.path().isExpensive && bus.accepted == 0)
        try network.ip("route replace default via 10.0.1.253 metric 100")
        try recorder.next { $0.isExpensive }
        bus.stop()
        try recorder.next { !$0.isExpensive }
        let another = try network.scriptedBus(model: model)
        #expect(try !network.path().isExpensive && another.accepted == 0)
        try network.ip("route replace default via 10.0.1.254 metric 100")
        try recorder.next { $0.isExpensive }
        another.stop()
        monitor.cancel()
    }

    @Test("is followed as long as the path has a subscriber")
    func life() throws {
        let network = try TestNetwork.wired()
        let bus = try network.scriptedBus(model: ManagerModel(.yes, interface: "eth0"))
        defer { bus.stop() }
        // This one watches an address only.
        let reference = try network.topology.run { try ReachabilityRef(address: "192.0.2.1") }
        let changes = ReceivedValues<ReachabilityFlags>()
        reference.setCallback { changes.record($0) }
        try network.topology.run { try reference.setDispatchQueue(DispatchQueue(label: "changes")) }
        try network.ip("route add unreachable 192.0.2.0/24")
        #expect(try changes.next() == [])
        #expect(bus.accepted == 0)

        let recorders = [PathRecorder(), PathRecorder()]
        let monitors = recorders.map { _ in network.monitor() }
        for (monitor, recorder) in zip(monitors, recorders) { network.start(monitor, recorder) }
        for recorder in recorders { try recorder.next { $0.isExpensive } }
        #expect(bus.accepted == 1)
        monitors[0].cancel()
        bus.set(.no)
        try recorders[1].next { !$0.isExpensive }
        #expect(bus.ended == 0)
        monitors[1].cancel()
        try ProcessState.wait("the bus sees the end") { bus.ended == 1 }
        // A later monitor connects again, although path and engine are the same.
        bus.set(.yes)
        let (late, recorder) = network.watch()
        try recorder.next { $0.isExpensive }
        #expect(bus.accepted == 2)
        late.cancel()
        try reference.setDispatchQueue(nil)
    }

    @Test("of another network namespace is not asked")
    func foreign() throws {
        let network = try TestNetwork.wired()
        // A socket belongs to the namespace it was made in, whatever its path.
        let model = ManagerModel(.yes, interface: "eth0")
        let bus = try network.scriptedBus(listener: UnixListener(), model: model)
        defer { bus.stop() }
        let (monitor, recorder) = network.watch()
        try recorder.next()
        try ProcessState.wait("the connection is over") { bus.ended == 1 }
        try network.ip("route replace default via 10.0.1.253 metric 100")
        #expect(try !recorder.next().isExpensive)
        #expect(try !network.path().isExpensive)
        #expect(bus.accepted == 1 && model.asked == 0)
        // The next monitor finds a bus of its own, though the engine is the same.
        let reference = try network.topology.run { try ReachabilityRef(address: "192.0.2.1") }
        try network.topology.run { try reference.setDispatchQueue(recorder.queue) }
        monitor.cancel()
        let own = try network.scriptedBus(model: ManagerModel(.yes, interface: "eth0"))
        defer { own.stop() }
        let (late, told) = network.watch()
        try told.next { $0.isExpensive }
        late.cancel()
        try reference.setDispatchQueue(nil)
    }

    @Test(
        "is left out if the bus misbehaves",
        arguments: [ScriptedBus.Manner.unmanaged, .silent, .refusing, .babbling, .dying])
    func misbehaviour(manner: ScriptedBus.Manner) throws {
        let network = try TestNetwork.wired()
        let bus = try network.scriptedBus(manner, model: ManagerModel(.yes, interface: "eth0"))
        defer { bus.stop() }
        let (monitor, recorder) = network.watch()
        #expect(try recorder.next().status == .satisfied)
        try ProcessState.wait("the bus has its client") { bus.accepted == 1 }
        let isPatient = manner == .silent || manner == .unmanaged
        if !isPatient { try ProcessState.wait("the connection is over") { bus.ended == 1 } }
        try network.ip("route del default")
        #expect(try recorder.next().status == .unsatisfied)
        try network.ip("route add default via 10.0.1.254")
        #expect(try recorder.next().status == .satisfied)
        #expect(recorder.all.allSatisfy { !$0.isExpensive } && recorder.untaken == 0)
        monitor.cancel()
    }

    @Test("is read from the real dbus-daemon", .enabled(if: daemon != nil, "dbus-daemon is not installed"))
    func realBus() throws {
        let network = try TestNetwork.wired()
        let server = try network.realBus(MeteredTests.daemon!)
        defer { server.end() }
        let (monitor, recorder) = network.watch()
        #expect(try !recorder.next().isExpensive)

        let manager = try network.standInManager(ManagerModel(.no, interface: "eth0"))
        try ProcessState.wait("NetworkManager is asked") { manager.model.asked == 1 }
        manager.set(.yes)
        #expect(try recorder.next().isExpensive)
        manager.set(.no)
        #expect(try !recorder.next().isExpensive)
        manager.set(.guessedYes)
        #expect(try recorder.next().isExpensive)
        // It ends, and another one starts.
        manager.leave()
        #expect(try !recorder.next().isExpensive)
        let successor = try network.standInManager(ManagerModel(.yes, interface: "eth0"))
        #expect(try recorder.next().isExpensive)
        server.end()
        #expect(try !recorder.next().isExpensive)
        #expect(recorder.untaken == 0)
        successor.leave()
        monitor.cancel()
    }

    private static let daemon = ["/usr/bin/dbus-daemon", "/bin/dbus-daemon"].first { (path: String) in
        unsafe access(path, X_OK) == 0
    }
}

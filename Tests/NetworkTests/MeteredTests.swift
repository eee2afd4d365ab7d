// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Network
import ReachabilityKit
import TestBus
import TestHosts
import TestTopology
import Testing

@Suite("What NetworkManager says of metered networks", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct MeteredTests {
    @Test("makes a path expensive, and each change of it is one update")
    func changes() throws {
        let place = try Surroundings()
        try place.wayOut("wlan0", number: 1, metric: 600, type: "wlan")
        let bus = try place.scriptedBus(model: ManagerModel(.guessedYes, interface: "wlan0"))
        defer { bus.stop() }
        let (monitor, recorder) = (place.monitor(), PathRecorder())
        place.start(monitor, recorder)
        // Nobody waits for the bus, so there may be an update before it has spoken; but only one.
        var expensive = try recorder.next()
        if !expensive.isExpensive { expensive = try recorder.next() }
        #expect(expensive.isExpensive && expensive.status == .satisfied)
        #expect(expensive.debugDescription.hasSuffix("expensive"))
        bus.set(.no)
        #expect(try !recorder.next().isExpensive)
        bus.set(.guessedNo)
        bus.set(.yes)
        #expect(try recorder.next().isExpensive)
        // Whoever comes later is told of it at once.
        #expect(try place.path().isExpensive)
        // The bus is gone, and with it what it said.
        bus.stop()
        #expect(try !recorder.next().isExpensive)
        #expect(recorder.untaken == 0)
        monitor.cancel()
    }

    @Test("is waited for by who asks once and has patience")
    func once() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        func path(_ patience: Duration?) throws -> PathView {
            try place.topology.run { try PathSource().current(patience: patience).view() }
        }
        let bus = try place.scriptedBus(.hesitant, model: ManagerModel(.yes, interface: "eth0"))
        #expect(try path(.seconds(60)).isExpensive)
        #expect(bus.accepted == 1)
        #expect(try !path(nil).isExpensive && bus.accepted == 1)
        bus.stop()
        #expect(try !path(.seconds(60)).isExpensive)
    }

    @Test("matters for the interface it is said of, and for what leaves by it")
    func interfaces() throws {
        let place = try Surroundings()
        try place.wayOut("wlan0", number: 2, metric: 600, type: "wlan")
        try place.wayOut("eth0", number: 1, metric: 100)
        let bus = try place.scriptedBus(model: ManagerModel(.yes, interface: "wlan0"))
        defer { bus.stop() }
        let (wifi, all) = (PathRecorder(), PathRecorder())
        let monitors = [place.monitor { NWPathMonitor(requiredInterfaceType: .wifi) }, place.monitor()]
        place.start(monitors[0], wifi)
        place.start(monitors[1], all)
        try wifi.next { $0.isExpensive }
        // The way out is another interface, so this is the first update, and has been the only one.
        #expect(try !all.next().isExpensive && all.untaken == 0)
        try place.ip("link set eth0 down")
        #expect(try all.next { $0.names == ["wlan0"] }.isExpensive)
        for monitor in monitors { monitor.cancel() }
    }

    @Test("is heard of where the bus comes later, with the next change of the path")
    func lateBus() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        try place.hideBus()
        let (monitor, recorder) = (place.monitor(), PathRecorder())
        place.start(monitor, recorder)
        try recorder.next()
        let model = ManagerModel(.yes, interface: "eth0")
        let bus = try place.scriptedBus(model: model)
        #expect(try !place.path().isExpensive && bus.accepted == 0)
        try place.ip("route replace default via 10.0.1.253 metric 100")
        try recorder.next { $0.isExpensive }
        bus.stop()
        try recorder.next { !$0.isExpensive }
        let another = try place.scriptedBus(model: model)
        #expect(try !place.path().isExpensive && another.accepted == 0)
        try place.ip("route replace default via 10.0.1.254 metric 100")
        try recorder.next { $0.isExpensive }
        another.stop()
        monitor.cancel()
    }

    @Test("is asked for as long as somebody wants to know the path")
    func life() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        let bus = try place.scriptedBus(model: ManagerModel(.yes, interface: "eth0"))
        defer { bus.stop() }
        // Somebody who watches an address only.
        let reference = try place.topology.run { try ReachabilityRef(address: "192.0.2.1") }
        let changes = ReceivedValues<ReachabilityFlags>()
        reference.setCallback { changes.record($0) }
        try place.topology.run { try reference.setDispatchQueue(DispatchQueue(label: "changes")) }
        try place.ip("route add unreachable 192.0.2.0/24")
        #expect(try changes.next() == [])
        #expect(bus.accepted == 0)

        let recorders = [PathRecorder(), PathRecorder()]
        let monitors = recorders.map { _ in place.monitor() }
        for (monitor, recorder) in zip(monitors, recorders) { place.start(monitor, recorder) }
        for recorder in recorders { try recorder.next { $0.isExpensive } }
        #expect(bus.accepted == 1)
        monitors[0].cancel()
        bus.set(.no)
        try recorders[1].next { !$0.isExpensive }
        #expect(bus.ended == 0)
        monitors[1].cancel()
        try ProcessState.wait("the bus sees the end") { bus.ended == 1 }
        // And sought again for who comes later, though the path is the same and the engine too.
        bus.set(.yes)
        let (late, recorder) = (place.monitor(), PathRecorder())
        place.start(late, recorder)
        try recorder.next { $0.isExpensive }
        #expect(bus.accepted == 2)
        late.cancel()
        try reference.setDispatchQueue(nil)
    }

    @Test("of another network namespace is about other networks, and is not even asked for")
    func foreign() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        // A socket belongs to the namespace it was made in, wherever its path leads.
        let model = ManagerModel(.yes, interface: "eth0")
        let bus = try place.scriptedBus(listener: UnixListener(), model: model)
        defer { bus.stop() }
        let (monitor, recorder) = (place.monitor(), PathRecorder())
        place.start(monitor, recorder)
        try recorder.next()
        try ProcessState.wait("the connection is over") { bus.ended == 1 }
        try place.ip("route replace default via 10.0.1.253 metric 100")
        #expect(try !recorder.next().isExpensive)
        #expect(try !place.path().isExpensive)
        #expect(bus.accepted == 1 && model.asked == 0)
        monitor.cancel()
    }

    @Test(
        "does no harm by a bus that misbehaves",
        arguments: [ScriptedBus.Manner.unmanaged, .silent, .refusing, .babbling, .dying, .flooding])
    func misbehaviour(manner: ScriptedBus.Manner) throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        let bus = try place.scriptedBus(manner, model: ManagerModel(.yes, interface: "eth0"))
        defer { bus.stop() }
        let (monitor, recorder) = (place.monitor(), PathRecorder())
        place.start(monitor, recorder)
        #expect(try recorder.next().status == .satisfied)
        try ProcessState.wait("the bus has its client") { bus.accepted == 1 }
        let isPatient = manner == .silent || manner == .unmanaged
        if !isPatient { try ProcessState.wait("the connection is over") { bus.ended == 1 } }
        try place.ip("route del default")
        #expect(try recorder.next().status == .unsatisfied)
        try place.ip("route add default via 10.0.1.254")
        #expect(try recorder.next().status == .satisfied)
        #expect(recorder.all.allSatisfy { !$0.isExpensive } && recorder.untaken == 0)
        monitor.cancel()
    }

    @Test("is understood on Debian's own bus", .enabled(if: daemon != nil, "dbus-daemon is not installed"))
    func realBus() throws {
        let place = try Surroundings()
        try place.wayOut("eth0", number: 1, metric: 100)
        let server = try place.realBus(MeteredTests.daemon!)
        defer { server.end() }
        let (monitor, recorder) = (place.monitor(), PathRecorder())
        place.start(monitor, recorder)
        #expect(try !recorder.next().isExpensive)

        let manager = try place.standInManager(ManagerModel(.no, interface: "eth0"))
        try ProcessState.wait("NetworkManager is asked") { manager.model.asked == 1 }
        manager.set(.yes)
        #expect(try recorder.next().isExpensive)
        manager.set(.no)
        #expect(try !recorder.next().isExpensive)
        manager.set(.guessedYes)
        #expect(try recorder.next().isExpensive)
        // It ends, and another takes its place.
        manager.leave()
        #expect(try !recorder.next().isExpensive)
        let successor = try place.standInManager(ManagerModel(.yes, interface: "eth0"))
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

// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilitySystemBus
import Synchronization
import TestBus
import TestHosts
import Testing

@Suite("A connection to a bus", .timeLimit(.minutes(10)))
struct ConnectionTests {
    @Test(arguments: [ScriptedBus.Manner.obliging, .hesitant])
    func `reports what NetworkManager says, and each change`(manner: ScriptedBus.Manner) throws {
        let fixture = try Fixture(manner)
        defer { fixture.end() }
        try fixture.connect()
        #expect(try fixture.next() == ["wlan0", "metered", "portal"])
        fixture.bus.set(.no)
        #expect(try fixture.next() == ["wlan0", "portal"])
        fixture.bus.set(nil, .full)
        #expect(try fixture.next() == ["wlan0", "full"])
        fixture.bus.set(.guessedYes, .limited, interface: "eth0")
        #expect(try fixture.next() == ["eth0", "metered", "limited"])
        fixture.bus.setRunning(false)
        #expect(try fixture.next() == [])
        fixture.bus.setRunning(true)
        #expect(try fixture.next() == ["eth0", "metered", "limited"])
        fixture.bus.hangUp()
        #expect(try fixture.events.next() == .ended)
    }

    @Test(arguments: [ScriptedBus.Manner.refusing, .babbling, .dying])
    func `ends when the bus breaks the protocol`(manner: ScriptedBus.Manner) throws {
        let fixture = try Fixture(manner)
        defer { fixture.end() }
        try fixture.connect()
        #expect(try fixture.events.next() == .ended)
    }

    @Test(arguments: [ScriptedBus.Manner.silent, .unmanaged])
    func `stays open if the bus is silent or has no NetworkManager`(manner: ScriptedBus.Manner) throws {
        let fixture = try Fixture(manner)
        defer { fixture.end() }
        try fixture.connect()
        try ProcessState.wait("the bus has a client") { fixture.bus.accepted == 1 }
        if manner == .unmanaged { #expect(try fixture.events.next() == .report([])) }
        fixture.bus.hangUp()
        #expect(try fixture.events.next() == .ended)
    }

    @Test func `can be made for one answer, and waits for it until its timeout`() throws {
        for manner in ScriptedBus.Manner.allCases {
            let fixture = try Fixture(manner)
            defer { fixture.end() }
            let isAnswered = manner == .obliging || manner == .hesitant
            let answer = try fixture.ask(.milliseconds(manner == .silent ? 10 : 30_000))
            #expect(Fixture.words(for: answer) == (isAnswered ? ["wlan0", "metered", "portal"] : []))
        }
    }

    @Test func `is closed when the client closes it`() throws {
        let fixture = try Fixture(.obliging)
        defer { fixture.end() }
        try fixture.connect()
        #expect(try fixture.next() == ["wlan0", "metered", "portal"])
        fixture.disconnect()
        try ProcessState.wait("the bus sees the end") { fixture.bus.ended == 1 }
        #expect(fixture.events.untaken == 0)
    }

    @Test func `is not made if nothing listens, or if the queue of the listener is full`() throws {
        let fixture = ResolverFixture()
        let path = Array(fixture.path("hosts").utf8)
        #expect(BusSocket.connect(to: []) == .absent)
        #expect(BusSocket.connect(to: [.path(path)]) == .absent)
        fixture.write("hosts", "not a socket")
        #expect(BusSocket.connect(to: [.path(path)]) == .absent)
        #expect(BusSocket.connect(to: [.path(Array(repeating: 0x61, count: 200))]) == .absent)

        let listener = UnixListener()
        let name = UnixSocket.Name.abstract(Array("reachability test \(fixture.directory)".utf8))
        try listener.listen(at: name, backlog: 0)
        guard case .connected(let first) = BusSocket.connect(to: [.path(path), name]) else {
            Issue.record("the second address was not tried")
            return
        }
        // The queue is full. The call does not wait for room in it.
        #expect(BusSocket.connect(to: [name]) == .absent)
        InternetSocket.close(first)
    }
}

/// A bus, a loop, and the events of a connection between them.
private final class Fixture: Sendable {
    let bus: ScriptedBus
    private let loop: EventLoop
    private let name: UnixSocket.Name
    let events = ReceivedValues<BusConnection.Event>()
    private let connection = Mutex(SentToLoop<BusConnection?>(nil))
    private static let count = Atomic<Int>(0)

    init(_ manner: ScriptedBus.Manner) throws {
        loop = try EventLoop(name: "bus test")
        let listener = UnixListener()
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        name = .abstract(Array("reachability test \(number)".utf8))
        try listener.listen(at: name)
        bus = try ScriptedBus(listener, manner, model: ManagerModel(.yes, .portal, interface: "wlan0"))
    }

    private func socket() throws -> Int32 {
        guard case .connected(let descriptor) = BusSocket.connect(to: [name]) else { throw Errno.connectionRefused }
        return descriptor
    }

    func connect() throws {
        let descriptor = try socket()
        loop.enqueue { [self] in
            let connection = BusConnection(OwnedDescriptor(owning: descriptor), on: loop) { [events] in
                events.record($0)
            }
            self.connection.withLock { $0.value = connection }
            connection.start()
        }
    }

    /// The next report in words; nil for the end.
    func next() throws -> [String]? {
        guard case .report(let report) = try events.next() else { return nil }
        return Self.words(for: report)
    }

    static func words(for report: NetworkManager.Report) -> [String] {
        report.flatMap { device in
            [device.interface] + (device.isMetered ? ["metered"] : []) + ["\(device.ipv4)"]
        }
    }

    func ask(_ timeout: Duration) throws -> NetworkManager.Report {
        let descriptor = try socket()
        let access = ManagedInterfaces.Access(connect: { .connected(descriptor) }, index: { _ in InterfaceIndex(2) })
        return Set(ManagedInterfaces.interfaces(access, timeout: timeout).values)
    }

    func disconnect() {
        loop.enqueue { [self] in
            connection.withLock { $0.value.take() }?.close()
        }
    }

    func end() {
        disconnect()
        bus.stop()
        loop.stop()
    }
}

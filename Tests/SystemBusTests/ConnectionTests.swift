// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization
import SystemBus
import TestBus
import TestHosts
import Testing

@Suite("A connection to a bus", .timeLimit(.minutes(10)))
struct ConnectionTests {
    @Test(
        "tells what is metered, and each change",
        arguments: [ScriptedBus.Manner.obliging, .hesitant])
    func changes(manner: ScriptedBus.Manner) throws {
        let place = try Place(manner)
        defer { place.end() }
        try place.connect()
        #expect(try place.news.next() == .metered("wlan0"))
        place.bus.set(.no)
        #expect(try place.news.next() == .metered(nil))
        place.bus.set(.guessedYes, interface: "eth0")
        #expect(try place.news.next() == .metered("eth0"))
        place.bus.hangUp()
        #expect(try place.news.next() == .ended)
    }

    @Test(
        "ends by itself where the bus misbehaves",
        arguments: [ScriptedBus.Manner.refusing, .babbling, .dying, .flooding])
    func ends(manner: ScriptedBus.Manner) throws {
        let place = try Place(manner)
        defer { place.end() }
        try place.connect()
        #expect(try place.news.next() == .ended)
    }

    @Test(
        "waits for a bus that is silent, or has no NetworkManager",
        arguments: [ScriptedBus.Manner.silent, .unmanaged])
    func silence(manner: ScriptedBus.Manner) throws {
        let place = try Place(manner)
        defer { place.end() }
        try place.connect()
        try ProcessState.wait("the bus has a client") { place.bus.accepted == 1 }
        if manner == .unmanaged { #expect(try place.news.next() == .metered(nil)) }
        place.bus.hangUp()
        #expect(try place.news.next() == .ended)
    }

    @Test("can be made for one answer, and waits for it no longer than it is told")
    func inquiry() throws {
        for manner in ScriptedBus.Manner.allCases {
            let place = try Place(manner)
            defer { place.end() }
            let isPatient = manner == .obliging || manner == .hesitant
            let answer = try place.ask(.milliseconds(manner == .silent ? 10 : 30_000))
            #expect(answer == (isPatient ? "wlan0" : nil))
        }
    }

    @Test("is closed when nobody needs it any more")
    func closed() throws {
        let place = try Place(.obliging)
        defer { place.end() }
        try place.connect()
        #expect(try place.news.next() == .metered("wlan0"))
        place.disconnect()
        try ProcessState.wait("the bus sees the end") { place.bus.ended == 1 }
        #expect(place.news.untaken == 0)
    }

    @Test("is not made where nobody listens, or nobody more is taken")
    func absent() throws {
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
        // The queue is full, and nobody waits for room in it.
        #expect(BusSocket.connect(to: [name]) == .absent)
        InternetSocket.close(first)
    }
}

/// A bus, a loop, and what a connection between them tells.
private final class Place: Sendable {
    let bus: ScriptedBus
    private let loop: EventLoop
    private let name: UnixSocket.Name
    let news = ReceivedValues<BusConnection.News>()
    private let connection = Confined()
    private static let count = Atomic<Int>(0)

    private final class Confined: @unchecked Sendable {  // touched on the loop's thread
        var value: BusConnection?
    }

    init(_ manner: ScriptedBus.Manner) throws {
        loop = try EventLoop(name: "bus test")
        let listener = UnixListener()
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        name = .abstract(Array("reachability test \(number)".utf8))
        try listener.listen(at: name)
        bus = try ScriptedBus(listener, manner, model: ManagerModel(.yes, interface: "wlan0"))
    }

    func connect() throws {
        guard case .connected(let descriptor) = BusSocket.connect(to: [name]) else { throw Errno.connectionRefused }
        loop.enqueue { [self] in
            let connection = BusConnection(OwnedDescriptor(owning: descriptor), on: loop) { [news] in news.record($0) }
            self.connection.value = connection
            connection.begin()
        }
    }

    func ask(_ patience: Duration) throws -> String? {
        guard case .connected(let descriptor) = BusSocket.connect(to: [name]) else { throw Errno.connectionRefused }
        return BusInquiry.meteredInterface(by: OwnedDescriptor(owning: descriptor), patience: patience)
    }

    func disconnect() {
        loop.enqueue { [connection] in
            connection.value?.end()
            connection.value = nil
        }
    }

    func end() {
        disconnect()
        bus.stop()
        loop.stop()
    }
}

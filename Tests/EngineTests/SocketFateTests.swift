// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@testable import ReachabilityKit
@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// A machine with two wires to another, and connections between them. 198.51.100.1 is the other machine, behind its router.
private final class TwoWires {
    let (client, server): (Machine, Machine)
    let listener: TCPListener

    init() throws {
        (client, server) = (try Machine(), try Machine())
        try client.wire(
            "eth0", address: "10.0.0.1/24", "fd00::1/64", peer: "eth0", peerAddress: "10.0.0.2/24", in: server)
        try client.wire("eth1", address: "10.0.1.1/24", peer: "eth1", peerAddress: "10.0.1.2/24", in: server)
        try server.ip("address add fd00::2/64 dev eth0 nodad\naddress add 198.51.100.1/32 dev lo")
        try server.waitForOwn(["fd00::2/64"])
        try client.ip("route add default via 10.0.0.2 metric 100")
        listener = try server.run { try TCPListener() }
    }

    func connect(
        to address: String = "198.51.100.1", from source: String? = nil, through interface: String? = nil,
        mark: UInt32 = 0, user: UInt32? = nil
    ) throws -> Held {
        let socket = client.run {
            ConnectedSocket(to: address, by: .tcp, from: source, through: interface, mark: mark, user: user)
        }
        _ = socket.connect(port: listener.port)
        try #require(hasEvents(socket.descriptor, POLLOUT))
        return Held(socket, try listener.accept(), try client.run { try SocketFate(of: socket.descriptor) })
    }
}

/// A connection, its other end, and its fate.
private final class Held {
    let (socket, peer, fate): (ConnectedSocket, TCPPeer, SocketFate)
    let states = ReceivedValues<SocketFate.State>()

    init(_ socket: ConnectedSocket, _ peer: TCPPeer, _ fate: SocketFate) {
        (self.socket, self.peer, self.fate) = (socket, peer, fate)
    }

    var now: SocketFate.Fate { get throws { try fate.current().fate } }

    /// Records the changes. The first state is viable.
    func follow() throws {
        try fate.setHandler(on: states.queue) { [states] in states.record($0) }
        #expect(try states.next() == SocketFate.State(.viable))
    }

    /// The next change that lasts, which `current()` tells too. The kernel removes an address step by step, and a look may come in
    /// between.
    func next() throws -> SocketFate.Fate {
        var state = try states.next()
        while try fate.current() != state { state = try states.next() }
        return state.fate
    }

    /// Whether bytes of the peer arrive.
    func carries() -> Bool {
        peer.write([7])
        var byte: UInt8 = 0
        return unsafe hasEvents(socket.descriptor, POLLIN) && recv(socket.descriptor, &byte, 1, 0) == 1 && byte == 7
    }

    deinit { try? fate.setHandler(on: states.queue, nil) }
}

/// Waits until poll(2) tells of the events, or of an error.
private func hasEvents(_ descriptor: Int32, _ events: Int32 = 0) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return unsafe poll(&request, 1, 60_000) == 1
}

@Suite("The fate of a connection", .timeLimit(.minutes(10)), .needs(.namespaces))
struct SocketFateTests {
    private let wires: TwoWires

    init() throws { wires = try TwoWires() }

    @Test func `comes back with its address, and the connection goes on`() throws {
        let held = try wires.connect(to: "10.0.0.2")
        try held.follow()
        try wires.client.ip("address del 10.0.0.1/24 dev eth0")
        #expect(try held.next() == .unviable(.sourceGone))
        try wires.client.ip("address add 10.0.0.1/24 dev eth0")
        try held.states.next { $0.fate == .viable }
        #expect(held.carries())
    }

    @Test func `depends on the carrier and the state of the link`() throws {
        let held = try wires.connect(to: "10.0.0.2")
        try held.follow()
        try wires.server.ip("link set eth0 down")
        #expect(try held.next() == .unviable(.noCarrier))
        try wires.server.ip("link set eth0 up")
        #expect(try held.next() == .viable)
        try wires.client.ip("link set eth0 down")
        #expect(try held.next() == .unviable(.noRoute))
        try wires.client.ip("link set eth0 up")
        try held.states.next { $0.fate == .viable }
        #expect(held.carries())
    }

    @Test func `stays when the default route moves, and a new connection would be better off`() throws {
        let held = try wires.connect()
        try held.follow()
        try wires.client.ip("route add default via 10.0.1.2 metric 50")
        #expect(try held.states.next() == SocketFate.State(.viable, betterPath: "eth1"))
        #expect("\(try held.fate.current())" == "viable, better path: eth1")
        try wires.client.ip("route del default via 10.0.1.2 metric 50")
        #expect(try held.states.next() == SocketFate.State(.viable))
        try wires.client.ip("route del default")
        #expect(try held.next() == .unviable(.noRoute))
    }

    @Test func `depends on rules for its address, its mark and its user`() throws {
        let held = [
            try wires.connect(), try wires.connect(from: "10.0.1.1"), try wires.connect(mark: 7),
        ]
        func fates() throws -> [SocketFate.Fate] { try held.map { try $0.now } }
        for (number, rule) in ["from 10.0.1.1", "fwmark 7"].enumerated() {
            try wires.client.ip("rule add \(rule) prohibit priority 10")
            var expected = Array(repeating: SocketFate.Fate.viable, count: 3)
            expected[number + 1] = .unviable(.noRoute)
            #expect(try fates() == expected)
            try wires.client.ip("rule del priority 10")
            #expect(try fates() == Array(repeating: .viable, count: 3))
        }
        try held[0].follow()
        try wires.client.ip("rule add from 10.0.0.1 ipproto tcp dport \(wires.listener.port) prohibit priority 10")
        #expect(try held[0].next() == .unviable(.noRoute))
        try wires.client.ip("rule del priority 10")
        #expect(try held[0].next() == .viable)
    }

    @Test(.needs(.otherUsers))
    func `depends on rules for the owner of the socket`() throws {
        let held = [try wires.connect(), try wires.connect(user: 5)]
        try wires.client.ip("rule add uidrange 5-5 prohibit priority 10")
        #expect(try held.map { try $0.now } == [.viable, .unviable(.noRoute)])
    }

    @Test func `survives a renamed interface, and one that is made anew with the same address`() throws {
        let (held, bound) = (try wires.connect(to: "10.0.1.2"), try wires.connect(to: "10.0.1.2", through: "eth1"))
        try held.follow()
        try bound.follow()
        try wires.client.ip("link set eth1 down\nlink set eth1 name uplink\nlink set uplink up")
        // The engine may not have seen anything of that.
        try wires.client.waitForLink("uplink", .up)
        #expect(try [held.now, bound.now] == [.viable, .viable])
        try wires.client.ip("link del uplink")
        for connection in [held, bound] { try connection.states.next { $0.fate == .unviable(.sourceGone) } }
        try wires.client.wire(
            "uplink", address: "10.0.1.1/24", peer: "eth1", peerAddress: "10.0.1.2/24", in: wires.server)
        try held.states.next { $0.fate == .viable }
        #expect(held.carries())
        // The socket is bound to the interface that was, and not to its name.
        try bound.states.next { $0.fate == .unviable(.interfaceGone) }
    }

    @Test func `of a socket that is bound to a device does not depend on other routes`() throws {
        let held = try wires.connect(to: "10.0.1.2", through: "eth1")
        try held.follow()
        try wires.client.ip(
            "route add unreachable 10.0.1.2/32 metric 1 table 9\nroute add default via 10.0.0.2 metric 1")
        #expect(try held.fate.current() == SocketFate.State(.viable))
        try wires.server.ip("link set eth1 down")
        #expect(try held.next() == .unviable(.noCarrier))
    }

    @Test func `is that of IPv6, too: a deprecated address will do`() throws {
        let held = try wires.connect(to: "fd00::2")
        try wires.client.ip("address change fd00::1/64 dev eth0 preferred_lft 0 valid_lft forever nodad")
        #expect(try wires.client.ip("-6 address show dev eth0 deprecated").contains("fd00::1"))
        #expect(try held.fate.current() == SocketFate.State(.viable))
        #expect(held.carries())
        try wires.client.ip("address del fd00::1/64 dev eth0")
        #expect(try held.now == .unviable(.sourceGone))
    }

    @Test func `lacks its source where another machine has the address`() throws {
        try wires.client.ip("address add fd00::5/64 dev eth0 nodad")
        try wires.client.waitForOwn(["fd00::5/64"])
        let held = try wires.connect(to: "fd00::2", from: "fd00::5")
        try held.follow()
        try wires.client.ip("address del fd00::5/64 dev eth0")
        #expect(try held.next() == .unviable(.sourceGone))
        try wires.server.ip("address add fd00::5/64 dev eth0 nodad")
        try wires.server.waitForOwn(["fd00::5/64"])
        for name in ["all", "eth0"] { try wires.client.set("net.ipv6.conf.\(name).accept_dad", 1) }
        try wires.client.ip("address add fd00::5/64 dev eth0")
        try wires.client.waitUntil("the address is found to be another's") {
            try CallingThread.ip("-6 address show dev eth0 dadfailed").contains("fd00::5")
        }
        #expect(try held.now == .unviable(.sourceGone))
        try wires.server.ip("address del fd00::5/64 dev eth0")
        try wires.client.ip("address del fd00::5/64 dev eth0\naddress add fd00::5/64 dev eth0")
        try held.states.next { $0.fate == .viable }
    }

    // MARK: The end

    @Test func `is death when the peer resets, and the error stays with the owner`() throws {
        let held = try wires.connect(to: "10.0.0.2")
        try held.follow()
        held.peer.reset()
        #expect(hasEvents(held.socket.descriptor))
        #expect(try held.now == .dead(.failed))
        // The next look tells it.
        try wires.client.ip("address add 10.0.0.77/24 dev eth0")
        #expect(try held.next() == .dead(.failed))
        var error: Int32 = 0
        var length = socklen_t(4)
        unsafe getsockopt(held.socket.descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
        #expect(error == ECONNRESET)
        #expect(try held.now == .dead(.failed))
    }

    @Test func `is death when both directions have ended, and not before`() throws {
        let held = try wires.connect(to: "10.0.0.2")
        held.peer.closeWriting()
        #expect(hasEvents(held.socket.descriptor, POLLIN))
        #expect(try held.now == .viable)
        shutdown(held.socket.descriptor, Int32(SHUT_WR))
        #expect(try held.now == .dead(.ended))
    }

    @Test func `is never that of a stranger who got the number of a closed descriptor`() throws {
        let (held, other) = (try wires.connect(to: "10.0.0.2"), try wires.connect(to: "10.0.0.2"))
        let number = dup(held.socket.descriptor)
        let fate = try wires.client.run { try SocketFate(of: number) }
        #expect(try fate.current().fate == .viable)
        #expect(dup2(other.socket.descriptor, number) == number)
        #expect(try fate.current().fate == .dead(.closed))
        // It stays so, even if the socket came back to that number.
        #expect(dup2(held.socket.descriptor, number) == number)
        #expect(try fate.current().fate == .dead(.closed))
        let second = try wires.client.run { try SocketFate(of: number) }
        close(number)
        #expect(try second.current().fate == .dead(.closed))
        #expect(try held.now == .viable)
    }

    @Test func `of a UDP socket outlives a refusal`() throws {
        let socket = wires.client.run { ConnectedSocket(to: "10.0.0.2", user: nil) }
        _ = socket.connect(port: 9)
        let fate = try wires.client.run { try SocketFate(of: socket.descriptor) }
        _ = unsafe send(socket.descriptor, [7], 1, 0)
        #expect(hasEvents(socket.descriptor))
        #expect(try fate.current().fate == .viable)
        // The refusal is still there for the owner.
        #expect(
            unsafe recv(socket.descriptor, UnsafeMutableRawPointer(bitPattern: 16), 0, 0) == -1 && errno == ECONNREFUSED
        )
        try wires.client.ip("address del 10.0.0.1/24 dev eth0")
        #expect(try fate.current().fate == .unviable(.sourceGone))
    }

    // MARK: Being told

    @Test func `comes as a sequence, which ends with the connection`() async throws {
        let held = try wires.connect(to: "10.0.0.2")
        var seen: [SocketFate.Fate] = []
        for try await state in held.fate.changes {
            // While the kernel removes the address, there may be no route for a moment.
            if state.fate == .unviable(.noRoute) { continue }
            seen.append(state.fate)
            switch seen.count {
            case 1: try wires.client.ip("address del 10.0.0.1/24 dev eth0")
            case 2:
                shutdown(held.socket.descriptor, Int32(SHUT_RDWR))
                try wires.client.ip("address add 10.0.0.1/24 dev eth0")
            default: break
            }
        }
        #expect(seen == [.viable, .unviable(.sourceGone), .dead(.ended)])
        #expect(held.fate.path.namespace.sharedEngine.userCount == 0)
    }

    @Test func `leaves nothing behind when the task is cancelled`() async throws {
        let held = try wires.connect(to: "10.0.0.2")
        let fate = held.fate
        let (seen, feed) = AsyncStream.makeStream(of: SocketFate.Fate.self)
        let task = Task(priority: .high) {
            for try await state in fate.changes { feed.yield(state.fate) }
        }
        for await state in seen {
            #expect(state == .viable)
            break
        }
        task.cancel()
        try await task.value(for: "the end of the sequence")
        #expect(try held.now == .viable)
        #expect(fate.path.namespace.sharedEngine.userCount == 0)
    }

    @Test func `comes once at a time when its handler is replaced by another, which knows nothing yet`() throws {
        let (held, other) = (try wires.connect(to: "10.0.0.2"), try wires.connect(to: "10.0.0.2"))
        let slow = SlowClient<String>()
        try held.fate.setHandler(on: slow.queue) { _ in slow.call("first") }
        try slow.waitForFirstCall()
        let serial = DispatchQueue(label: "serial")
        try held.fate.setHandler(on: serial) { _ in slow.call("second") }
        try held.fate.setHandler(on: slow.queue) { slow.call($0.fate == .viable ? "third" : "third, later") }
        try other.follow()
        try slow.release()
        #expect(try slow.values.next(2) == ["first", "third"])
        try wires.client.ip("link set eth0 down")
        #expect(try slow.values.next() == "third, later")
        try serial.finish()
        #expect(slow.callsAtATime == 1 && !slow.values.all.contains("second"))
        try held.fate.setHandler(on: slow.queue, nil)
    }

    @Test func `comes on the client's loop`() throws {
        let held = try wires.connect(to: "10.0.0.2")
        let watcher = try ReachabilityWatcher()
        var seen: [SocketFate.Fate] = []
        let token = try watcher.add(held.fate) { seen.append($0.fate) }
        try watcher.turn { seen == [.viable] }
        try wires.client.ip("address del 10.0.0.1/24 dev eth0")
        try watcher.turn { seen.last == .unviable(.sourceGone) }
        #expect(watcher.remove(token))
    }

    /// The filter takes their addresses.
    @Test func `of 90 sockets beside other routes wakes nobody up`() throws {
        let sockets = (0..<90).map { number in
            wires.client.run { ConnectedSocket(to: "198.18.\(number / 250).\(number % 250 + 1)", user: nil) }
        }
        for socket in sockets { _ = socket.connect() }
        let fates = try wires.client.run { try sockets.map { try SocketFate(of: $0.descriptor) } }
        let seen = ReceivedValues<SocketFate.Fate>()
        for fate in fates { try fate.setHandler(on: seen.queue) { seen.record($0.fate) } }
        defer { withExtendedLifetime(sockets) {} }
        #expect(try Set(seen.next(90)) == [.viable])
        let changer = try Changer(in: wires.client)
        let marker = try wires.client.run { try ReachabilityRef(address: "203.0.113.9") }
        let marked = CallbackRecorder()
        try marked.watch(marker)
        func changeMarker() throws {
            try changer.apply(.route(.add, "203.0.113.9/32", kind: .unreachable))
            try marked.next { $0.isEmpty }
            try changer.apply(.route(.delete, "203.0.113.9/32"))
            try marked.next { !$0.isEmpty }
        }
        try changeMarker()
        // These are read. Then the filter is attached.
        for number in 0..<100 { try changer.apply(.route(.add, "10.77.9.\(number)/32", via: "10.0.0.2")) }
        try changeMarker()
        try #require(marker.namespace.sharedEngine.present).afterwards {}
        let before = marker.statistics
        for number in 0..<(Extent.changeCount / 2) {
            let address = "10.77.\(number % 1000 / 250).\(number % 250)/32"
            try changer.apply(.route(.replace, address, via: "10.0.0.2"))
            try changer.apply(.route(.delete, address))
        }
        try changer.apply(.route(.add, "203.0.113.9/32", kind: .unreachable))
        try marked.next { $0.isEmpty }
        let after = marker.statistics
        // As for targets: the one change at the end (StormTests).
        #expect(after.events - before.events <= 10)
        #expect(after.evaluations - before.evaluations <= 90 * (1 + 2) + 20)
        #expect(seen.untaken == 0)
        // A change that concerns all is told to each.
        try wires.client.ip("address del 10.0.0.1/24 dev eth0")
        for _ in fates { try seen.next { $0 == .unviable(.sourceGone) } }
        for fate in fates { try fate.setHandler(on: seen.queue, nil) }
        try marker.setDispatchQueue(nil)
    }

    // MARK: Mistakes

    @Test func `is refused for a descriptor of another kind, with the kind in words`() throws {
        func words(_ descriptor: Int32) throws -> String {
            let error = #expect(throws: ReachabilityError.self) { try SocketFate(of: descriptor) }
            #expect(error?.code == .invalidSocket)
            return error?.explanation ?? ""
        }
        func take(_ descriptor: Int32) throws -> String {
            defer { close(descriptor) }
            return try words(descriptor)
        }
        #expect(try words(-1) == "it is not open")
        #expect(try words(1 << 20) == "it is not open")
        #expect(try unsafe take(open("/proc/self/stat", O_RDONLY | O_CLOEXEC)).hasPrefix("it is a file;"))
        #expect(try unsafe take(open("/", O_RDONLY | O_CLOEXEC)).hasPrefix("it is a folder;"))
        #expect(try unsafe take(open("/dev/null", O_RDONLY | O_CLOEXEC)).hasPrefix("it is a device;"))
        let epoll = try Epoll()
        #expect(try words(epoll.rawDescriptor).hasPrefix("it is no socket;"))
        var ends: [Int32] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        #expect(try take(ends[0]).hasPrefix("it is a pipe;"))
        close(ends[1])
        let (stream, datagram) = (Int32(SOCK_STREAM.rawValue), Int32(SOCK_DGRAM.rawValue))
        #expect(try take(socket(AF_UNIX, stream, 0)).hasPrefix("it is a Unix socket;"))
        #expect(try take(socket(AF_NETLINK, datagram, 0)).hasPrefix("it is a netlink socket;"))
        let vsock = socket(AF_VSOCK, stream, 0)
        if vsock >= 0 { #expect(try take(vsock).hasPrefix("it is a vsock socket;")) }
        #expect(try take(socket(AF_INET, stream, 0)).hasPrefix("it is not connected"))
        #expect(try take(socket(AF_INET6, datagram, 0)).hasPrefix("it is not connected"))
        let listening = socket(AF_INET, stream, 0)
        #expect(listen(listening, 1) == 0)
        #expect(try take(listening).hasPrefix("it is a listening socket;"))
        let raw = wires.client.run { socket(AF_INET, Int32(SOCK_RAW.rawValue), 1) }
        #expect(try take(raw).contains("protocol 1"))
    }
}

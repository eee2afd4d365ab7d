// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityConnections
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@Suite("A connection between two machines", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct RealConnectionTests {
    let hosts: TwoHosts
    let recorder = Recorder()

    init() throws {
        hosts = try TwoHosts()
    }

    func receive(_ connection: Connection, _ minimum: Int = 1, _ maximum: Int = 1024) {
        connection.receive(minimum: minimum, maximum: maximum) { [recorder] in
            recorder.record($0, String(decoding: $0.bytes, as: UTF8.self))
        }
    }

    func send(_ connection: Connection, _ text: String, isLast: Bool = false) {
        connection.send(Array(text.utf8), isLast: isLast) { [recorder] failure in
            recorder.record("sent" + (failure.map { ": \(Recorder.words($0))" } ?? ""))
        }
    }

    /// A connection that is ready, and its other end.
    func connected() throws -> (Connection, TCPPeer) {
        let listener = try hosts.listen()
        let connection = try hosts.connection(port: listener.port)
        hosts.start(connection, recorder)
        let peer = try listener.accept()
        #expect(try recorder.next(3) == ["preparing", "ready", "viable"])
        return (connection, peer)
    }

    @Test("sends, receives, and ends in order", arguments: ["10.0.0.2", "fd00::2"])
    func exchange(address: String) throws {
        let listener = try hosts.listen()
        let connection = try hosts.connection(to: address, port: listener.port)
        send(connection, "hello")
        hosts.start(connection, recorder)
        let peer = try listener.accept()
        #expect(try recorder.next(4) == ["preparing", "ready", "viable", "sent"])
        #expect(peer.read(5) == Array("hello".utf8))
        receive(connection)
        peer.write(Array("fixture".utf8))
        #expect(try recorder.next() == "received fixture")
        connection.cancel()
        #expect(try recorder.next() == "cancelled")
        #expect(peer.seesEnd())
    }

    @Test(
        "that was refused waits, and tries again when it is restarted, or by itself after a change of the network",
        arguments: [true, false])
    func refused(isRestarted: Bool) throws {
        let port = try hosts.listen().port
        let connection = try hosts.connection(port: port)
        hosts.start(connection, recorder)
        #expect(try recorder.next(2) == ["preparing", "waiting: Connection refused"])
        let listener = try hosts.listen(port: port)
        // The wire does not change the route to the host.
        if isRestarted { connection.restart() } else { try hosts.client.wire("eth1", address: "10.1.0.1/24") }
        #expect(try recorder.next(3) == ["preparing", "ready", "viable"])
        connection.cancel()
        withExtendedLifetime(listener) {}
    }

    @Test("waits if nothing answers within its time limit")
    func silent() throws {
        try hosts.silence()
        let connection = try hosts.connection(port: 80, timeLimit: .milliseconds(200))
        hosts.start(connection, recorder)
        #expect(try recorder.next(2) == ["preparing", "waiting: Connection timed out"])
        connection.cancel()
        #expect(try recorder.next() == "cancelled")
    }

    @Test("fails when it is reset, with every open request")
    func reset() throws {
        let (connection, peer) = try connected()
        receive(connection)
        peer.reset()
        // The reset may come before the receive.
        #expect(
            try recorder.next(2).sorted() == [
                "failed: Connection reset by peer", "received : Connection reset by peer",
            ])
        send(connection, "late")
        #expect(try recorder.next() == "sent: Connection reset by peer")
        connection.cancel()
        #expect(try recorder.next() == "cancelled")
    }

    @Test("is half closed by either side, and ready all the while")
    func halfClose() throws {
        let (connection, peer) = try connected()
        send(connection, "question", isLast: true)
        #expect(try recorder.next() == "sent")
        #expect(peer.read(100) == Array("question".utf8))
        peer.write(Array("answer".utf8))
        peer.closeWriting()
        receive(connection, 100)
        #expect(try recorder.next() == "received answer end")
        receive(connection)
        #expect(try recorder.next() == "received  end: No data available")
        #expect(connection.state == .ready)
        connection.cancel()
        #expect(try recorder.next() == "cancelled")
    }

    /// All of it is in this machine's kernel before or while it is requested.
    @Test("receives megabytes that came before both sides ended", arguments: [true, false])
    func muchBeforeTheEnd(isRequestedBefore: Bool) throws {
        try hosts.client.run { try CallingThread.setKernelSetting("net.ipv4.tcp_rmem", "8388608 8388608 8388608") }
        let (connection, peer) = try connected()
        send(connection, "question", isLast: true)
        #expect(try recorder.next() == "sent")
        func receiveAll() {
            connection.receive(minimum: .max, maximum: .max) { [recorder] in recorder.record($0, "\($0.bytes.count)") }
        }
        if isRequestedBefore { receiveAll() }
        peer.write([UInt8](repeating: 7, count: 3_000_000))
        // The peer reads everything before it closes, so that it sends no reset.
        #expect(peer.read(100) == Array("question".utf8))
        peer.end()
        if !isRequestedBefore { receiveAll() }
        #expect(try recorder.next() == "received 3000000 end")
        #expect(connection.state == .ready)
        connection.cancel()
        #expect(try recorder.next() == "cancelled")
    }

    @Test("does not take a reset for the end of the stream while a send waits")
    func resetWhileSending() throws {
        let (connection, peer) = try connected()
        receive(connection, .max, .max)
        // Far more than the kernels of both sides hold.
        connection.send([UInt8](repeating: 7, count: 64 << 20), isLast: false) { [recorder] failure in
            recorder.record("sent: \(failure.map(Recorder.words) ?? "all")")
        }
        peer.write(Array("part".utf8))
        peer.reset()
        #expect(
            try recorder.next(3).sorted() == [
                "failed: Connection reset by peer", "received part: Connection reset by peer",
                "sent: Connection reset by peer",
            ])
    }

    @Test("waits for a route, and connects by itself when it comes")
    func routeAppears() throws {
        let listener = try hosts.listen()
        let connection = try hosts.connection(to: "198.51.100.1", port: listener.port)
        hosts.start(connection, recorder)
        #expect(try recorder.next(2) == ["preparing", "waiting: Network is unreachable"])
        try hosts.client.ip("route add 198.51.100.0/24 via 10.0.0.2")
        #expect(try recorder.next(3) == ["preparing", "ready", "viable"])
        connection.cancel()
        #expect(try recorder.next() == "cancelled")
    }

    @Test("waits for a link, and connects by itself when it comes")
    func linkAppears() throws {
        let listener = try hosts.listen()
        try hosts.server.ip("link set eth0 down")
        try hosts.client.waitForLink("eth0") { $0.operationalState != .up }
        let connection = try hosts.connection(port: listener.port)
        hosts.start(connection, recorder)
        #expect(try recorder.next(2) == ["preparing", "waiting: Network is down"])
        try hosts.server.ip("link set eth0 up")
        #expect(try recorder.next(3) == ["preparing", "ready", "viable"])
        connection.cancel()
    }

    @Test("is not viable without its link, and viable again with it")
    func linkLost() throws {
        let (connection, peer) = try connected()
        try hosts.server.ip("link set eth0 down")
        #expect(try recorder.next() == "not viable")
        #expect(connection.state == .ready)
        try hosts.server.ip("link set eth0 up")
        #expect(try recorder.next() == "viable")
        receive(connection)
        peer.write(Array("still here".utf8))
        #expect(try recorder.next() == "received still here")
        connection.cancel()
    }

    @Test("is not viable without its address, even if there is another route to the host")
    func addressLost() throws {
        try hosts.client.ip("address add 10.0.0.7/24 dev eth0")
        let (connection, peer) = try connected()
        try hosts.client.set("net.ipv4.conf.eth0.promote_secondaries", 1)
        try hosts.client.ip("address del 10.0.0.1/24 dev eth0")
        #expect(try recorder.next() == "not viable")
        connection.cancel()
        withExtendedLifetime(peer) {}
    }

    @Test("resets its peer when it is forced to end")
    func forced() throws {
        let (connection, peer) = try connected()
        connection.cancel(isForced: true)
        #expect(try recorder.next() == "cancelled")
        #expect(peer.seesEnd())
    }

    /// More than the kernels of both sides hold.
    @Test("resets its peer when it is cancelled before all of its content was sent")
    func cutOff() throws {
        let (connection, peer) = try connected()
        connection.send([UInt8](repeating: 7, count: 64 << 20), isLast: true) { [recorder] failure in
            recorder.record("sent: \(failure.map(Recorder.words) ?? "all")")
        }
        #expect(peer.read(100_000).count == 100_000)
        connection.cancel()
        #expect(try recorder.next(2) == ["sent: Operation canceled", "cancelled"])
        #expect(peer.read(64 << 20).count < 63 << 20)
        // After an end in order the kernel would take it.
        #expect(!peer.write([1]))
    }

    /// The kernel resets a connection that is closed with unread bytes, or to which bytes come after that.
    @Test("gives its peer all that was sent, with unread bytes, also when it is cancelled", arguments: [true, false])
    func unread(isBeforeEnd: Bool) throws {
        try hosts.client.run { try CallingThread.setKernelSetting("net.ipv4.tcp_wmem", "8388608 8388608 8388608") }
        let (connection, peer) = try connected()
        if isBeforeEnd { peer.write(Array("unread".utf8)) }
        connection.send([UInt8](repeating: 7, count: 1_500_000)) { [recorder] failure in
            recorder.record("sent" + (failure.map { ": \(Recorder.words($0))" } ?? ""))
        }
        #expect(try recorder.next() == "sent")
        connection.cancel()
        #expect(try recorder.next() == "cancelled")
        #expect(peer.read(100_000).count == 100_000)
        peer.write(Array("late".utf8))
        #expect(peer.read(2_000_000).count == 1_400_000)
        #expect(peer.seesEnd())
    }

    @Test("uses the interface that is allowed, and waits without one")
    func restriction() throws {
        let listener = try hosts.listen()
        let wired = try hosts.connection(
            port: listener.port, restriction: PathRestriction(required: .wiredEthernet))
        hosts.start(wired, recorder)
        #expect(try recorder.next(3) == ["preparing", "ready", "viable"])
        wired.cancel()
        let recorder = Recorder()
        let radio = try hosts.connection(port: listener.port, restriction: PathRestriction(required: .wifi))
        hosts.start(radio, recorder)
        #expect(try recorder.next(2) == ["preparing", "waiting: Network is down"])
        radio.cancel()
    }

    @Test("leaves by the interface that is required")
    func requiredInterface() throws {
        let listener = try hosts.listen()
        try hosts.client.wire("eth1", address: "10.1.0.1/24")
        let connection = try hosts.connection(port: listener.port, timeLimit: .seconds(1), required: "eth1")
        hosts.start(connection, recorder)
        // There is no route from eth1 to 10.0.0.2.
        #expect(try recorder.next(2).last?.hasPrefix("waiting") == true)
        connection.cancel()
        let good = Recorder()
        let other = try hosts.connection(port: listener.port, required: "eth0")
        hosts.start(other, good)
        #expect(try good.next(3) == ["preparing", "ready", "viable"])
        other.cancel()
    }
}

// SPDX-License-Identifier: Apache-2.0

import ConnectionIdioms5
import Network
import ReachabilityLinuxSystem
import TestTopology
import Testing

@Suite("NWConnection", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct NWConnectionTests {
    let host: WiredHost
    let recorder = ConnectionRecorder()

    init() throws {
        host = try WiredHost()
    }

    @Test("sends and receives, and makes all calls on its queue")
    func exchange() throws {
        let listener = try host.listen()
        let connection = host.connection("10.0.0.9", listener.port)
        #expect(connection.state == .setup)
        #expect(connection.queue == nil)
        #expect(connection.currentPath == nil)
        host.start(connection, recorder)
        #expect(connection.queue === recorder.queue)
        let peer = try listener.accept()
        #expect(try recorder.next(3) == ["preparing", "ready", "viable"])
        let (recorder, queue) = (recorder, recorder.queue)
        connection.send(
            content: Data("GET".utf8), contentContext: .finalMessage,
            completion: .contentProcessed { error in
                dispatchPrecondition(condition: .onQueue(queue))
                recorder.record("sent \(error as Any)")
            })
        #expect(try recorder.next() == "sent nil")
        #expect(peer.read(10) == Array("GET".utf8))
        connection.receiveMessage { data, context, isComplete, error in
            dispatchPrecondition(condition: .onQueue(queue))
            recorder.record("\(data.map { String(decoding: $0, as: UTF8.self) } ?? "") \(isComplete) \(error as Any)")
        }
        peer.write(Array("one".utf8))
        peer.write(Array("two".utf8))
        peer.end()
        #expect(try recorder.next() == "onetwo true nil")
        connection.cancel()
        #expect(try recorder.next() == "cancelled")
    }

    @Test("accepts any number for an option of TCP", arguments: [Int.min, -1, 0, 1, 32_768, 1 << 31, Int.max])
    func options(number: Int) throws {
        let listener = try host.listen()
        let connection = host.connection(
            "10.0.0.9", listener.port,
            {
                let options = NWProtocolTCP.Options()
                options.enableKeepalive = true
                options.keepaliveIdle = number
                options.keepaliveInterval = number
                options.keepaliveCount = number
                options.connectionTimeout = number == 1 ? 60 : number
                return NWParameters(tls: nil, tcp: options)
            }())
        try host.connect(connection, recorder)
        connection.receive(minimumIncompleteLength: number, maximumLength: number) {
            [recorder] data, _, isComplete, _ in
            recorder.record("\(data?.count ?? 0) \(isComplete)")
        }
        let peer = try listener.accept()
        peer.write([1])
        peer.end()
        #expect(try recorder.next() == (number < 1 ? "0 false" : number == 1 ? "1 false" : "1 true"))
        connection.cancel()
    }

    @Test(
        "tries the second address if the first does not answer, also of another family",
        arguments: ["10.0.0.2", "fd00::2"])
    func secondAddress(first: String) throws {
        // Packets to a neighbour that is known but does not exist are lost.
        try host.network.ip("neighbour add \(first) lladdr 02:00:00:00:00:02 dev eth0")
        try host.knows("\(first) twofold.test\\n10.0.0.9 twofold.test")
        let listener = try host.listen()
        let connection = host.connection("twofold.test", listener.port)
        try host.connect(connection, recorder)
        let path = try #require(connection.currentPath)
        #expect(path.remoteEndpoint == .hostPort(host: "10.0.0.9", port: .init(rawValue: listener.port)!))
        connection.cancel()
    }

    @Test("first tries the address with a source address of the same kind", arguments: [false, true])
    func bestAddress(hasPublicAddress: Bool) throws {
        try host.server.ip("address add fd00::9/64 dev eth0 nodad\naddress add 2001:db8::9/128 dev lo")
        try host.server.waitForOwn(["fd00::9/64", "2001:db8::9/128"])
        try host.network.ip("-6 route add 2001:db8::/64 via fd00::9")
        if hasPublicAddress {
            try host.network.ip("address add 2001:db8:1::1/128 dev eth0 nodad")
            try host.network.topology.waitForOwn(["2001:db8:1::1/128"])
            try host.server.ip("-6 route add 2001:db8:1::1/128 via fd00::1")
        }
        try host.knows("2001:db8::9 twofold.test\\n10.0.0.9 twofold.test")
        let listener = try host.listen()
        let connection = host.connection("twofold.test", listener.port)
        try host.connect(connection, recorder)
        let end = try #require(connection.currentPath?.remoteEndpoint)
        let best: NWEndpoint.Host = hasPublicAddress ? "2001:db8::9" : "10.0.0.9"
        #expect(end == .hostPort(host: best, port: .init(rawValue: listener.port)!))
        connection.cancel()
    }

    @Test("waits for an unknown name, and connects by itself when it is known")
    func name() throws {
        try host.network.ip("route add default via 10.0.0.9")
        let listener = try host.listen()
        let connection = host.connection("somewhere.test", listener.port)
        host.start(connection, recorder)
        #expect(try recorder.next() == "preparing")
        // No server is configured here, and none runs on 127.0.0.1.
        #expect(
            try recorder.next() == "waiting(DNSServiceErrorType(rawValue: -65537): The name server could not answer)")
        try host.knows("10.0.0.9 somewhere.test")
        #expect(try recorder.next(3) == ["preparing", "ready", "viable"])
        connection.cancel()
    }

    @Test("reports its path, with both ends, and its loss")
    func path() throws {
        let listener = try host.listen()
        let connection = host.connection("10.0.0.9", listener.port)
        let paths = PathRecorder()
        connection.pathUpdateHandler = { paths.record($0) }
        try host.connect(connection, recorder)
        let path = try paths.next { $0.localEndpoint != nil }
        #expect(path.status == .satisfied)
        #expect(path.names == ["eth0"])
        #expect(path.usesInterfaceType(.wiredEthernet))
        #expect(path.supportsIPv4 && !path.supportsIPv6)
        #expect(path.remoteEndpoint == .hostPort(host: "10.0.0.9", port: .init(rawValue: listener.port)!))
        guard case .hostPort(let local, _)? = path.localEndpoint else {
            Issue.record("no local end")
            return
        }
        #expect(local == "10.0.0.1")
        try host.server.ip("link set eth0 down")
        try paths.next { $0.status == .unsatisfied }
        connection.cancel()
    }

    @Test("is told one at a time on a concurrent queue, in order")
    func concurrentQueue() throws {
        let listener = try host.listen()
        let connection = host.connection("10.0.0.9", listener.port)
        let slow = SlowClient<String>()
        connection.stateUpdateHandler = { slow.call("\($0)") }
        connection.viabilityUpdateHandler = { slow.call("viable \($0)") }
        host.network.topology.run { connection.start(queue: slow.queue) }
        try slow.waitForFirstCall()
        try ProcessState.wait("the connection is ready") { connection.state == .ready }
        try slow.release()
        #expect(try slow.values.next(3) == ["preparing", "ready", "viable true"])
        connection.cancel()
        #expect(try slow.values.next() == "cancelled")
        #expect(slow.callsAtATime == 1)
    }

    @Test("tells its path to a handler that is set when there was none, and not to one that replaces another")
    func lateHandler() throws {
        let listener = try host.listen()
        let connection = host.connection("10.0.0.9", listener.port)
        let paths = PathRecorder()
        connection.pathUpdateHandler = { paths.record($0) }
        try host.connect(connection, recorder)
        let path = try paths.next { $0.localEndpoint != nil }
        try recorder.finishDeliveries()
        let later = PathRecorder()
        connection.pathUpdateHandler = { later.record($0) }
        try recorder.finishDeliveries()
        #expect(later.untaken == 0)
        connection.pathUpdateHandler = nil
        connection.pathUpdateHandler = { later.record($0) }
        #expect(try later.next() == path)
        connection.cancel()
    }

    @Test func `tells whether it is viable and has a better path to handlers that are set late`() throws {
        try host.server.ip("address add 203.0.113.9/32 dev lo")
        try host.network.topology.wire(
            "eth1", address: "10.0.1.1/24", peer: "eth1", peerAddress: "10.0.1.9/24", in: host.server)
        try host.network.ip("route add default via 10.0.0.9 metric 200")
        let listener = try host.listen()
        let connection = host.connection("203.0.113.9", listener.port)
        try host.connect(connection, recorder)
        let recorder = recorder
        connection.betterPathUpdateHandler = { recorder.record("better: \($0)") }
        try host.network.ip("route add default via 10.0.1.9 metric 100")
        #expect(try recorder.next() == "better: true")
        // One that replaces another is not told.
        connection.viabilityUpdateHandler = { recorder.record("second viable: \($0)") }
        connection.betterPathUpdateHandler = { recorder.record("second better: \($0)") }
        try recorder.finishDeliveries()
        #expect(recorder.untaken == 0)
        connection.viabilityUpdateHandler = nil
        connection.betterPathUpdateHandler = nil
        connection.viabilityUpdateHandler = { recorder.record("late viable: \($0)") }
        #expect(try recorder.next() == "late viable: true")
        connection.betterPathUpdateHandler = { recorder.record("late better: \($0)") }
        #expect(try recorder.next() == "late better: true")
        try host.network.ip("route del default via 10.0.1.9 metric 100")
        #expect(try recorder.next() == "late better: false")
        connection.cancel()
        #expect(try recorder.next() == "cancelled")
        connection.viabilityUpdateHandler = { recorder.record("too late: \($0)") }
        try recorder.finishDeliveries()
        #expect(recorder.untaken == 0)
    }

    @Test func `may be cancelled inside a handler, and ends each request once`() throws {
        let listener = try host.listen()
        let connection = host.connection("10.0.0.9", listener.port)
        let recorder = recorder
        for number in 1...2 {
            connection.receive(minimumIncompleteLength: 1, maximumLength: 1) { [weak connection] _, _, _, error in
                recorder.record("received \(number): \(error?.errorCode ?? 0)")
                // Nothing that is asked for now is done any more, and it is said once.
                connection?.send(
                    content: Data([1]),
                    completion: .contentProcessed { recorder.record("sent \(number): \($0?.errorCode ?? 0)") })
            }
        }
        connection.stateUpdateHandler = { [weak connection] state in
            recorder.record("\(state)")
            guard state == .ready, let connection else { return }
            connection.cancel()
            connection.start(queue: .global())
            connection.cancel()
            connection.restart()
            connection.forceCancel()
        }
        for _ in 0..<2 { host.network.topology.run { connection.start(queue: recorder.queue) } }
        #expect(try recorder.next(2) == ["preparing", "ready"])
        #expect(
            try recorder.next(5).sorted() == [
                "cancelled", "received 1: 125", "received 2: 125", "sent 1: 125", "sent 2: 125",
            ])
        #expect(try listener.accept().seesEnd())
        try recorder.finishDeliveries()
        #expect(recorder.untaken == 0)
        #expect(connection.state == .cancelled && connection.queue === recorder.queue)
    }

    @Test("uses allowed interfaces only")
    func types() throws {
        let listener = try host.listen()
        let forbidden = host.connection(
            "10.0.0.9", listener.port,
            {
                let parameters = NWParameters.tcp
                parameters.prohibitedInterfaceTypes = [.wiredEthernet]
                return parameters
            }())
        host.start(forbidden, recorder)
        #expect(try recorder.next() == "preparing")
        #expect(try recorder.next().contains("Network is down"))
        forbidden.cancel()
        let other = ConnectionRecorder()
        let required = host.connection(
            "10.0.0.9", listener.port,
            {
                let options = NWProtocolTCP.Options()
                options.noDelay = true
                options.enableKeepalive = true
                options.keepaliveIdle = 10
                options.connectionTimeout = 5
                let parameters = NWParameters(tls: nil, tcp: options)
                parameters.requiredInterfaceType = .wiredEthernet
                return parameters
            }())
        try host.connect(required, other)
        required.cancel()
    }

    @Test("sets the socket options that were requested, and no others", arguments: [false, true])
    func options(isRequested: Bool) throws {
        let listener = try host.listen()
        let connection = host.connection(
            "10.0.0.9", listener.port,
            {
                let options = NWProtocolTCP.Options()
                options.noDelay = isRequested
                options.enableKeepalive = isRequested
                (options.keepaliveIdle, options.keepaliveInterval, options.keepaliveCount) = (11, 13, 7)
                return NWParameters(tls: nil, tcp: options)
            }())
        try host.connect(connection, recorder)
        let socket = try #require(KernelSocket(connection))
        let tcp = Int32(IPPROTO_TCP)
        #expect(socket.option(tcp, TCP_NODELAY) == (isRequested ? 1 : 0))
        #expect(socket.option(SOL_SOCKET, SO_KEEPALIVE) == (isRequested ? 1 : 0))
        let system = try ["time", "intvl", "probes"].map { name in
            try host.network.topology.run { try Files.contents(of: "/proc/sys/net/ipv4/tcp_keepalive_\(name)") }
        }
        let usual = system.map { Int32(String(decoding: $0, as: UTF8.self).filter(\.isNumber)) }
        let found = [TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT].map { socket.option(tcp, $0) }
        #expect(found == (isRequested ? [11, 13, 7] : usual))
        connection.cancel()
    }

    @Test("fails for a URL whose scheme needs TLS")
    func unsupported() throws {
        let url = try #require(URL(string: "https://10.0.0.9/"))
        let connection = NWConnection(to: .url(url), using: .tcp)
        host.start(connection, recorder)
        #expect(try recorder.next().hasPrefix("failed(POSIXErrorCode(rawValue: 93)"))
        #expect(connection.state == .failed(.posix(.EPROTONOSUPPORT)))
        let recorder = recorder
        connection.send(
            content: nil, completion: .contentProcessed { recorder.record("\($0 == .posix(.EPROTONOSUPPORT))") })
        #expect(try recorder.next() == "true")
        connection.cancel()
        #expect(try recorder.next() == "cancelled")
    }

    @Test("is cancelled when it is released, and reports it")
    func released() throws {
        let listener = try host.listen()
        do {
            let connection = host.connection("10.0.0.9", listener.port)
            try host.connect(connection, recorder)
        }
        #expect(try recorder.next() == "cancelled")
        #expect(try listener.accept().seesEnd())
    }

    @Test func `is told when a better path appears and when it is gone`() throws {
        try host.server.ip("address add 203.0.113.9/32 dev lo")
        try host.network.topology.wire(
            "eth1", address: "10.0.1.1/24", peer: "eth1", peerAddress: "10.0.1.9/24", in: host.server)
        try host.network.ip("route add default via 10.0.0.9 metric 200")
        let listener = try host.listen()
        let connection = host.connection("203.0.113.9", listener.port)
        let recorder = recorder
        connection.betterPathUpdateHandler = { recorder.record("better: \($0)") }
        try host.connect(connection, recorder)
        try host.network.ip("route add default via 10.0.1.9 metric 100")
        #expect(try recorder.next() == "better: true")
        #expect(connection.state == .ready)
        try host.network.ip("route del default via 10.0.1.9 metric 100")
        #expect(try recorder.next() == "better: false")
        connection.cancel()
    }

    @Test func `gives up an address that does not answer`() throws {
        try host.network.ip("neighbour add 10.0.0.2 lladdr 02:00:00:00:00:02 dev eth0")
        let connection = host.connection("10.0.0.2", 80)
        host.start(connection, recorder)
        #expect(try recorder.next() == "preparing")
        // The state 2 is SYN_SENT (net/tcp_states.h).
        try ProcessState.wait("a connection is being made") {
            try host.network.topology.run { try Files.contents(of: "/proc/thread-self/net/tcp") }
                .split(separator: UInt8(ascii: " ")).contains(Array("02".utf8)[...])
        }
        connection.cancelCurrentEndpoint()
        #expect(try recorder.next() == "waiting(POSIXErrorCode(rawValue: 125): Operation canceled)")
        connection.cancel()
    }

    @Test func `fails if its established end is given up`() throws {
        let listener = try host.listen()
        let connection = host.connection("10.0.0.9", listener.port)
        try host.connect(connection, recorder)
        let peer = try listener.accept()
        connection.cancelCurrentEndpoint()
        #expect(try recorder.next() == "failed(POSIXErrorCode(rawValue: 125): Operation canceled)")
        #expect(peer.seesEnd())
        connection.cancel()
        #expect(try recorder.next() == "cancelled")
    }

    /// In a process of its own: the class has its callbacks made on the global queue, behind every other test that waits
    /// there for its turn.
    @Test("works with a class that apps use to check connectivity")
    func idiom() async {
        await #expect(processExitsWith: .success) {
            let (host, recorder) = (try WiredHost(), ConnectionRecorder())
            let delegate = ConnectivityDelegate(recorder)
            let connectivity = NetworkConnectivity.shared
            connectivity.delegate = delegate
            let listener = try host.listen(port: 80)
            try host.server.ip("address add 198.51.100.1/32 dev lo")
            host.network.topology.run { connectivity.setup(with: "198.51.100.1") }
            #expect(try recorder.next(2) == ["preparing false", "waiting false"])
            try host.network.ip("route add 198.51.100.0/24 via 10.0.0.9")
            #expect(try recorder.next(2) == ["preparing false", "ready true"])
            let peer = try listener.accept()
            peer.write([1, 2, 3])
            peer.end()
            #expect(try recorder.next() == "cancelled false")
            withExtendedLifetime(delegate) {}
        }
    }
}

private final class ConnectivityDelegate: NetworkConnectivityDelegate {
    let recorder: ConnectionRecorder

    init(_ recorder: ConnectionRecorder) { self.recorder = recorder }

    func networkStatusChanged(online: Bool, connectivityStatus: String) {
        recorder.record("\(connectivityStatus) \(online)")
    }
}

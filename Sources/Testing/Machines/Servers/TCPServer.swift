// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// Serves the connections to a server, each on its own thread. Closes those that are still open when it is released.
final class ConnectionThreads: Sendable {
    private let listener: TCPListener
    private let clients = Clients()

    /// The clients whose connections are open.
    private final class Clients: Sendable {
        private let peers = Lock<[TCPPeer]>([])

        func add(_ peer: TCPPeer) { peers.withLock { $0.append(peer) } }
        func remove(_ peer: TCPPeer) { peers.remove { $0.removeAll { $0 === peer } } }
        func interrupt() { peers.withLock { $0.forEach { $0.interrupt() } } }
    }

    /// - Parameter serve: serves a connection, which has a number from 1. Returns whether the connection stays open afterwards.
    init(
        at address: IPAddress?, port: UInt16, _ name: String,
        _ serve: @escaping @Sendable (_ client: TCPPeer, _ number: Int) -> Bool
    ) throws(Errno) {
        listener = try TCPListener(at: address, port: port)
        try Thread.start(name: name, stackBytes: 256 << 10) { [listener, clients] in
            var number = 0
            while let client = try? listener.accept(within: nil) {
                number += 1
                clients.add(client)
                try? Thread.start(name: name, stackBytes: 256 << 10) { [number] in
                    if !serve(client, number) { clients.remove(client) }
                }.detach()
            }
        }.detach()
    }

    deinit {
        stop()
        clients.interrupt()
    }

    func stop() { listener.stop() }
}

/// A TCP server that treats all connections in the same way.
public final class TCPServer: RunningServer {
    /// How a server treats a connection.
    public enum Manner: Hashable, Sendable {
        /// Accepts it, and never sends anything.
        case silent
        /// Sends this text, and leaves the connection open.
        case answering(String)
        /// Sends this text when it receives the first byte, and then resets the connection.
        case resetting(String)
        /// Sends this text at once, closes the sending direction, and continues to receive.
        case halfClosing(String)
    }

    private let threads: ConnectionThreads
    private let accepted: Received<Int>

    fileprivate init(at address: IPAddress, _ port: UInt16, _ manner: Manner) throws(Errno) {
        let accepted = Received<Int>()
        self.accepted = accepted
        threads = try ConnectionThreads(at: address, port: port, "tcp server") { client, number in
            accepted.record(number)
            switch manner {
            case .silent: return true
            case .answering(let text): client.write(Array(text.utf8))
            case .resetting(let text):
                if !client.read(1, within: nil).isEmpty {
                    client.write(Array(text.utf8))
                    client.reset()
                }
                return false
            case .halfClosing(let text):
                client.write(Array(text.utf8))
                client.closeWriting()
                while !client.read(1, within: nil).isEmpty {}
            }
            return true
        }
    }

    /// The number of connections accepted so far.
    public var connectionCount: Int { accepted.all.count }

    var activity: [String] { accepted.all.map { "connection \($0)" } }

    /// Waits for the first connection.
    public func firstConnection() async throws { _ = try await accepted.value(at: 0) }

    /// Stops accepting connections: new ones are refused. Open ones stay.
    public func stop() { threads.stop() }
}

extension Machine {
    /// Starts a TCP server at an address, which this machine gets if it does not have it yet. Connections to an address without a
    /// server are refused.
    @discardableResult
    public func tcpServer(
        at address: String, port: UInt16, _ manner: TCPServer.Manner
    ) throws(MachineError) -> TCPServer {
        try start(at: address, "TCP server") { (address) throws(Errno) in try TCPServer(at: address, port, manner) }
    }

    /// Gives this machine an address without a server. Connections to it are refused.
    public func host(_ address: String) throws(MachineError) {
        let read = try IPAddress(reading: address)
        try Link(machine: self, name: "lo").address("\(address)/\(read.family.bitCount)")
    }
}

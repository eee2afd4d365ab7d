// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// Treats the connections to a server, each on a thread of its own. Closes those that are left when it is released.
final class ConnectionThreads: Sendable {
    private let listener: TCPListener
    private let clients = Clients()

    /// Those whose connections are open.
    private final class Clients: Sendable {
        private let peers = Lock<[TCPPeer]>([])

        func add(_ peer: TCPPeer) { peers.withLock { $0.append(peer) } }
        func remove(_ peer: TCPPeer) { peers.remove { $0.removeAll { $0 === peer } } }
        func interrupt() { peers.withLock { $0.forEach { $0.interrupt() } } }
    }

    /// - Parameter serve: treats a connection, by its number from 1. Returns whether it stays open afterwards.
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

/// A TCP server that treats each connection in one manner.
public final class TCPServer: RunningServer {
    /// What a server does with a connection.
    public enum Manner: Hashable, Sendable {
        /// Accepts it, and never sends anything.
        case silent
        /// Sends this text, and stays.
        case answering(String)
        /// Sends this text at the first byte that it receives, and then resets the connection.
        case resetting(String)
        /// Sends this text at once, then says that it sends nothing more, and goes on receiving.
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
                guard !client.read(1, within: nil).isEmpty else { return false }
                client.write(Array(text.utf8))
                client.reset()
                return false
            case .halfClosing(let text):
                client.write(Array(text.utf8))
                client.closeWriting()
                while !client.read(1, within: nil).isEmpty {}
            }
            return true
        }
    }

    /// How many connections it has accepted.
    public var connectionCount: Int { accepted.all.count }

    var activity: [String] { accepted.all.map { "connection \($0)" } }

    /// Waits for the first connection.
    public func firstConnection() async throws { _ = try await accepted.value(at: 0) }

    /// Accepts no more connections: they are refused. Those that are open stay.
    public func stop() { threads.stop() }
}

extension Machine {
    /// Starts a TCP server at an address of this machine, which it gets if it does not have it yet. Where there is an address and no
    /// server, connections are refused.
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

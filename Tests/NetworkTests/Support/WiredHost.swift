// SPDX-License-Identifier: Apache-2.0

import Network
import TestTopology
import Testing

/// A machine with its own files, and another at the end of its wire.
final class WiredHost: Sendable {
    let network: TestNetwork
    let server: Machine

    init() throws {
        network = try TestNetwork()
        server = try Machine()
        try network.topology.wire(
            "eth0", address: "10.0.0.1/24", "fd00::1/64", peer: "eth0", peerAddress: "10.0.0.9/24", in: server,
            hasLinkLocalAddress: true)
    }

    func listen(port: UInt16 = 0) throws -> TCPListener { try server.run { try TCPListener(port: port) } }

    func knows(_ lines: String) throws { try network.execute("printf '\(lines)\\n' > /etc/hosts") }

    func connection(
        _ host: NWEndpoint.Host, _ port: UInt16, _ parameters: @autoclosure @Sendable () -> NWParameters = .tcp
    ) -> NWConnection {
        network.topology.run {
            NWConnection(host: host, port: NWEndpoint.Port(rawValue: port)!, using: parameters())
        }
    }

    /// Starts a connection, which has to become ready.
    func connect(_ connection: NWConnection, _ recorder: ConnectionRecorder) throws {
        start(connection, recorder)
        #expect(try recorder.next(3) == ["preparing", "ready", "viable"])
    }

    func start(_ connection: NWConnection, _ recorder: ConnectionRecorder) {
        recorder.attach(to: connection)
        network.topology.run { connection.start(queue: recorder.queue) }
    }
}

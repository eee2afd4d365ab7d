// SPDX-License-Identifier: Apache-2.0

import ReachabilityConnections
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology

/// Two machines and a wire between them: 10.0.0.1 connects to 10.0.0.2, which is also 198.51.100.1 behind a router.
final class TwoHosts: Sendable {
    let client: Machine
    let server: Machine

    init() throws {
        client = try Machine()
        server = try Machine()
        try client.wire(
            "eth0", address: "10.0.0.1/24", "fd00::1/64", peer: "eth0", peerAddress: "10.0.0.2/24", in: server)
        try server.ip("address add 198.51.100.1/32 dev lo")
        try server.ip("address add fd00::2/64 dev eth0 nodad")
        try server.waitForOwn(["fd00::2/64"])
    }

    func listen(port: UInt16 = 0) throws -> TCPListener { try server.run { try TCPListener(port: port) } }

    /// Makes the server drop the client's packets.
    func silence() throws { try server.ip("route add blackhole 10.0.0.1") }

    func connection(
        to address: String = "10.0.0.2", port: UInt16, timeLimit: Duration? = nil,
        restriction: PathRestriction = PathRestriction(), required: String? = nil
    ) throws -> Connection {
        try madeConnection(
            to: address, port: port, timeLimit: timeLimit, restriction: restriction, required: required
        ).connection
    }

    /// A connection and its transport.
    func madeConnection(
        to address: String = "10.0.0.2", port: UInt16, timeLimit: Duration? = nil,
        restriction: PathRestriction = PathRestriction(), required: String? = nil
    ) throws -> (connection: Connection, transport: SystemTransport) {
        try client.run {
            var options = ReachabilityOptions()
            options.interface = required
            let transport = SystemTransport(
                to: try ReachabilityRef(address: address, options: options), port: port,
                over: InterfaceChoice(restriction: restriction, required: required))
            return (Connection(transport, timeLimit: timeLimit), transport)
        }
    }

    /// Starts a connection and records its events.
    func start(_ connection: Connection, _ recorder: Recorder) {
        recorder.attach(to: connection)
        client.run { connection.start(queue: recorder.queue) }
    }
}

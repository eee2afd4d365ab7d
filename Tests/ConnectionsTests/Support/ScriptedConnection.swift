// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestHosts
import Testing

@testable import ReachabilityConnections

/// A connection over a scripted transport.
struct ScriptedConnection {
    static let six = IPAddress.v6(IPv6Address("2001:db8::1")!)
    static let four = IPAddress.v4(IPv4Address(192, 0, 2, 1))

    let transport = ScriptedTransport()
    let recorder = Recorder()
    let connection: Connection

    init(timeLimit: Duration? = nil, refusal: ConnectionFailure? = nil) {
        connection = Connection(transport, timeLimit: timeLimit, refusal: refusal)
        recorder.attach(to: connection)
    }

    func start() throws {
        connection.start(queue: recorder.queue)
        transport.run()
        #expect(try recorder.next() == "preparing")
    }

    /// Brings the connection to `ready`.
    func connect(_ stream: ScriptedStream = ScriptedStream()) throws -> ScriptedStream {
        try start()
        transport.resolve(to: Self.four)
        transport.finish(Self.four, .success(stream))
        #expect(try recorder.next(2) == ["ready", "viable"])
        return stream
    }

    func send(_ bytes: [UInt8], isLast: Bool = false) {
        connection.send(bytes, isLast: isLast) { [recorder] failure in
            recorder.record("sent \(bytes.count)" + (failure.map { ": \(Recorder.words($0))" } ?? ""))
        }
    }

    func receive(_ minimum: Int, _ maximum: Int) {
        connection.receive(minimum: minimum, maximum: maximum) { [recorder] in recorder.record($0, "\($0.bytes)") }
    }
}

// SPDX-License-Identifier: Apache-2.0

import TestHosts
import Testing

@testable import Connections

@Suite("A connection's turn", .timeLimit(.minutes(10)))
struct TurnTests {
    @Test("ends after some reads, and the rest is read when the stream is ready again")
    func manyPieces() throws {
        let scripted = ScriptedConnection()
        let stream = try scripted.connect()
        stream.incoming = (0..<20).map { .success([$0]) }
        scripted.receive(20, 20)
        scripted.transport.run()
        try #require(!stream.incoming.isEmpty, "all of it was read in one turn")
        #expect(stream.watched == .readable)
        stream.happen(.readable)
        #expect(try scripted.recorder.next() == "received \(Array(0..<20))")
        scripted.connection.cancel()
        scripted.transport.run()
    }

    @Test(
        "sends what the stream takes by now before it is ended, and nothing where that is forced",
        arguments: [false, true])
    func end(isForced: Bool) throws {
        let scripted = ScriptedConnection()
        let stream = try scripted.connect()
        scripted.send([1, 2, 3])
        scripted.transport.run()
        #expect(stream.written.isEmpty)
        stream.room = [.success(3)]
        scripted.connection.cancel(isForced: isForced)
        scripted.transport.run()
        let sent = isForced ? "sent 3: Operation canceled" : "sent 3"
        #expect(try scripted.recorder.next(2) == [sent, "cancelled"])
        #expect(stream.written == (isForced ? [] : [1, 2, 3]))
        #expect(stream.closed == (isForced ? "reset" : "in order"))
    }
}

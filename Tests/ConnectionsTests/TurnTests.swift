// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestHosts
import Testing

@testable import Connections

/// The thread of a connection is shared, so reading and writing stop after a while and go on when epoll tells again.
@Suite("What a connection does in one turn", .timeLimit(.minutes(10)))
struct TurnTests {
    private static let turn = 16 * 64 << 10
    private static let content = [UInt8](repeating: 7, count: 3_000_000)

    let scripted = ScriptedConnection()
    let stream: ScriptedStream

    init() throws {
        stream = try scripted.connect()
    }

    private func receiveAll() {
        let recorder = scripted.recorder
        scripted.connection.receive(minimum: .max, maximum: .max) { content in
            var words = "received \(content.bytes.count)"
            if content.isEnd { words += " end" }
            if let failure = content.failure { words += ": \(Recorder.words(failure))" }
            recorder.record(words)
        }
        scripted.transport.run()
    }

    @Test("reads everything that came before both directions ended", arguments: [true, false])
    func ended(isAskedForBefore: Bool) throws {
        if isAskedForBefore { receiveAll() }
        stream.incoming = [.success(Self.content), .success([])]
        stream.tellAgainAndAgain([.readable, .hungUp])
        if !isAskedForBefore {
            receiveAll()
            stream.tellAgainAndAgain([.readable, .hungUp])
        }
        #expect(try scripted.recorder.next() == "received 3000000 end")
        #expect(stream.watched == nil)
    }

    @Test("reads everything that came before a reset")
    func reset() throws {
        receiveAll()
        stream.incoming = [.success(Self.content), .failure(.connectionReset)]
        stream.error = .connectionReset
        stream.tellAgainAndAgain([.readable, .hungUp])
        #expect(
            try scripted.recorder.next(2) == [
                "received 3000000: Connection reset by peer", "failed: Connection reset by peer",
            ])
    }

    @Test("does not take a reset that sending has met for the end of what is received", arguments: [0, 3_000_000])
    func truncated(count: Int) throws {
        receiveAll()
        scripted.send([1])
        scripted.transport.run()
        // A socket tells its error once, to whichever call comes first, and to all others it has ended.
        stream.room = [.failure(.connectionReset)] + Array(repeating: .failure(.brokenPipe), count: 100)
        stream.incoming = count > 0 ? [.success([UInt8](repeating: 7, count: count))] : []
        stream.happen([.readable, .writable, .hungUp])
        stream.incoming.append(.success([]))
        stream.tellAgainAndAgain([.readable, .writable, .hungUp])
        #expect(
            try scripted.recorder.next(3) == [
                "sent 1: Connection reset by peer", "received \(count): Connection reset by peer",
                "failed: Connection reset by peer",
            ])
    }

    @Test("tells the end of what is received where nobody takes what is sent any more")
    func refused() throws {
        receiveAll()
        scripted.send([1])
        scripted.transport.run()
        stream.room = Array(repeating: .failure(.brokenPipe), count: 100)
        stream.incoming = [.success([1, 2]), .success([])]
        stream.tellAgainAndAgain([.readable, .writable, .hungUp])
        #expect(
            try scripted.recorder.next(3) == ["received 2 end", "sent 1: Broken pipe", "failed: Broken pipe"])
    }

    @Test("sends as much as it receives, and lets others have their turn")
    func sends() throws {
        stream.room = Array(repeating: .success(.max), count: 100)
        scripted.send(Self.content)
        scripted.transport.run()
        #expect(stream.written.count == Self.turn)
        #expect(stream.watched == .writable)
        stream.happen(.writable)
        #expect(stream.written.count == 2 * Self.turn)
        stream.happen(.writable)
        #expect(try scripted.recorder.next() == "sent 3000000")
        #expect(stream.watched == [])
    }

    @Test("hands the kernel all that it still takes before it ends")
    func cancelled() throws {
        stream.room = Array(repeating: .success(.max), count: 100)
        scripted.send(Self.content)
        scripted.connection.cancel()
        scripted.transport.run()
        #expect(stream.written.count == Self.content.count)
        #expect(stream.closed == "in order")
    }

    @Test("ends after some reads, and the rest is read when the stream is ready again")
    func manyPieces() throws {
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

extension ScriptedStream {
    /// Tells the same as long as it is listened to, as epoll does; for a limited number of times.
    func tellAgainAndAgain(_ events: StreamEvents) {
        for _ in 0..<100 where watched != nil && closed == nil { happen(events) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestHosts
import Testing

@testable import ReachabilityConnections

/// A connection's thread is shared, so reading and writing stop at a limit and continue at the next event.
@Suite("The transfers of one event", .timeLimit(.minutes(10)))
struct TransferLimitTests {
    private static let limit = 16 * 64 << 10
    private static let content = [UInt8](repeating: 7, count: 3_000_000)

    let scripted = ScriptedConnection()
    let stream: ScriptedStream

    init() throws {
        stream = try scripted.connect()
    }

    private func receiveAll() {
        let recorder = scripted.recorder
        scripted.connection.receive(minimum: .max, maximum: .max) { recorder.record($0, "\($0.bytes.count)") }
        scripted.transport.run()
    }

    @Test("reads everything that came before both directions ended", arguments: [true, false])
    func ended(isRequestedBefore: Bool) throws {
        if isRequestedBefore { receiveAll() }
        stream.incoming = [.success(Self.content), .success([])]
        stream.happenRepeatedly([.readable, .failed])
        if !isRequestedBefore {
            receiveAll()
            stream.happenRepeatedly([.readable, .failed])
        }
        #expect(try scripted.recorder.next() == "received 3000000 end")
        #expect(stream.watched == nil)
    }

    @Test("reads everything that came before a reset")
    func reset() throws {
        receiveAll()
        stream.incoming = [.success(Self.content), .failure(.connectionReset)]
        stream.error = .connectionReset
        stream.happenRepeatedly([.readable, .failed])
        #expect(
            try scripted.recorder.next(2) == [
                "received 3000000: Connection reset by peer", "failed: Connection reset by peer",
            ])
    }

    @Test("does not take a reset that sending met for the end of the stream", arguments: [0, 3_000_000])
    func truncated(count: Int) throws {
        receiveAll()
        scripted.send([1])
        scripted.transport.run()
        // A socket reports its error once, to the first call. To later calls it has ended.
        stream.room = [.failure(.connectionReset)] + Array(repeating: .failure(.brokenPipe), count: 100)
        stream.incoming = count > 0 ? [.success([UInt8](repeating: 7, count: count))] : []
        stream.happen([.readable, .writable, .failed])
        stream.incoming.append(.success([]))
        stream.happenRepeatedly([.readable, .writable, .failed])
        #expect(
            try scripted.recorder.next(3) == [
                "sent 1: Connection reset by peer", "received \(count): Connection reset by peer",
                "failed: Connection reset by peer",
            ])
    }

    @Test("reports the end of the stream if the peer takes no more")
    func refused() throws {
        receiveAll()
        scripted.send([1])
        scripted.transport.run()
        stream.room = Array(repeating: .failure(.brokenPipe), count: 100)
        stream.incoming = [.success([1, 2]), .success([])]
        stream.happenRepeatedly([.readable, .writable, .failed])
        #expect(
            try scripted.recorder.next(3) == ["received 2 end", "sent 1: Broken pipe", "failed: Broken pipe"])
    }

    @Test("sends up to the limit at each event")
    func sends() throws {
        stream.room = Array(repeating: .success(.max), count: 100)
        scripted.send(Self.content)
        scripted.transport.run()
        #expect(stream.written.count == Self.limit)
        #expect(stream.watched == .writable)
        stream.happen(.writable)
        #expect(stream.written.count == 2 * Self.limit)
        stream.happen(.writable)
        #expect(try scripted.recorder.next() == "sent 3000000")
        #expect(stream.watched == [])
    }

    @Test("sends all that the kernel takes before it is cancelled")
    func cancelled() throws {
        stream.room = Array(repeating: .success(.max), count: 100)
        scripted.send(Self.content)
        scripted.connection.cancel()
        scripted.transport.run()
        #expect(stream.written.count == Self.content.count)
        #expect(stream.isWritingClosed)
    }

    @Test("reads in pieces up to the limit, and the rest at the next event")
    func manyPieces() throws {
        stream.incoming = (0..<20).map { .success([$0]) }
        scripted.receive(20, 20)
        scripted.transport.run()
        try #require(!stream.incoming.isEmpty, "all of it was read at one event")
        #expect(stream.watched == .readable)
        stream.happen(.readable)
        #expect(try scripted.recorder.next() == "received \(Array(0..<20))")
        scripted.connection.cancel()
        scripted.transport.run()
    }

    enum Cancellation: CaseIterable { case withRoomForAll, withRoomForSome, isForced }

    /// A peer must not take a part for the whole.
    @Test(
        "sends what the stream takes before it is cancelled, and is reset if that was not all, or if it is forced",
        arguments: Cancellation.allCases)
    func end(cancellation: Cancellation) throws {
        scripted.send([1, 2, 3], isLast: true)
        scripted.transport.run()
        #expect(stream.written.isEmpty)
        stream.room = [.success(cancellation == .withRoomForSome ? 2 : 3)]
        scripted.connection.cancel(isForced: cancellation == .isForced)
        scripted.transport.run()
        let isWhole = cancellation == .withRoomForAll
        #expect(try scripted.recorder.next(2) == [isWhole ? "sent 3" : "sent 3: Operation canceled", "cancelled"])
        #expect(stream.written.count == (isWhole ? 3 : cancellation == .isForced ? 0 : 2))
        #expect(stream.isWritingClosed == isWhole)
        #expect(stream.closed == (isWhole ? nil : "reset"))
    }

    enum Ending: CaseIterable {
        case peerEnds, peerResets, manyBytes, time
    }

    @Test(
        "takes what is unread after it was cancelled, until the peer ends or a limit is reached",
        arguments: Ending.allCases)
    func unread(ending: Ending) throws {
        stream.incoming = [.success([1, 2, 3])]
        scripted.connection.cancel()
        scripted.transport.run()
        #expect(try scripted.recorder.next() == "cancelled")
        #expect(stream.isWritingClosed)
        #expect(stream.incoming.isEmpty)
        #expect(stream.closed == nil)
        #expect(scripted.transport.isOpen)
        switch ending {
        case .peerEnds:
            stream.incoming = [.success([4]), .success([])]
            stream.happen(.readable)
        case .peerResets:
            stream.incoming = [.failure(.connectionReset)]
            stream.happen([.readable, .failed])
        case .manyBytes:
            stream.incoming = Array(repeating: .success([UInt8](repeating: 7, count: Self.limit)), count: 3)
            for _ in 0..<3 { stream.happen(.readable) }
            #expect(stream.closed == nil)
            stream.incoming = [.success([UInt8](repeating: 7, count: Self.limit))]
            stream.happen(.readable)
        case .time:
            scripted.transport.advance(.seconds(29))
            #expect(stream.closed == nil)
            scripted.transport.advance(.seconds(1))
        }
        #expect(stream.closed == "in order")
        #expect(scripted.transport.timerCount == 0)
        #expect(!scripted.transport.isOpen)
    }
}

extension ScriptedStream {
    /// Reports the same events as long as the stream is watched, as epoll does, but not for ever.
    func happenRepeatedly(_ events: Epoll.Interest) {
        for _ in 0..<100 where watched != nil && closed == nil { happen(events) }
    }
}

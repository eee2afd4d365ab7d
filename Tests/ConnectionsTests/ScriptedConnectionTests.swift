// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import TestHosts
import TestWaiting
import Testing

@testable import ReachabilityConnections

@Suite("A scripted connection", .timeLimit(.minutes(10)))
struct ScriptedConnectionTests {
    @Test("tries the next address after 250 ms, and abandons the slower one")
    func race() throws {
        let scripted = ScriptedConnection()
        try scripted.start()
        let transport = scripted.transport
        transport.resolve(to: ScriptedConnection.six, ScriptedConnection.four)
        transport.advance(.milliseconds(249))
        #expect(transport.log == ["resolve", "connect 2001:db8::1"])
        transport.advance(.milliseconds(1))
        #expect(transport.log.last == "connect 192.0.2.1")
        transport.finish(ScriptedConnection.four, .success(ScriptedStream()))
        #expect(transport.log.last == "abandon 2001:db8::1")
        #expect(transport.timerCount == 0)
        #expect(try scripted.recorder.next(2) == ["ready", "viable"])
    }

    @Test("begins with the address that has a route")
    func order() throws {
        let scripted = ScriptedConnection()
        try scripted.start()
        let transport = scripted.transport
        transport.sources = [ScriptedConnection.four: .v4(IPv4Address(192, 0, 2, 2))]
        transport.resolving?(.addresses([ScriptedConnection.six, ScriptedConnection.four]))
        #expect(transport.log == ["resolve", "connect 192.0.2.1"])
        transport.advance(HappyEyeballs.attemptDelay)
        #expect(transport.log.last == "connect 2001:db8::1")
    }

    @Test("tries the next address at once if connecting fails at once")
    func immediateFailure() throws {
        let scripted = ScriptedConnection()
        scripted.transport.immediate = [
            ScriptedConnection.six: .system(.networkUnreachable), ScriptedConnection.four: .system(.connectionRefused),
        ]
        try scripted.start()
        scripted.transport.resolve(to: ScriptedConnection.six, ScriptedConnection.four)
        #expect(scripted.transport.log == ["resolve", "connect 2001:db8::1", "connect 192.0.2.1"])
        #expect(try scripted.recorder.next() == "waiting: Connection refused")
        #expect(scripted.transport.timerCount == 0)
    }

    @Test("waits after its time limit, with nothing under way")
    func timeLimit() throws {
        let scripted = ScriptedConnection(timeLimit: .seconds(5))
        try scripted.start()
        scripted.transport.resolve(to: ScriptedConnection.four)
        scripted.transport.advance(.seconds(5))
        #expect(try scripted.recorder.next() == "waiting: Connection timed out")
        #expect(scripted.transport.connecting.isEmpty)
        #expect(scripted.transport.log.last == "abandon 192.0.2.1")
        // The next attempt has the whole time again.
        scripted.connection.restart()
        scripted.transport.run()
        #expect(try scripted.recorder.next() == "preparing")
        #expect(scripted.transport.timerCount == 1)
    }

    @Test("tries again by itself when the route to the host comes back")
    func wayBack() throws {
        let scripted = ScriptedConnection()
        try scripted.start()
        scripted.transport.hostObserver?(.system(.networkDown))
        #expect(try scripted.recorder.next() == "waiting: Network is down")
        scripted.transport.hostObserver?(nil)
        #expect(try scripted.recorder.next() == "preparing")
        #expect(scripted.transport.log == ["resolve", "resolve"])
    }

    @Test("fails in order, with earlier requests, if its thread cannot be started")
    func noThread() throws {
        let scripted = ScriptedConnection()
        scripted.transport.openFailure = .system(.tooManyOpenFiles)
        scripted.send([1])
        scripted.connection.start(queue: scripted.recorder.queue)
        #expect(try scripted.recorder.next(2) == ["failed: Too many open files", "sent 1: Too many open files"])
        scripted.connection.cancel()
        #expect(try scripted.recorder.next() == "cancelled")
        scripted.connection.cancel()
        scripted.receive(1, 1)
        #expect(try scripted.recorder.next() == "received []: Operation canceled")
    }

    enum Stage: CaseIterable { case preparing, waiting, ready }

    @Test("fails with its thread, ends every request, and can then be cancelled", arguments: Stage.allCases)
    func failedThread(stage: Stage) throws {
        let scripted = ScriptedConnection()
        let (transport, recorder) = (scripted.transport, scripted.recorder)
        let stream = ScriptedStream()
        switch stage {
        case .preparing: try scripted.start()
        case .waiting:
            try scripted.start()
            transport.hostObserver?(.system(.networkDown))
            #expect(try recorder.next() == "waiting: Network is down")
        case .ready: _ = try scripted.connect(stream)
        }
        scripted.send([1])
        scripted.receive(1, 1)
        scripted.receive(2, 2)
        transport.run()
        // Between these two the thread takes nothing, but has not said so.
        transport.failure = .system(.badDescriptor)
        scripted.send([1, 2])
        scripted.connection.restart()
        transport.tellFailure()
        #expect(
            try recorder.next(5) == [
                "sent 1: Bad file descriptor", "received []: Bad file descriptor", "received []: Bad file descriptor",
                "failed: Bad file descriptor", "sent 2: Bad file descriptor",
            ])
        #expect(stream.closed == (stage == .ready ? "reset" : nil))
        #expect(transport.timerCount == 0 && transport.connecting.isEmpty && transport.hostObserver == nil)
        scripted.receive(3, 3)
        #expect(try recorder.next() == "received []: Bad file descriptor")
        scripted.connection.cancel()
        #expect(try recorder.next() == "cancelled")
        scripted.send([1])
        #expect(try recorder.next() == "sent 1: Operation canceled")
        #expect(!transport.isOpen)
    }

    @Test("is cancelled in the moment in which its thread fails")
    func cancelledWhileThreadFails() throws {
        let scripted = ScriptedConnection()
        try scripted.start()
        scripted.transport.failure = .system(.badDescriptor)
        scripted.send([1])
        scripted.connection.cancel()
        scripted.transport.tellFailure()
        #expect(
            try scripted.recorder.next(3) == [
                "failed: Bad file descriptor", "sent 1: Bad file descriptor", "cancelled",
            ])
        #expect(!scripted.transport.isOpen)
    }

    @Test("fails at its start if its thread has failed by then")
    func threadFailedBefore() throws {
        let scripted = ScriptedConnection()
        scripted.transport.failure = .system(.badDescriptor)
        scripted.send([1])
        scripted.connection.start(queue: scripted.recorder.queue)
        #expect(try scripted.recorder.next(2) == ["failed: Bad file descriptor", "sent 1: Bad file descriptor"])
        scripted.connection.cancel()
        #expect(try scripted.recorder.next() == "cancelled")
        #expect(!scripted.transport.isOpen)
    }

    @Test("does not wait for the peer's end if it is forced to end after it was cancelled", arguments: [false, true])
    func forcedAfterCancel(hasFailed: Bool) throws {
        let scripted = ScriptedConnection()
        let stream = try scripted.connect()
        scripted.connection.cancel()
        scripted.transport.run()
        #expect(try scripted.recorder.next() == "cancelled")
        #expect(stream.closed == nil && scripted.transport.isOpen)
        if hasFailed {
            scripted.transport.failure = .system(.badDescriptor)
            scripted.transport.tellFailure()
        } else {
            scripted.connection.cancel(isForced: true)
            scripted.transport.run()
        }
        #expect(stream.closed == (hasFailed ? "in order" : "reset"))
        #expect(!scripted.transport.isOpen)
        #expect(scripted.transport.timerCount == 0 && scripted.transport.failureObserverCount == 0)
        scripted.connection.cancel(isForced: true)
        scripted.transport.run()
        try scripted.recorder.queue.finish()
        #expect(scripted.recorder.untaken == 0)
        #expect(scripted.transport.log.count { $0 == "close" } == 1)
    }

    @Test("ends a trial when its thread fails, and begins none there", arguments: [false, true])
    func failedTrial(hasFailedBefore: Bool) throws {
        let (transport, recorder) = (ScriptedTransport(), Recorder())
        if hasFailedBefore { transport.failure = .system(.badDescriptor) }
        func begin() throws(ConnectionFailure) -> CancellationToken {
            try ConnectionTrial.begin(transport, timeLimit: .seconds(1)) {
                recorder.record($0.map(Recorder.words) ?? "connected")
            }
        }
        if hasFailedBefore {
            #expect(throws: ConnectionFailure.system(.badDescriptor)) { try begin() }
        } else {
            let trial = try begin()
            transport.run()
            transport.resolve(to: ScriptedConnection.four)
            transport.failure = .system(.badDescriptor)
            transport.tellFailure()
            #expect(try recorder.next() == "Bad file descriptor")
            #expect(transport.connecting.isEmpty && transport.timerCount == 0)
            trial.cancel()
        }
        #expect(!transport.isOpen)
        #expect(transport.log.count { $0 == "close" } == 1)
    }

    @Test("may be started and cancelled by many threads at once, and reports its end once", arguments: [false, true])
    func concurrentEnd(isStarted: Bool) throws {
        for _ in 0..<200 {
            let scripted = ScriptedConnection(refusal: .system(.protocolNotSupported))
            scripted.transport.openFailure = .system(.protocolNotSupported)
            scripted.send([1])
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                if isStarted, thread == 0 {
                    scripted.connection.start(queue: scripted.recorder.queue)
                } else {
                    scripted.connection.cancel()
                }
            }
            var lines: [String] = []
            while lines.last != "cancelled" { lines.append(try scripted.recorder.next()) }
            #expect(lines.contains { $0.hasPrefix("sent 1: ") })
            #expect(scripted.recorder.untaken == 0)
        }
    }

    @Test("sends what was given before it was ready, in order and in pieces")
    func sending() throws {
        let scripted = ScriptedConnection()
        let stream = ScriptedStream()
        stream.room = [.success(2)]
        scripted.send([1, 2, 3])
        scripted.send([4])
        _ = try scripted.connect(stream)
        #expect(stream.written == [1, 2])
        #expect(stream.watched == .writable)
        stream.room = [.success(10), .success(10)]
        stream.happen(.writable)
        #expect(try scripted.recorder.next(2) == ["sent 3", "sent 1"])
        #expect(stream.written == [1, 2, 3, 4])
        #expect(stream.watched == [])
    }

    @Test("ends the stream after the last content, and takes nothing after that")
    func lastContent() throws {
        let scripted = ScriptedConnection()
        let stream = try scripted.connect()
        stream.room = [.success(10)]
        scripted.send([1], isLast: true)
        scripted.send([2])
        scripted.transport.run()
        #expect(try scripted.recorder.next(2) == ["sent 1", "sent 1: Broken pipe"])
        #expect(stream.isWritingClosed)
        #expect(stream.written == [1])
    }

    @Test("tells what was sent after the last content later than that, which waits")
    func lateContent() throws {
        let scripted = ScriptedConnection()
        let stream = try scripted.connect()
        scripted.send([1, 2], isLast: true)
        scripted.send([3])
        scripted.transport.run()
        try scripted.recorder.queue.finish()
        #expect(scripted.recorder.untaken == 0)
        stream.room = [.success(2)]
        stream.happen(.writable)
        #expect(try scripted.recorder.next(2) == ["sent 2", "sent 1: Broken pipe"])
        #expect(stream.written == [1, 2])
    }

    @Test("leaves the bytes and the end to the next when a receive asks for nothing")
    func nothing() throws {
        let scripted = ScriptedConnection()
        let stream = try scripted.connect()
        stream.incoming = [.success([1]), .success([])]
        scripted.receive(0, 0)
        scripted.receive(1, 8)
        scripted.receive(0, -1)
        scripted.receive(1, 8)
        scripted.receive(0, 0)
        scripted.receive(1, 8)
        scripted.transport.run()
        #expect(
            try scripted.recorder.next(6) == [
                "received []", "received [1]", "received []", "received [] end", "received []",
                "received [] end: No data available",
            ])
    }

    @Test("calls back in order and one at a time, also on a concurrent queue")
    func concurrentQueue() throws {
        let scripted = ScriptedConnection()
        let stream = ScriptedStream()
        stream.room = [.success(1)]
        let (entered, hold, recorder) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Recorder())
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        scripted.connection.send([1]) { _ in
            entered.signal()
            try? hold.wait(for: "the second to be delivered, or not")
            recorder.record("first")
        }
        scripted.connection.send([2]) { _ in recorder.record("second") }
        scripted.connection.start(queue: queue)
        scripted.transport.run()
        scripted.transport.resolve(to: ScriptedConnection.four)
        scripted.transport.finish(ScriptedConnection.four, .success(stream))
        try entered.wait(for: "the queue to come to it")
        // The second is delivered while the first runs. What is put on the queue now comes after it.
        stream.room = [.success(1)]
        stream.happen(.writable)
        for _ in 0..<10 {
            queue.async { entered.signal() }
            try entered.wait(for: "the queue to come to it")
        }
        hold.signal()
        #expect(try recorder.next(2) == ["first", "second"])
        scripted.connection.cancel()
        scripted.transport.run()
    }

    @Test("reads only what is requested, and joins pieces")
    func receiving() throws {
        let scripted = ScriptedConnection()
        let stream = try scripted.connect()
        stream.incoming = [.success([1, 2, 3, 4]), .success([5])]
        #expect(stream.watched == [])
        scripted.receive(1, 2)
        scripted.receive(3, 8)
        scripted.transport.run()
        #expect(try scripted.recorder.next(2) == ["received [1, 2]", "received [3, 4, 5]"])
        #expect(stream.incoming.isEmpty)
        scripted.receive(2, 8)
        scripted.transport.run()
        #expect(stream.watched == .readable)
        stream.incoming = [.success([6]), .success([])]
        stream.happen(.readable)
        #expect(try scripted.recorder.next() == "received [6] end")
        scripted.receive(1, 8)
        scripted.transport.run()
        #expect(try scripted.recorder.next() == "received [] end: No data available")
        // The peer's end does not end the connection.
        #expect(scripted.connection.state == .ready)
    }

    @Test("delivers what came before a reset")
    func reset() throws {
        let scripted = ScriptedConnection()
        let stream = try scripted.connect()
        scripted.receive(4, 8)
        scripted.receive(1, 8)
        scripted.transport.run()
        stream.incoming = [.success([1, 2]), .failure(.connectionReset)]
        stream.happen([.readable, .failed])
        #expect(
            try scripted.recorder.next(3) == [
                "received [1, 2]: Connection reset by peer", "received []: Connection reset by peer",
                "failed: Connection reset by peer",
            ])
        #expect(stream.closed == "in order")
    }

    @Test("reports a reset without a send or receive")
    func silentReset() throws {
        let scripted = ScriptedConnection()
        let stream = try scripted.connect()
        stream.error = .timedOut
        stream.happen(.failed)
        #expect(try scripted.recorder.next() == "failed: Connection timed out")
    }

    @Test("stops watching when both directions have ended, and still reads what is there")
    func bothEnded() throws {
        let scripted = ScriptedConnection()
        let stream = try scripted.connect()
        stream.happen(.failed)
        #expect(stream.watched == nil)
        #expect(scripted.connection.state == .ready)
        stream.incoming = [.success([7]), .success([])]
        scripted.receive(2, 8)
        scripted.transport.run()
        #expect(try scripted.recorder.next() == "received [7] end")
    }

    /// A client whose completions ask for more work would otherwise keep its queue for itself.
    @Test("lets other blocks of the client's queue run between its callbacks")
    func oneCallbackForEachBlock() throws {
        let scripted = ScriptedConnection()
        let (recorder, client) = (scripted.recorder, scripted.connection.client)
        client.begin(on: recorder.queue)
        recorder.queue.suspend()
        for number in 1...3 { client.deliver { recorder.record("callback \(number)") } }
        recorder.queue.async { recorder.record("another block") }
        recorder.queue.resume()
        #expect(try recorder.next(4) == ["callback 1", "another block", "callback 2", "callback 3"])
    }

    @Test("is released after it was cancelled")
    func release() throws {
        weak var connection: Connection?
        weak var transport: ScriptedTransport?
        do {
            let scripted = ScriptedConnection()
            let stream = try scripted.connect()
            (connection, transport) = (scripted.connection, scripted.transport)
            scripted.connection.client.setObserver { [scripted] event in
                scripted.recorder.record(Recorder.words(event))
            }
            scripted.receive(1, 1)
            scripted.transport.run()
            stream.incoming = [.success([])]
            scripted.connection.cancel()
            scripted.transport.run()
            #expect(try scripted.recorder.next(2) == ["received []: Operation canceled", "cancelled"])
            #expect(stream.closed == "in order")
            // The block with the last call puts the one that releases the observer on the queue.
            for _ in 1...2 { try scripted.recorder.queue.finish() }
        }
        #expect(connection == nil)
        #expect(transport == nil)
    }
}

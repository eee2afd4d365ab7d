// SPDX-License-Identifier: Apache-2.0

import Connections
import Dispatch
import Glibc
import LinuxSystem
import NetworkFacts
import ReachabilityKit
import Synchronization
import TestHosts
import TestTopology
import Testing

@Suite("A lot of data, or of connections", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct BulkTests {
    /// Takes an echo in small pieces, each asked for when the one before it has come, and compares it.
    final class SlowReader: Sendable {
        let block: [UInt8]
        let total: Int
        let outcome = Mutex<String?>(nil)
        let done = DispatchSemaphore(value: 0)
        private let received = Mutex(0)

        init(block: [UInt8], total: Int) {
            self.block = block
            self.total = total
        }

        func read(_ connection: Connection) {
            connection.receive(minimum: 1, maximum: 10_007) { [self] content in
                let position = received.withLock(\.self)
                let start = position % block.count
                let expected = block[start...] + block[..<start]
                guard content.failure == nil, expected.prefix(content.bytes.count).elementsEqual(content.bytes) else {
                    return finish("wrong after \(position) bytes: \(content.failure as Any)")
                }
                received.withLock { $0 += content.bytes.count }
                if content.isEnd { return finish("end after \(position + content.bytes.count)") }
                read(connection)
            }
        }

        private func finish(_ text: String) {
            outcome.withLock { $0 = text }
            done.signal()
        }
    }

    @Test(
        "64 MiB come back from socat as they were sent, to a slow reader",
        .enabled(if: unsafe access("/usr/bin/socat", X_OK) == 0, "socat is not installed"))
    func echo() throws {
        let hosts = try TwoHosts()
        let server = try hosts.server.run {
            // In pieces of PIPE_BUF: socat's one thread would block for good in a larger write to a pipe that is almost
            // full, since nobody but itself empties it.
            try ChildProcess("/usr/bin/socat", ["-d", "-d", "-b", "4096", "TCP-LISTEN:7,reuseaddr", "PIPE"])
        }
        defer { server.end() }
        server.waitForOutput("listening on")
        let recorder = Recorder()
        let connection = try hosts.connection(port: 7)
        hosts.start(connection, recorder)
        #expect(try recorder.next(3) == ["preparing", "ready", "viable"])

        var generator = SystemRandomNumberGenerator()
        // No multiple of anything that buffers are made of.
        let block = (0..<1_048_583).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let count = 64
        let reader = SlowReader(block: block, total: block.count * count)
        for index in 0..<count {
            connection.send(block, isLast: index == count - 1) { failure in
                if let failure { recorder.record("not sent: \(failure)") }
            }
        }
        reader.read(connection)
        #expect(reader.done.wait(timeout: .now() + 180) == .success)
        #expect(reader.outcome.withLock(\.self) == "end after \(block.count * count)")
        connection.cancel()
        #expect(try recorder.next() == "cancelled")
    }

    @Test(
        "a thousand connections leave nothing behind",
        .enabled(if: unsafe getenv("REACHABILITY_FULL") != nil, "part of the full counts"))
    func thousand() async {
        // In a process of its own, where nobody else opens anything.
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let hosts = try TwoHosts()
            let listener = try hosts.listen()
            // Keeps the engine, which is not what is counted here.
            let keeper = try hosts.connection(port: listener.port)
            let keeping = Recorder()
            hosts.start(keeper, keeping)
            let keepersPeer = try listener.accept()
            _ = try keeping.next(3)
            var all: [WeakConnection] = []
            func round(_ count: Int) throws {
                for _ in 0..<(count / 50) {
                    var together: [(connection: Connection, recorder: Recorder)] = []
                    for _ in 0..<50 {
                        let recorder = Recorder(queue: keeping.queue)
                        let connection = try hosts.connection(port: listener.port)
                        all.append(WeakConnection(connection: connection))
                        hosts.start(connection, recorder)
                        together.append((connection, recorder))
                    }
                    let peers = try together.map { _ in try listener.accept() }
                    for (connection, recorder) in together {
                        _ = try recorder.next(3)
                        connection.receive(minimum: 1, maximum: 1) { _ in }
                        connection.cancel()
                    }
                    for (_, recorder) in together { while try recorder.next() != "cancelled" {} }
                    precondition(peers.allSatisfy { $0.seesEnd() })
                }
            }
            try round(200)
            let before = (descriptors: openDescriptors(), memory: residentBytes())
            try round(1000)
            let after = (descriptors: openDescriptors(), memory: residentBytes())
            print(
                "descriptors \(before.descriptors) -> \(after.descriptors), bytes \(before.memory) -> \(after.memory)")
            precondition(after.descriptors <= before.descriptors)
            keeper.cancel()
            precondition(keepersPeer.seesEnd())
            // The last ones' handlers may still be on their way out. A kilobyte of each would be a megabyte. All have one
            // queue, as libdispatch itself keeps some memory of each.
            precondition(all.dropLast(50).allSatisfy { $0.connection == nil })
            // A sanitizer keeps what was freed.
            guard dlsym(nil, "__sanitizer_set_report_fd") == nil else { return }
            precondition(after.memory < before.memory + (512 << 10), "\(after.memory - before.memory) bytes more")
        }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
    }
}

private func openDescriptors() -> Int {
    (0..<Int32(4096)).count { fcntl($0, F_GETFD) >= 0 }
}

/// The memory of this process that is in use, in bytes (proc(5), statm).
private func residentBytes() -> Int {
    let text = (try? Files.contents(of: "/proc/self/statm")).map { String(decoding: $0, as: UTF8.self) }
    return (text?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
}

private struct WeakConnection {
    weak var connection: Connection?
}

/// Says when nobody holds it any more.
final class Witness: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
}

@Suite("The end of a connection", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct CancellationTests {
    enum Place: String, CaseIterable, Sendable {
        case setup, preparing, waiting, ready, failed, cancelled
    }

    @Test("comes in every state, once, and fails what is asked for", arguments: Place.allCases)
    func everywhere(place: Place) throws {
        let hosts = try TwoHosts()
        let listener = try hosts.listen()
        let recorder = Recorder()
        if place == .preparing { try hosts.silence() }
        let port = place == .waiting ? 9 : listener.port
        let connection = try hosts.connection(port: port)
        let recorded = recorder
        let witness = Witness { recorded.record("let go") }
        recorder.attach(to: connection, holding: witness)
        _ = consume witness
        if place != .setup { hosts.client.run { connection.start(queue: recorder.queue) } }
        switch place {
        case .setup: break
        case .preparing: #expect(try recorder.next() == "preparing")
        case .waiting: #expect(try recorder.next(2) == ["preparing", "waiting: Connection refused"])
        case .ready: #expect(try recorder.next(3) == ["preparing", "ready", "viable"])
        case .failed:
            let peer = try listener.accept()
            #expect(try recorder.next(3) == ["preparing", "ready", "viable"])
            peer.reset()
            #expect(try recorder.next() == "failed: Connection reset by peer")
        case .cancelled:
            connection.cancel()
            #expect(try recorder.next(1) == ["preparing"])
            while try recorder.next() != "cancelled" {}
            #expect(try recorder.next() == "let go")
        }
        connection.receive(minimum: 1, maximum: 1) { content in
            recorder.record("received: \(content.failure.map(Recorder.words) ?? "")")
        }
        connection.cancel()
        connection.cancel(isForced: true)
        let told = place == .failed ? "received: Connection reset by peer" : "received: Operation canceled"
        if place == .cancelled {
            #expect(try recorder.next() == told)
            #expect(recorder.untaken == 0)
            return
        }
        #expect(try recorder.next(2) == [told, "cancelled"])
        #expect(connection.state == .cancelled)
        #expect(try recorder.next() == "let go")
        #expect(recorder.untaken == 0)
    }
}

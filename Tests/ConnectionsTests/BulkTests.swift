// SPDX-License-Identifier: Apache-2.0

import CAllocationCount
import Dispatch
import Glibc
import ReachabilityLinuxSystem
import ReachabilityNetlink
import Synchronization
import TestTopology
import Testing

@testable import ReachabilityConnections
@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("A lot of data, or of connections", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct BulkTests {
    /// Receives an echo in small pieces, one after the other, and compares it.
    final class SlowReader: Sendable {
        /// The block that is sent repeatedly, and the beginning of the next that a piece may overlap.
        private let expected: [UInt8]
        private let period: Int
        private static let piece = 10_007
        let outcome = Mutex<String?>(nil)
        let done = DispatchSemaphore(value: 0)
        private let received = Mutex(0)

        init(_ block: [UInt8]) {
            expected = block + block.prefix(Self.piece)
            period = block.count
        }

        func read(_ connection: Connection) {
            connection.receive(minimum: 1, maximum: Self.piece) { [self] content in
                let position = received.withLock(\.self)
                let start = position % period
                guard content.failure == nil, expected[start..<start + content.bytes.count] == content.bytes[...] else {
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
        // In pieces of PIPE_BUF: socat's only thread would block for ever in a larger write to an almost full pipe, as only it empties
        // the pipe.
        let words = ["/usr/bin/socat", "-d", "-d", "-b", "4096", "TCP-LISTEN:7,reuseaddr", "PIPE"]
        let server = try RunningProgram(words, in: hosts.server)
        defer { server.end() }
        try server.waitForOutput("listening on")
        let recorder = Recorder()
        let connection = try hosts.connection(port: 7)
        hosts.start(connection, recorder)
        #expect(try recorder.next(3) == ["preparing", "ready", "viable"])

        var generator = SeededGenerator(seed: 64)
        // A multiple of no buffer size.
        let block = (0..<1_048_583).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let count = 64
        let reader = SlowReader(block)
        for index in 0..<count {
            connection.send(block, isLast: index == count - 1) { failure in
                if let failure { recorder.record("not sent: \(failure)") }
            }
        }
        reader.read(connection)
        #expect(reader.done.wait(timeout: .now() + 300) == .success)
        #expect(reader.outcome.withLock(\.self) == "end after \(block.count * count)")
        connection.cancel()
        #expect(try recorder.next() == "cancelled")
    }

    @Test("a thousand connections leave nothing behind")
    func thousand() async throws {
        // In a separate process, where nothing else opens descriptors.
        await #expect(processExitsWith: .success) {
            // In a thousand connections. No allocation takes less than 32 bytes (MINSIZE in malloc/malloc.c). What grows meanwhile,
            // and then no more, is what libdispatch's threads keep: each up to a thousand small allocations. (Under a sanitizer all
            // numbers are 0.)
            let leastLeak = 32_000
            let hosts = try TwoHosts()
            let listener = try hosts.listen()
            // Keeps the engine running, which is not counted here.
            let keeper = try hosts.connection(port: listener.port)
            let keeping = Recorder()
            hosts.start(keeper, keeping)
            let keepersPeer = try listener.accept()
            _ = try keeping.next(3)
            var all: [Remains] = []
            all.reserveCapacity(200)
            func connectMany() throws {
                for _ in 0..<4 {
                    var together: [(connection: Connection, recorder: Recorder)] = []
                    for _ in 0..<50 {
                        // One queue for all, as libdispatch keeps some memory of each.
                        let recorder = Recorder(queue: keeping.queue)
                        let made = try hosts.madeConnection(port: listener.port)
                        let connection = made.connection
                        all.append(Remains(of: made))
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
                // Some may still be referenced by the client's queue or the engine's thread. Reaching the limit means a
                // leak.
                try WaitLimit.wait(for: "the cancelled connections to be released") { all.allSatisfy(\.areGone) }
                // A weak reference keeps some memory of its object.
                all.removeAll(keepingCapacity: true)
            }
            // Fill the pool of lookup sockets: it grows when threads ask at the same moment.
            let kernel = try hosts.client.run { try ReachabilityRef(address: "10.0.0.2") }.namespace.kernel()
            try kernel.lendRouteClients(1 + KernelAccess.idleLimit)
            try connectMany()
            let descriptors = openDescriptorCount()
            var bytes = [Int(allocated_bytes())]
            var growth: Int { bytes.count > 5 ? bytes[bytes.count - 1] - bytes[bytes.count - 6] : .max }
            for _ in 0..<60 where growth.magnitude > leastLeak / 2 {
                try connectMany()
                bytes.append(Int(allocated_bytes()))
            }
            // A weak reference is nil from the beginning of its object's deinit, a moment before that closes its
            // socket.
            try WaitLimit.wait(for: "the sockets to be closed") { openDescriptorCount() <= descriptors }
            try #require(growth.magnitude <= leastLeak / 2, "\(bytes)")
            keeper.cancel()
            precondition(keepersPeer.seesEnd())
        }
    }
}

/// Weak references to the parts of a connection.
private struct Remains {
    private weak var connection: Connection?
    private weak var client: ConnectionClient?
    private weak var transport: SystemTransport?
    private weak var reference: ReachabilityRef?

    init(of made: (connection: Connection, transport: SystemTransport)) {
        connection = made.connection
        client = made.connection.client
        transport = made.transport
        reference = made.transport.reference
    }

    var areGone: Bool { connection == nil && client == nil && transport == nil && reference == nil }
}

/// Calls a closure when it is released.
final class Witness: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
}

@Suite("The end of a connection", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct CancellationTests {
    enum Moment: String, CaseIterable, Sendable {
        case setup, preparing, waiting, ready, failed, cancelled
    }

    @Test("is possible in every state, comes once, and fails open requests", arguments: Moment.allCases)
    func everywhere(moment: Moment) throws {
        let hosts = try TwoHosts()
        let listener = try hosts.listen()
        let recorder = Recorder()
        if moment == .preparing { try hosts.silence() }
        let port = moment == .waiting ? 9 : listener.port
        let connection = try hosts.connection(port: port)
        let recorded = recorder
        let witness = Witness { recorded.record("released") }
        recorder.attach(to: connection, holding: witness)
        _ = consume witness
        if moment != .setup { hosts.client.run { connection.start(queue: recorder.queue) } }
        switch moment {
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
            #expect(try recorder.next() == "released")
        }
        connection.receive(minimum: 1, maximum: 1) { content in
            recorder.record("received: \(content.failure.map(Recorder.words) ?? "")")
        }
        connection.cancel()
        connection.cancel(isForced: true)
        let expected = moment == .failed ? "received: Connection reset by peer" : "received: Operation canceled"
        if moment == .cancelled {
            #expect(try recorder.next() == expected)
            #expect(recorder.untaken == 0)
            return
        }
        #expect(try recorder.next(2) == [expected, "cancelled"])
        #expect(connection.state == .cancelled)
        #expect(try recorder.next() == "released")
        #expect(recorder.untaken == 0)
    }
}

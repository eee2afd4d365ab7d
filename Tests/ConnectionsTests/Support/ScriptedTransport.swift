// SPDX-License-Identifier: Apache-2.0

import Connections
import LinuxSystem
import NetworkFacts
import Synchronization

/// A transport whose thread is the test's, and on which nothing happens unless the test makes it happen.
final class ScriptedTransport: ConnectionTransport, @unchecked Sendable {  // used by one thread
    struct Task: ConnectionTask {
        let body: () -> Void
        func cancel() { body() }
    }

    /// What was asked of it, in order.
    private(set) var log: [String] = []
    private let inbox = Mutex<[@Sendable () -> Void]>([])
    private(set) var isOpen = false
    var openFailure: ConnectionFailure?
    private(set) var now = Duration.zero
    private var timers: [(id: Int, moment: Duration, work: () -> Void)] = []
    private var numbers = 0
    private(set) var resolving: (@Sendable (ResolutionProgress) -> Void)?
    private(set) var connecting: [IPAddress: (Result<any ConnectionStream, ConnectionFailure>) -> Void] = [:]
    /// Where packets would be sent from; nowhere else is there a way to.
    var sources: [IPAddress: IPAddress] = [:]
    /// Addresses that fail inside the call.
    var immediate: [IPAddress: ConnectionFailure] = [:]
    private(set) var following: (@Sendable (ConnectionFailure?) -> Void)?
    private(set) var followingStream: (@Sendable (Bool) -> Void)?

    // MARK: The transport

    func open() throws(ConnectionFailure) {
        if let openFailure { throw openFailure }
        isOpen = true
    }

    func close() {
        log.append("close")
        isOpen = false
    }

    func enqueue(_ work: @escaping @Sendable () -> Void) { inbox.withLock { $0.append(work) } }

    func schedule(after delay: Duration, _ work: @escaping () -> Void) -> any ConnectionTask {
        numbers += 1
        let number = numbers
        timers.append((number, now + delay, work))
        return Task { [self] in timers.removeAll { $0.id == number } }
    }

    func resolve(_ tell: @escaping @Sendable (ResolutionProgress) -> Void) -> any ConnectionTask {
        log.append("resolve")
        resolving = tell
        return Task { [self] in resolving = nil }
    }

    func source(towards destination: IPAddress) -> IPAddress? { sources[destination] }

    func connect(
        to address: IPAddress, _ finished: @escaping (Result<any ConnectionStream, ConnectionFailure>) -> Void
    ) -> any ConnectionTask {
        log.append("connect \(address)")
        if let failure = immediate[address] {
            finished(.failure(failure))
            return Task {}
        }
        connecting[address] = finished
        return Task { [self] in
            log.append("abandon \(address)")
            connecting[address] = nil
        }
    }

    func follow(_ tell: @escaping @Sendable (ConnectionFailure?) -> Void) -> any ConnectionTask {
        following = tell
        return Task { [self] in following = nil }
    }

    func follow(_ stream: any ConnectionStream, _ tell: @escaping @Sendable (Bool) -> Void) -> any ConnectionTask {
        followingStream = tell
        return Task { [self] in followingStream = nil }
    }

    // MARK: The test's part

    /// Does what was enqueued.
    func run() {
        while true {
            let work = inbox.withLock { inbox in
                defer { inbox = [] }
                return inbox
            }
            if work.isEmpty { return }
            for item in work { item() }
        }
    }

    /// Lets time pass; timers that fall due fire in order.
    func advance(_ duration: Duration) {
        let end = now + duration
        while let next = timers.filter({ $0.moment <= end }).min(by: { ($0.moment, $0.id) < ($1.moment, $1.id) }) {
            timers.removeAll { $0.id == next.id }
            now = next.moment
            next.work()
        }
        now = end
    }

    var timerCount: Int { timers.count }

    func finish(_ address: IPAddress, _ outcome: Result<any ConnectionStream, ConnectionFailure>) {
        connecting.removeValue(forKey: address)?(outcome)
    }
}

/// A stream that gives and takes what the test says.
final class ScriptedStream: ConnectionStream {
    /// Bytes in pieces; an empty piece is the end of the stream.
    var incoming: [Result<[UInt8], Errno>] = []
    /// How many bytes each write takes; nothing more is taken when there are none.
    var room: [Result<Int, Errno>] = []
    private(set) var written: [UInt8] = []
    private(set) var isWritingClosed = false
    private(set) var closed: String?
    var error: Errno?
    private(set) var watched: StreamEvents?
    private var tell: (StreamEvents) -> Void = { _ in }

    let localEnd = StreamSocket.End(address: [192, 0, 2, 100], port: 50000, scope: 0)
    let remoteEnd = StreamSocket.End(address: [192, 0, 2, 1], port: 80, scope: 0)

    func watch(_ events: StreamEvents?, _ tell: @escaping (StreamEvents) -> Void) throws(Errno) {
        watched = events
        self.tell = tell
    }

    func happen(_ events: StreamEvents) { tell(events) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        guard !incoming.isEmpty else { throw .wouldBlock }
        let piece = try incoming.removeFirst().get()
        let count = min(piece.count, buffer.count)
        unsafe buffer.copyBytes(from: piece.prefix(count))
        if count < piece.count { incoming.insert(.success(Array(piece.dropFirst(count))), at: 0) }
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
        guard !room.isEmpty else { throw .wouldBlock }
        let count = min(try room.removeFirst().get(), bytes.count)
        unsafe written += bytes.prefix(count)
        return count
    }

    func closeWriting() throws(Errno) { isWritingClosed = true }

    func takeError() -> Errno? {
        defer { error = nil }
        return error
    }

    func close(isReset: Bool) { closed = isReset ? "reset" : "in order" }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityConnections
import ReachabilityKit
import ReachabilityLinuxSystem
import Synchronization

/// A transport on the test's thread, whose events the test makes.
final class ScriptedTransport: ConnectionTransport, @unchecked Sendable {  // used by one thread
    /// The calls, in order.
    private(set) var log: [String] = []
    private let queue = Mutex<[@Sendable () -> Void]>([])
    /// Why no work is taken any more.
    var failure: ConnectionFailure?
    private var failureObservers: [Int: (ConnectionFailure) -> Void] = [:]
    private(set) var isOpen = false
    var openFailure: ConnectionFailure?
    private(set) var now = Duration.zero
    private var timers: [(id: Int, moment: Duration, work: () -> Void)] = []
    private var numbers = 0
    private(set) var resolving: (@Sendable (ResolutionProgress) -> Void)?
    private(set) var connecting: [IPAddress: (Result<any ConnectionStream, ConnectionFailure>) -> Void] = [:]
    /// The source address for each destination; there is no route to others.
    var sources: [IPAddress: IPAddress] = [:]
    /// Addresses to which connecting fails at once.
    var immediate: [IPAddress: ConnectionFailure] = [:]
    private(set) var hostObserver: (@Sendable (ConnectionFailure?) -> Void)?
    private(set) var streamObserver: (@Sendable (SocketFate.State) -> Void)?

    // MARK: The transport

    func open() throws(ConnectionFailure) {
        if let openFailure { throw openFailure }
        isOpen = true
    }

    func close() {
        log.append("close")
        isOpen = false
    }

    func enqueue(_ work: @escaping @Sendable () -> Void) throws(ConnectionFailure) {
        if let failure { throw failure }
        queue.withLock { $0.append(work) }
    }

    func whenFailed(_ report: @escaping (ConnectionFailure) -> Void) -> CancellationToken {
        numbers += 1
        let number = numbers
        failureObservers[number] = report
        return CancellationToken { [self] in failureObservers[number] = nil }
    }

    func schedule(after delay: Duration, _ work: @escaping () -> Void) -> CancellationToken {
        numbers += 1
        let number = numbers
        timers.append((number, now + delay, work))
        return CancellationToken { [self] in timers.removeAll { $0.id == number } }
    }

    func resolve(_ report: @escaping @Sendable (ResolutionProgress) -> Void) -> CancellationToken {
        log.append("resolve")
        resolving = report
        return CancellationToken { [self] in resolving = nil }
    }

    func source(towards destination: IPAddress) -> IPAddress? { sources[destination] }

    func connect(
        to address: IPAddress, _ finished: @escaping (Result<any ConnectionStream, ConnectionFailure>) -> Void
    ) -> CancellationToken {
        log.append("connect \(address)")
        if let failure = immediate[address] {
            finished(.failure(failure))
            return CancellationToken {}
        }
        connecting[address] = finished
        return CancellationToken { [self] in
            log.append("abandon \(address)")
            connecting[address] = nil
        }
    }

    func observeHost(_ report: @escaping @Sendable (ConnectionFailure?) -> Void) -> CancellationToken {
        hostObserver = report
        return CancellationToken { [self] in hostObserver = nil }
    }

    func observe(
        _ stream: any ConnectionStream, _ report: @escaping @Sendable (SocketFate.State) -> Void
    ) -> CancellationToken {
        streamObserver = report
        return CancellationToken { [self] in streamObserver = nil }
    }

    // MARK: The test's part

    /// Runs the enqueued work.
    func run() {
        while true {
            let work = queue.withLock { queue in
                defer { queue = [] }
                return queue
            }
            if work.isEmpty { return }
            for item in work { item() }
        }
    }

    /// Fails as an event loop does, which has taken no work since it has a `failure`.
    func tellFailure() {
        let observers = failureObservers
        failureObservers = [:]
        for observer in observers.values { if let failure { observer(failure) } }
    }

    var failureObserverCount: Int { failureObservers.count }

    /// Advances the time, and fires the due timers in order.
    func advance(_ duration: Duration) {
        let end = now + duration
        while let next = timers.filter({ $0.moment <= end }).min(by: { ($0.moment, $0.id) < ($1.moment, $1.id) }) {
            timers.removeAll { $0.id == next.id }
            now = next.moment
            next.work()
        }
        now = end
    }

    /// Tells all addresses of the host.
    func resolve(to addresses: IPAddress...) {
        resolving?(.addresses(addresses))
        resolving?(.ended(nil))
    }

    var timerCount: Int { timers.count }

    func finish(_ address: IPAddress, _ outcome: Result<any ConnectionStream, ConnectionFailure>) {
        connecting.removeValue(forKey: address)?(outcome)
    }
}

/// A stream whose transfers the test scripts.
final class ScriptedStream: ConnectionStream {
    /// Bytes in pieces; an empty piece is the end of the stream.
    var incoming: [Result<[UInt8], Errno>] = []
    /// How many bytes each write takes. Without one, a write takes nothing.
    var room: [Result<Int, Errno>] = []
    private(set) var written: [UInt8] = []
    private(set) var isWritingClosed = false
    private(set) var closed: String?
    var error: Errno?
    private(set) var watched: Epoll.Interest?
    private var report: (Epoll.Interest) -> Void = { _ in }

    let localEnd = InternetSocket.End(.v4(IPv4Address(192, 0, 2, 100)), port: 50000)
    let remoteEnd = InternetSocket.End(.v4(IPv4Address(192, 0, 2, 1)), port: 80)

    func watch(_ events: Epoll.Interest?, _ report: @escaping (Epoll.Interest) -> Void) throws(Errno) {
        watched = events
        self.report = report
    }

    func happen(_ events: Epoll.Interest) { report(events) }

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

    func close(isReset: Bool) {
        closed = isReset ? "reset" : "in order"
        report = { _ in }
    }
}

extension [UInt8]: ConnectionContent {
    func withBytes<Result>(
        from offset: Int, _ body: (UnsafeRawBufferPointer) throws(Errno) -> Result
    ) throws(Errno) -> Result {
        let outcome = unsafe withUnsafeBytes { buffer in
            Swift.Result { () throws(Errno) in
                unsafe try body(UnsafeRawBufferPointer(rebasing: buffer[offset...]))
            }
        }
        return try outcome.get()
    }
}

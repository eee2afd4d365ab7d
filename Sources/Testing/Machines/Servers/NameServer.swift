// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
import ReachabilityNetlink

/// A name server that follows a script. It serves UDP and TCP on one port, with one thread.
public final class NameServer: RunningServer {
    /// A received question.
    package struct Question: Hashable, Sendable {
        package let name: String
        package let type: UInt16
        package let isTCP: Bool

        package var isA: Bool { type == 1 }
    }

    /// The reaction to a question. A list of addresses is an answer, too.
    public struct Answer: Sendable, ExpressibleByArrayLiteral {
        /// Makes the messages to send from the question and its message.
        fileprivate let replies: @Sendable (Question, [UInt8]) -> [[UInt8]]
        /// Whether they are sent when ``NameServer/release()`` is called.
        fileprivate var isHeld = false

        package init(_ replies: @escaping @Sendable (Question, [UInt8]) -> [[UInt8]]) { self.replies = replies }

        /// The addresses of a name.
        ///
        /// - Parameter ttl: the number of seconds for which they may be cached.
        public static func addresses(_ addresses: [String], ttl: UInt32 = 60) -> Answer {
            Answer { question, query in
                let read = addresses.compactMap { try? IPAddress(reading: $0) }
                // A text that is not an address is a mistake of the test, which the client sees as a server failure.
                guard read.count == addresses.count else { return [DNSMessage.reply(to: query, rcode: 2)] }
                let records = read.map { DNSMessage.Record.address(question.name, $0, ttl: ttl) }
                return [DNSMessage.reply(to: query, records: records.filter { $0.type == question.type })]
            }
        }

        /// The addresses of a name, which may be cached for a minute.
        public init(arrayLiteral addresses: String...) { self = .addresses(addresses) }

        /// There is no such name (NXDOMAIN).
        public static let noSuchName = Answer { _, query in [DNSMessage.reply(to: query, rcode: 3)] }
        /// The server could not find an answer (SERVFAIL).
        public static let serverFailure = Answer { _, query in [DNSMessage.reply(to: query, rcode: 2)] }
        /// Nothing is sent.
        public static let silence = Answer { _, _ in [] }

        /// An answer that is sent when ``NameServer/release()`` is called, as if the server were slow.
        public static func later(_ answer: Answer) -> Answer {
            var answer = answer
            answer.isHeld = true
            return answer
        }
    }

    package typealias Script = @Sendable (Question) -> Answer

    package let port: UInt16
    private let udp: Int32
    private let tcp: Int32
    private let wake: EventDescriptor
    package let received = Received<Question>()
    private let state: ConditionLock<State>

    private struct State {
        var script: Script
        /// The sockaddr structures of the senders of datagrams.
        var peers: Set<[UInt8]> = []
        var held: [(bytes: [UInt8], peer: [UInt8])] = []
        var isStopping = false
        var isRunning = true
    }

    /// - Parameter wanted: the port; 0 for one that the kernel chooses.
    package init(at address: IPAddress, port wanted: UInt16 = 0, _ script: @escaping Script) throws(Errno) {
        state = ConditionLock(State(script: script))
        wake = try EventDescriptor()
        (udp, tcp) = try Self.bindBoth(address, wanted)
        port = try InternetSocket.end(of: udp, isPeer: false).port
        listen(tcp, 16)
        // Large enough for the questions of a test if the machine is too busy to read them at once (socket(7)). Needs privileges.
        var size = CInt(4 << 20)
        unsafe setsockopt(udp, SOL_SOCKET, SO_RCVBUFFORCE, &size, socklen_t(MemoryLayout<CInt>.size))
        try Thread.start(name: "dns", stackBytes: 1 << 20) { self.run() }.detach()
    }

    /// A port that is free for UDP may be taken for TCP.
    private static func bindBoth(_ address: IPAddress, _ wanted: UInt16) throws(Errno) -> (Int32, Int32) {
        var attempts = 0
        while true {
            let udp = try Machine.bind(SOCK_DGRAM, to: address, wanted)
            attempts += 1
            do throws(Errno) {
                let port = try InternetSocket.end(of: udp.rawValue, isPeer: false).port
                return (udp.release(), try Machine.bind(SOCK_STREAM, to: address, port).release())
            } catch {
                if wanted != 0 || attempts == 100 { throw error }
            }
        }
    }

    /// Stops the server. Later questions are refused.
    public func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
        guard isFirst else { return }
        wake.signal()
        state.wait(atMost: Machine.timeout, while: \.isRunning)
        for descriptor in [udp, tcp] { close(descriptor) }
    }

    // MARK: For tests

    /// The names in the questions so far, in order. Most programs ask twice: for IPv4 and for IPv6 addresses.
    public var names: [String] { received.all.map(\.name) }

    var activity: [String] { received.all.map { "\($0.name)\($0.isA ? "" : " (AAAA)")" } }

    /// Waits for the first question, and returns its name.
    public func firstQuestion() async throws -> String { try await received.value(at: 0).name }

    /// Replaces the script of the server.
    public func answer(_ script: @escaping @Sendable (_ name: String) -> Answer?) {
        setScript { script($0.name) ?? .noSuchName }
    }

    /// Sends the answers that were made with ``Answer/later(_:)``.
    public func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for item in held { send(item.bytes, to: item.peer) }
    }

    /// The sockaddr structures of the senders of datagrams.
    package var senders: Set<[UInt8]> { state.withLock(\.peers) }

    package func setScript(_ script: @escaping Script) { state.withLock { $0.script = script } }

    // MARK: The thread

    private func run() {
        while !state.withLock(\.isStopping) {
            var polled = [udp, tcp, wake.rawDescriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&polled, 3, -1) > 0 else { continue }
            if polled[0].revents != 0 { serveDatagram() }
            if polled[1].revents != 0 { serveConnection() }
        }
        state.withLock { $0.isRunning = false }
        state.broadcast()
    }

    private func serveDatagram() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var peer = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
        var length = socklen_t(peer.count)
        let count = unsafe peer.withUnsafeMutableBytes { peer in
            let address = unsafe peer.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return unsafe recvfrom(udp, &bytes, 4096, Int32(MSG_DONTWAIT), address, &length)
        }
        guard count > 12 else { return }
        let sender = Array(peer.prefix(Int(length)))
        for reply in react(Array(bytes[..<count]), from: sender) { send(reply, to: sender) }
    }

    private func send(_ bytes: [UInt8], to peer: [UInt8]) {
        _ = unsafe peer.withUnsafeBytes { peer in
            let address = unsafe peer.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return unsafe sendto(udp, bytes, bytes.count, 0, address, socklen_t(peer.count))
        }
    }

    /// In these tests, c-ares sends one question on each connection.
    private func serveConnection() {
        let connection = accept(tcp, nil, nil)
        guard connection >= 0 else { return }
        defer { close(connection) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        var count = 0
        while count < 2 || count < 2 + (Int(bytes[0]) << 8 | Int(bytes[1])) {
            let more = unsafe bytes.withUnsafeMutableBytes {
                unsafe read(connection, $0.baseAddress! + count, 4096 - count)
            }
            guard more > 0 else { return }
            count += more
        }
        for reply in react(Array(bytes[2..<count]), from: nil) {
            let framed = [UInt8(reply.count >> 8), UInt8(reply.count & 255)] + reply
            _ = unsafe Glibc.send(connection, framed, framed.count, Int32(MSG_NOSIGNAL))
        }
        // Waits until c-ares has read the answer and closes its end.
        _ = unsafe read(connection, &bytes, 1)
    }

    /// - Parameter peer: nil for a question over TCP.
    private func react(_ query: [UInt8], from peer: [UInt8]?) -> [[UInt8]] {
        guard let (name, type) = DNSMessage.question(in: query) else { return [] }
        let question = Question(name: name, type: type, isTCP: peer == nil)
        let script = state.withLock(\.script)
        // Counted before the answer is sent, so that a test that waits for the count can release the answer.
        defer {
            if let peer { state.withLock { _ = $0.peers.insert(peer) } }
            received.record(question)
        }
        let answer = script(question)
        let replies = answer.replies(question, query)
        guard answer.isHeld else { return replies }
        if let peer { state.withLock { $0.held += replies.map { ($0, peer) } } }
        return []
    }
}

extension Machine {
    /// Starts a name server on this machine, and makes this process use it.
    ///
    /// - Parameters:
    ///   - address: the address of the server; nil for the first address of this machine that is not one of lo.
    ///   - answer: returns the reaction to a question about a name; nil means that there is no such name. It is called on a
    ///     thread of the
    ///     server.
    @discardableResult
    public func nameServer(
        at address: String? = nil, _ answer: @escaping @Sendable (_ name: String) -> NameServer.Answer?
    ) throws(MachineError) -> NameServer {
        let text = if let address { address } else { try firstAddress() }
        let server = try start(at: text, "name server") { (address) throws(Errno) in
            try NameServer(at: address, port: 53) { answer($0.name) ?? .noSuchName }
        }
        try ResolverFile.add(text)
        return server
    }

    private func firstAddress() throws(MachineError) -> String {
        let known = try addresses().map(\.address).filter { $0.interface != .loopback && !$0.address.needsInterface }
        guard let first = known.first(where: { $0.address.family == .v4 }) ?? known.first else {
            throw .mistake("\(name) has no address for a name server. Connect it first, or name an address.")
        }
        return first.address.description
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import Synchronization
import TestWaiting

/// A DNS server on 127.0.0.1 that follows a script: UDP and TCP on one port that the kernel chooses, with one thread.
package final class ScriptedDNSServer: Sendable {
    /// A received question.
    package struct Question: Hashable, Sendable {
        package let name: String
        package let type: UInt16
        package let isTCP: Bool

        package var isA: Bool { type == 1 }
    }

    /// What to do about a question.
    package enum Reaction: Sendable {
        case answer([DNSMessage.Record])
        case fail(rcode: UInt8)
        case silence
        case truncated
        /// Sends the changed bytes of the right answer, and then the right answer.
        case mangled([DNSMessage.Record], by: @Sendable ([UInt8]) -> [UInt8])
        /// Keeps the question until `release` is called, then answers.
        case held([DNSMessage.Record])
    }

    package typealias Script = @Sendable (Question) -> Reaction

    package let port: UInt16
    private let udp: Int32
    private let tcp: Int32
    private let wake: EventDescriptor
    private let thread: Mutex<TestThread?> = Mutex(nil)
    private let state: ConditionLock<State>

    private struct State {
        var script: Script
        var questions: [Question] = []
        var peers: Set<UInt32> = []
        var ports: Set<UInt16> = []
        var held: [(bytes: [UInt8], peer: sockaddr_in)] = []
        var isStopping = false
    }

    /// - Parameter wanted: the port; 0 for one that the kernel chooses.
    package init(port wanted: UInt16 = 0, _ script: @escaping Script) {
        state = ConditionLock(State(script: script))
        var port = wanted
        var udp: Int32 = -1
        var tcp: Int32 = -1
        // A port that is free for UDP may be taken for TCP.
        for _ in 0..<100 {
            udp = Self.bound(SOCK_DGRAM, wanted)!
            port = Self.port(of: udp)
            if let bound = Self.bound(SOCK_STREAM, port) {
                tcp = bound
                break
            }
            close(udp)
        }
        listen(tcp, 16)
        // As many questions as a test asks at once, if the machine is too busy to read them (socket(7)). Needs privileges.
        var size = CInt(4 << 20)
        unsafe setsockopt(udp, SOL_SOCKET, SO_RCVBUFFORCE, &size, socklen_t(MemoryLayout<CInt>.size))
        self.udp = udp
        self.tcp = tcp
        self.port = port
        wake = try! EventDescriptor()
        let started = try? TestThread("dns") { self.run() }
        thread.withLock { $0 = started }
    }

    /// Ends the thread and closes everything.
    package func stop() {
        state.withLock { $0.isStopping = true }
        wake.signal()
        guard let running = thread.withLock({ $0.take() }) else { return }
        guard (try? running.join()) != nil else { return }
        for descriptor in [udp, tcp] { close(descriptor) }
    }

    // MARK: For tests

    package var questions: [Question] { state.withLock { $0.questions } }

    /// The IPv4 addresses that questions came from.
    package var peers: Set<UInt32> { state.withLock { $0.peers } }
    /// The ports that datagrams came from.
    package var ports: Set<UInt16> { state.withLock { $0.ports } }

    package func count(_ name: String) -> Int { questions.count { $0.name == name } }

    /// Sleeps until so many questions have come.
    package func wait(forQuestions count: Int) throws {
        try wait("\(count) questions") { $0.count >= count }
    }

    /// Sleeps until the questions that have come meet the condition.
    package func wait(_ what: String = "other questions", until condition: ([Question]) -> Bool) throws {
        state.wait(atMost: .seconds(WaitLimit.seconds)) { !condition($0.questions) }
        guard condition(questions) else { throw WaitTimeout("\(what) after \(questions)") }
    }

    /// Answers what was held back.
    package func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for item in held { send(item.bytes, to: item.peer) }
    }

    package func forgetQuestions() { state.withLock { $0.questions = [] } }

    package func setScript(_ script: @escaping Script) { state.withLock { $0.script = script } }

    // MARK: The thread

    private func run() {
        while !state.withLock({ $0.isStopping }) {
            var polled = [udp, tcp, wake.rawDescriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&polled, 3, -1) > 0 else { continue }
            if polled[0].revents != 0 { serveDatagram() }
            if polled[1].revents != 0 { serveConnection() }
        }
    }

    private func serveDatagram() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var peer = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = unsafe withUnsafeMutablePointer(to: &peer) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe recvfrom(udp, &bytes, 4096, Int32(MSG_DONTWAIT), address, &length)
            }
        }
        guard count > 12 else { return }
        for reply in react(Array(bytes[..<count]), isTCP: false, peer: peer) { send(reply, to: peer) }
    }

    private func send(_ bytes: [UInt8], to peer: sockaddr_in) {
        var peer = peer
        _ = unsafe withUnsafePointer(to: &peer) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe sendto(udp, bytes, bytes.count, 0, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// c-ares asks one question on each connection here.
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
        for reply in react(Array(bytes[2..<count]), isTCP: true, peer: sockaddr_in()) {
            let framed = [UInt8(reply.count >> 8), UInt8(reply.count & 255)] + reply
            _ = unsafe Glibc.send(connection, framed, framed.count, Int32(MSG_NOSIGNAL))
        }
        // Until c-ares has read it and closes its side.
        _ = unsafe read(connection, &bytes, 1)
    }

    private func react(_ query: [UInt8], isTCP: Bool, peer: sockaddr_in) -> [[UInt8]] {
        guard let (name, type) = DNSMessage.question(in: query) else { return [] }
        let question = Question(name: name, type: type, isTCP: isTCP)
        let script = state.withLock { $0.script }
        let reply = { (records: [DNSMessage.Record]) in DNSMessage.reply(to: query, records: records) }
        // Counted before sending, so that a test that waits for the count can release the answer.
        defer {
            state.withLock { state in
                state.questions.append(question)
                if !isTCP {
                    state.peers.insert(UInt32(bigEndian: peer.sin_addr.s_addr))
                    state.ports.insert(UInt16(bigEndian: peer.sin_port))
                }
            }
            state.broadcast()
        }
        switch script(question) {
        case .answer(let records): return [reply(records)]
        case .fail(let rcode): return [DNSMessage.reply(to: query, rcode: rcode)]
        case .silence: return []
        case .truncated: return [DNSMessage.reply(to: query, isTruncated: true)]
        case .mangled(let records, let mangle): return [mangle(reply(records)), reply(records)]
        case .held(let records):
            state.withLock { $0.held.append((reply(records), peer)) }
            return []
        }
    }

    // MARK: Sockets

    private static func bound(_ type: __socket_type, _ port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = UInt16(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// A port without a listener.
    package static func deadPort() -> UInt16 {
        let descriptor = bound(SOCK_DGRAM, 0)!
        defer { close(descriptor) }
        return port(of: descriptor)
    }
}

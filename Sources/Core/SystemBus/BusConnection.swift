// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// A connection to a bus on an event loop, which reports what NetworkManager says. It never waits for the bus, sets no
/// timer, and ends when the bus does or when the bus breaks the protocol.
///
/// To be used on the loop's thread only.
package final class BusConnection {
    package enum Event: Hashable, Sendable {
        case report(NetworkManager.Report)
        /// The connection is over. No event comes after this.
        case ended
    }

    private let loop: EventLoop
    private var exchange: BusExchange
    private let handler: (Event) -> Void
    private var isOpen = true

    /// - Parameters:
    ///   - socket: a connected socket that does not block.
    ///   - handler: called on the loop's thread. Of the methods here, only `start` may call it.
    package init(_ socket: consuming OwnedDescriptor, on loop: EventLoop, handler: @escaping (Event) -> Void) {
        exchange = BusExchange(socket)
        self.loop = loop
        self.handler = handler
    }

    /// To be called once.
    package func start() { watch() }

    /// Ends the connection without an event. To be called before the connection is released.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        loop.unwatch(exchange.descriptor)
    }

    private func finish() {
        guard isOpen else { return }
        close()
        handler(.ended)
    }

    private func watch() {
        do throws(Errno) {
            try loop.watch(exchange.descriptor, for: exchange.interest) { [weak self] in self?.handle($0) }
        } catch {
            finish()
        }
    }

    private func handle(_ readiness: Epoll.Interest) {
        let interest = exchange.interest
        let reports = exchange.handle(readiness, at: loop.now())
        for report in reports where isOpen { handler(.report(report)) }
        guard isOpen else { return }
        if exchange.isOver {
            finish()
        } else if exchange.interest != interest {
            watch()
        }
    }

    /// Asks once what NetworkManager says, on the calling thread. Returns nil if no answer comes in time.
    ///
    /// - Parameter socket: a connected socket that does not block.
    package static func report(over socket: consuming OwnedDescriptor, timeout: Duration) -> NetworkManager.Report? {
        let time = SystemTime()
        var exchange = BusExchange(socket)
        let deadline = time.now().advanced(by: timeout)
        do throws(Errno) {
            let epoll = try Epoll()
            try epoll.add(exchange.descriptor, exchange.interest, token: 0)
            while case let now = time.now(), now < deadline {
                var readiness: Epoll.Interest = []
                try epoll.wait(timeoutMilliseconds: deadline.duration(since: now).wholeMilliseconds) {
                    readiness = $0.interest
                }
                let reports = exchange.handle(readiness, at: time.now())
                if let report = reports.first { return report }
                if exchange.isOver { return nil }
                try epoll.modify(exchange.descriptor, exchange.interest, token: 0)
            }
        } catch {}
        return nil
    }
}

/// A socket and the client at its end: passes on what can be read, and writes as much as there is room for.
private struct BusExchange: ~Copyable {
    // It stays the same. Swift 6.2 refuses to call `perform` in the initializer if it is a constant.
    private var socket: OwnedDescriptor
    private var client = NetworkManagerClient()
    private var unsent: [UInt8] = []
    private(set) var isOver = false

    /// How much is read before others have their turn.
    private static let readSize = 16 << 10

    init(_ socket: consuming OwnedDescriptor) {
        self.socket = socket
        _ = perform(client.start())
    }

    var descriptor: Int32 { socket.rawValue }
    /// What to wait for.
    var interest: Epoll.Interest { unsent.isEmpty ? .readable : [.readable, .writable] }

    /// Returns what NetworkManager says.
    mutating func handle(_ readiness: Epoll.Interest, at now: BootTime) -> [NetworkManager.Report] {
        var reports: [NetworkManager.Report] = []
        do throws(Errno) {
            // At the end of the stream the socket is readable, and what came before it can still be read.
            if !readiness.isDisjoint(with: [.readable, .failed]) {
                let bytes = try StreamSocket.read(socket, upTo: Self.readSize)
                isOver = bytes.isEmpty
                if !isOver { reports = perform(client.receive(bytes, at: now)) }
            }
            while !isOver, !unsent.isEmpty { unsent.removeFirst(try StreamSocket.write(socket, unsent)) }
        } catch {
            if error != .wouldBlock { isOver = true }
        }
        return reports
    }

    private mutating func perform(_ actions: [NetworkManagerClient.Action]) -> [NetworkManager.Report] {
        var reports: [NetworkManager.Report] = []
        for action in actions {
            switch action {
            case .send(let bytes): unsent += bytes
            case .report(let report): reports.append(report)
            case .hangUp: isOver = true
            }
        }
        return reports
    }
}

// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

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
    private let socket: OwnedDescriptor
    private let handler: (Event) -> Void
    private var client = NetworkManagerClient()
    private var unsent: [UInt8] = []
    private var waitsForRoom = false
    private var isOpen = true

    /// How much is read before the loop turns to other descriptors.
    private static let readSize = 16 << 10

    /// - Parameters:
    ///   - socket: a connected socket that does not block.
    ///   - handler: called on the loop's thread. Of the methods here, only `start` may call it.
    package init(_ socket: consuming OwnedDescriptor, on loop: EventLoop, handler: @escaping (Event) -> Void) {
        self.socket = socket
        self.loop = loop
        self.handler = handler
    }

    /// To be called once.
    package func start() {
        do throws(Errno) {
            try watch()
            perform(client.start())
        } catch {
            finish()
        }
    }

    /// Ends the connection without an event. To be called before the connection is released.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        loop.unwatch(socket.rawValue)
    }

    private func finish() {
        guard isOpen else { return }
        close()
        handler(.ended)
    }

    private func watch() throws(Errno) {
        let interest: Epoll.Interest = waitsForRoom ? [.readable, .writable] : .readable
        try loop.watch(socket.rawValue, for: interest) { [weak self] in self?.handle($0) }
    }

    // MARK: Reading and writing

    private func handle(_ readiness: Epoll.Interest) {
        if readiness.contains(.writable) { write() }
        // At the end of the stream the socket is readable, and what came before it can still be read.
        if isOpen, !readiness.isDisjoint(with: [.readable, .failed]) { read() }
    }

    private func read() {
        do throws(Errno) {
            let bytes = try StreamSocket.read(socket, upTo: Self.readSize)
            guard !bytes.isEmpty else { return finish() }
            perform(client.receive(bytes, at: loop.now()))
        } catch {
            if error != .wouldBlock { finish() }
        }
    }

    private func perform(_ actions: [NetworkManagerClient.Action]) {
        for action in actions where isOpen {
            switch action {
            case .send(let bytes): unsent += bytes
            case .report(let report): handler(.report(report))
            case .hangUp: return finish()
            }
        }
        if isOpen, !unsent.isEmpty, !waitsForRoom { write() }
    }

    private func write() {
        do throws(Errno) {
            do throws(Errno) {
                while !unsent.isEmpty { unsent.removeFirst(try StreamSocket.write(socket, unsent)) }
            } catch {
                guard error == .wouldBlock else { throw error }
            }
            guard waitsForRoom == unsent.isEmpty else { return }
            waitsForRoom = !unsent.isEmpty
            try watch()
        } catch {
            finish()
        }
    }
}

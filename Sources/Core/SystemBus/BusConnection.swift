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
    private let socket: OwnedDescriptor
    private var client = NetworkManagerClient()
    private var unsent: [UInt8] = []
    private let handler: (Event) -> Void
    private var isOpen = true

    /// How much is read before others have their turn.
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
        perform(client.start())
        watch()
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

    /// What to wait for.
    private var interest: Epoll.Interest { unsent.isEmpty ? .readable : [.readable, .writable] }

    private func watch() {
        do throws(Errno) {
            try loop.watch(socket.rawValue, for: interest) { [weak self] in self?.handle($0) }
        } catch {
            finish()
        }
    }

    /// Passes on what can be read, and writes as much as there is room for.
    private func handle(_ readiness: Epoll.Interest) {
        let before = interest
        do throws(Errno) {
            // At the end of the stream the socket is readable, and what came before it can still be read.
            if !readiness.isDisjoint(with: [.readable, .failed]) {
                let bytes = try StreamSocket.read(socket, upTo: Self.readSize)
                if bytes.isEmpty { return finish() }
                perform(client.receive(bytes))
            }
            while isOpen, !unsent.isEmpty { unsent.removeFirst(try StreamSocket.write(socket, unsent)) }
        } catch {
            if error != .wouldBlock { return finish() }
        }
        if isOpen, interest != before { watch() }
    }

    private func perform(_ actions: [NetworkManagerClient.Action]) {
        for action in actions where isOpen {
            switch action {
            case .send(let bytes): unsent += bytes
            case .report(let report): handler(.report(report))
            case .hangUp: finish()
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// A connection to a bus on an event loop, by which one is told of metered interfaces. Never waits for the bus, sets no
/// timer, and ends by itself when the bus does, or when it misbehaves.
///
/// Confined to the loop's thread.
package final class BusConnection {
    package enum News: Hashable, Sendable {
        case metered(String?)
        /// The connection is over; nothing comes after this.
        case ended
    }

    private let loop: EventLoop
    private let socket: OwnedDescriptor
    private let tell: (News) -> Void
    private var dialogue = MeteredDialogue()
    private var inflow = Inflow()
    private var unsent: [UInt8] = []
    private var waitsForRoom = false
    private var isOpen = true

    /// As much is read before the loop turns to others.
    private static let bite = 16 << 10

    /// - Parameters:
    ///   - socket: is connected, and does not block.
    ///   - tell: called on the loop's thread, and never inside a call from here but `begin`.
    package init(_ socket: consuming OwnedDescriptor, on loop: EventLoop, tell: @escaping (News) -> Void) {
        self.socket = socket
        self.loop = loop
        self.tell = tell
    }

    /// To be called once.
    package func begin() {
        do throws(Errno) {
            try watch()
            perform(dialogue.begin())
        } catch {
            finish()
        }
    }

    /// Ends the connection without a word. To be called before it is let go of.
    package func end() {
        guard isOpen else { return }
        isOpen = false
        loop.unwatch(socket.rawValue)
    }

    private func finish() {
        guard isOpen else { return }
        end()
        tell(.ended)
    }

    private func watch() throws(Errno) {
        let interest: Epoll.Interest = waitsForRoom ? [.readable, .writable] : .readable
        try loop.watch(socket.rawValue, for: interest) { [weak self] in self?.handle($0) }
    }

    // MARK: Both ways

    private func handle(_ readiness: Epoll.Interest) {
        if readiness.contains(.writable) { write() }
        // The end of the stream is readable, and so is what came before it.
        if isOpen, !readiness.isDisjoint(with: [.readable, .failed]) { read() }
    }

    private func read() {
        do throws(Errno) {
            let bytes = try StreamSocket.read(socket, upTo: Self.bite)
            guard !bytes.isEmpty, inflow.take(bytes.count, at: loop.now()) else { return finish() }
            perform(dialogue.take(bytes))
        } catch {
            if error != .wouldBlock { finish() }
        }
    }

    private func perform(_ actions: [MeteredDialogue.Action]) {
        for action in actions where isOpen {
            switch action {
            case .send(let bytes): unsent += bytes
            case .metered(let interface): tell(.metered(interface))
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

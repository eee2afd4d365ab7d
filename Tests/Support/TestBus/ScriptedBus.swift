// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
package import ReachabilitySystemBus
import Synchronization

/// A system bus that behaves as a test wants, with a NetworkManager on it.
package final class ScriptedBus: Sendable {
    /// How the bus treats its clients.
    package enum Manner: Sendable, CaseIterable {
        /// Follows the protocol.
        case obliging
        /// The same, one byte at a time.
        case hesitant
        /// There is no NetworkManager.
        case unmanaged
        /// Accepts clients and sends nothing.
        case silent
        /// Rejects every client.
        case refusing
        /// Sends bytes that are not D-Bus.
        case babbling
        /// Dies in the middle of a message.
        case dying
    }

    package let model: ManagerModel
    private let manner: Manner
    private let listener: UnixListener
    private let state = Mutex(State())
    private let serials = Atomic<UInt32>(0)

    private struct State {
        var clients: [BusPeer] = []
        /// Those that have asked for signals.
        var listeners: [BusPeer] = []
        var accepted = 0
        var ended = 0
        /// Whether there is a NetworkManager.
        var isManaged = true
    }

    /// The unique name of the NetworkManager.
    static let manager = ":1.7"

    /// - Parameter listener: must be listening already.
    package init(_ listener: UnixListener, _ manner: Manner = .obliging, model: ManagerModel) throws {
        (self.listener, self.manner, self.model) = (listener, manner, model)
        state.withLock { $0.isManaged = manner != .unmanaged }
        try Thread.start(name: "bus", stackBytes: 256 << 10) { self.acceptClients() }.detach()
    }

    /// Ends all connections and accepts no new ones.
    package func stop() {
        listener.stop()
        hangUp()
    }

    /// Ends all connections.
    package func hangUp() {
        for client in state.withLock({ $0.clients }) { client.hangUp() }
    }

    package var accepted: Int { state.withLock { $0.accepted } }
    /// How many connections have ended.
    package var ended: Int { state.withLock { $0.ended } }

    /// Changes what NetworkManager says of its first device, and sends the signal to all clients.
    package func set(
        _ metered: ManagerModel.Metered? = nil, _ connectivity: ManagerModel.Connectivity? = nil,
        interface: String? = nil
    ) {
        announce(model.set(metered, connectivity, interface: interface))
    }

    /// Sends a signal of NetworkManager's to the clients that asked for signals.
    package func announce(_ signal: BusMessage) {
        var signal = signal
        signal.sender = Self.manager
        for client in state.withLock({ $0.listeners }) { client.send(signal) }
    }

    /// Ends NetworkManager, or starts another one.
    package func setRunning(_ isRunning: Bool) {
        let (old, new) = state.withLock { state in
            defer { state.isManaged = isRunning }
            return (state.isManaged ? Self.manager : "", isRunning ? Self.manager : "")
        }
        var signal = BusMessage(.signal, serial: nextSerial())
        (signal.path, signal.interface, signal.member) = (Bus.path, Bus.name, "NameOwnerChanged")
        signal.setTexts([NetworkManager.name, old, new])
        signal.sender = Bus.name
        for client in state.withLock({ $0.listeners }) { client.send(signal) }
    }

    private func nextSerial() -> UInt32 { serials.wrappingAdd(1, ordering: .relaxed).newValue }

    // MARK: Clients

    private func acceptClients() {
        while let descriptor = listener.accept() {
            let client = BusPeer(owning: descriptor)
            state.withLock { state in
                state.accepted += 1
                state.clients.append(client)
            }
            try? Thread.start(name: "bus client", stackBytes: 256 << 10) {
                try? self.serve(client)
                client.hangUp()
                self.state.withLock { state in
                    state.ended += 1
                    state.clients.removeAll { $0 === client }
                    state.listeners.removeAll { $0 === client }
                }
            }.detach()
        }
    }

    private func serve(_ client: BusPeer) throws {
        if manner == .silent { return client.waitForEnd() }
        guard try client.nextLine() == "\0AUTH EXTERNAL" else { return }
        if manner == .refusing {
            say("REJECTED EXTERNAL\r\n", client)
            return client.waitForEnd()
        }
        if manner == .babbling {
            client.send([UInt8](repeating: 0xFF, count: 5000))
            return client.waitForEnd()
        }
        say("DATA\r\n", client)
        guard try client.nextLine() == "DATA" else { return }
        say("OK 0123456789abcdef0123456789abcdef\r\n", client)
        guard try client.nextLine() == "BEGIN" else { return }
        while true { try answer(try client.nextMessage(), client) }
    }

    private func say(_ line: String, _ client: BusPeer) {
        client.send(Array(line.utf8), piece: manner == .hesitant ? 1 : .max)
    }

    private func answer(_ call: BusMessage, _ client: BusPeer) throws {
        var answer: BusMessage
        if call.destination == Self.manager {
            answer = model.answer(to: call, serial: nextSerial())
            answer.sender = Self.manager
        } else {
            if call.member == "AddMatch" {
                state.withLock { state in
                    if !state.listeners.contains(where: { $0 === client }) { state.listeners.append(client) }
                }
            }
            let owner = state.withLock { $0.isManaged ? Self.manager : nil }
            answer = Self.answer(to: call, owner: owner, serial: nextSerial())
        }
        switch manner {
        case .hesitant: client.send(answer.encoded, piece: 1)
        case .dying where call.member == "Get":
            client.send(Array(answer.encoded.dropLast(3)))
            throw BusPeer.End()
        default: client.send(answer)
        }
    }

    /// The answer of the bus itself.
    ///
    /// - Parameter owner: of NetworkManager's name.
    package static func answer(to call: BusMessage, owner: String?, serial: UInt32) -> BusMessage {
        var answer = BusMessage(.reply, serial: serial)
        (answer.replySerial, answer.sender, answer.destination) = (call.serial, Bus.name, ":1.42")
        switch (call.member, owner) {
        case ("Hello", _): answer.setTexts([":1.42"])
        case ("AddMatch", _): break
        case ("GetNameOwner", let owner?): answer.setTexts([owner])
        default:
            answer.kind = .failure
            answer.errorName = "org.freedesktop.DBus.Error.NameHasNoOwner"
        }
        return answer
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
package import ReachabilitySystemBus
import Synchronization

/// Owns NetworkManager's name on a real bus, and answers in its place.
package final class StandInManager: Sendable {
    package let model: ManagerModel
    private let peer: BusPeer
    private let serials = Atomic<UInt32>(0)

    package struct Refused: Error {
        package let words: String
    }

    /// Connects and acquires the name. A thread of its own answers from then on.
    package init(onBusAt path: String, model: ManagerModel) throws {
        self.model = model
        peer = try BusPeer(connectedTo: path)
        peer.send(NetworkManagerClient.opening)
        for word in ["DATA", "OK"] {
            let line = try peer.nextLine()
            guard line.hasPrefix(word) else { throw Refused(words: line) }
        }
        try takeName()
        try Thread.start(name: "manager", stackBytes: 256 << 10) { try? self.serve() }.detach()
    }

    /// Leaves the bus, and the name with it.
    package func leave() { peer.hangUp() }

    /// Changes what NetworkManager says of its first device, and sends the signal.
    package func set(_ metered: ManagerModel.Metered? = nil, _ connectivity: ManagerModel.Connectivity? = nil) {
        announce(model.set(metered, connectivity))
    }

    /// Sends a signal.
    package func announce(_ signal: BusMessage) {
        var signal = signal
        signal.serial = nextSerial()
        peer.send(signal)
    }

    private func nextSerial() -> UInt32 { serials.wrappingAdd(1, ordering: .relaxed).newValue }

    private func takeName() throws {
        _ = try ask("Hello")
        // DBUS_NAME_FLAG_DO_NOT_QUEUE is 4. The answer 1 means "primary owner".
        var arguments = BusWriter()
        arguments.string(NetworkManager.name)
        arguments.uint32(4)
        let answer = try ask("RequestName", "su", arguments.bytes)
        guard answer.signature == "u", answer.body == [1, 0, 0, 0] else {
            throw Refused(words: "\(answer)")
        }
    }

    private func ask(_ member: String, _ signature: String = "", _ body: [UInt8] = []) throws -> BusMessage {
        var call = BusMessage(.call, serial: nextSerial())
        (call.destination, call.path, call.interface) = (Bus.name, Bus.path, Bus.name)
        (call.member, call.signature, call.body) = (member, signature, body)
        peer.send(call)
        while true {
            let message = try peer.nextMessage()
            if message.replySerial == call.serial { return message }
        }
    }

    private func serve() throws {
        while true {
            let message = try peer.nextMessage()
            guard message.kind == .call else { continue }
            peer.send(model.answer(to: message, serial: nextSerial()))
        }
    }
}

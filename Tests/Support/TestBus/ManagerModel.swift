// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import SystemBus

/// The answers of a stand-in for NetworkManager, and how often it was asked.
package final class ManagerModel: Sendable {
    /// NMMetered, with the names of NetworkManager's reference.
    package enum Metered: UInt32, CaseIterable, Sendable {
        case unknown, yes, no, guessedYes, guessedNo
    }

    /// NMConnectivityState, with the numbers of NetworkManager's reference.
    package enum Connectivity: UInt32, CaseIterable, Sendable {
        case unknown = 0
        case none = 1
        case portal = 2
        case limited = 3
        case full = 4
    }

    private struct State {
        var metered: Metered
        var connectivity: Connectivity
        var checksConnectivity = true
        var interface: String
        var asked = 0
    }

    private let state: Mutex<State>
    private static let connection = "/org/freedesktop/NetworkManager/ActiveConnection/1"
    private static let device = "/org/freedesktop/NetworkManager/Devices/2"

    package init(_ metered: Metered, _ connectivity: Connectivity = .unknown, interface: String) {
        state = Mutex(State(metered: metered, connectivity: connectivity, interface: interface))
    }

    /// How often the property Metered was read.
    package var asked: Int { state.withLock { $0.asked } }

    /// Changes what is given, and nothing else.
    package func set(_ metered: Metered? = nil, _ connectivity: Connectivity? = nil, interface: String? = nil) {
        state.withLock { state in
            state.metered = metered ?? state.metered
            state.connectivity = connectivity ?? state.connectivity
            state.interface = interface ?? state.interface
        }
    }

    /// Turns the check of the connectivity on or off.
    package func setChecking(_ isOn: Bool) {
        state.withLock { $0.checksConnectivity = isOn }
    }

    /// The answer to a call. The bus adds the sender.
    package func answer(to call: BusMessage, serial: UInt32) -> BusMessage {
        var answer = BusMessage(.reply, serial: serial)
        answer.replySerial = call.serial
        answer.destination = call.sender
        guard call.member == "Get", call.interface == Bus.properties, let names = try? call.texts(2) else {
            return refusal(of: call, answer)
        }
        let state = state.withLock { state in
            if names[1] == "Metered" { state.asked += 1 }
            return state
        }
        var value = BusWriter()
        switch (call.path, names) {
        case (NetworkManager.path, [NetworkManager.name, "Metered"]):
            value.signature("u")
            value.uint32(state.metered.rawValue)
        case (NetworkManager.path, [NetworkManager.name, "Connectivity"]):
            value.signature("u")
            value.uint32(state.connectivity.rawValue)
        case (NetworkManager.path, [NetworkManager.name, "ConnectivityCheckEnabled"]):
            value.signature("b")
            value.uint32(state.checksConnectivity ? 1 : 0)
        case (NetworkManager.path, [NetworkManager.name, "PrimaryConnection"]):
            value.signature("o")
            value.string(Self.connection)
        case (Self.connection, ["\(NetworkManager.name).Connection.Active", "Devices"]):
            value.signature("ao")
            value.array(alignment: 4) { $0.string(Self.device) }
        case (Self.device, ["\(NetworkManager.name).Device", "IpInterface"]):
            value.signature("s")
            value.string(state.interface)
        default: return refusal(of: call, answer)
        }
        (answer.signature, answer.body) = ("v", value.bytes)
        return answer
    }

    private func refusal(of call: BusMessage, _ answer: BusMessage) -> BusMessage {
        var answer = answer
        answer.kind = .failure
        answer.errorName = "org.freedesktop.DBus.Error.InvalidArgs"
        return answer
    }

    /// The signal that properties have changed.
    package func announcement(serial: UInt32) -> BusMessage {
        var signal = BusMessage(.signal, serial: serial)
        (signal.path, signal.interface, signal.member) = (NetworkManager.path, Bus.properties, "PropertiesChanged")
        let state = state.withLock { $0 }
        var body = BusWriter()
        body.string(NetworkManager.name)
        body.array(alignment: 8) { entries in
            for (property, value) in [
                ("Metered", state.metered.rawValue), ("Connectivity", state.connectivity.rawValue),
            ] {
                entries.align(to: 8)
                entries.string(property)
                entries.signature("u")
                entries.uint32(value)
            }
        }
        body.array(alignment: 4) { _ in }
        (signal.signature, signal.body) = ("sa{sv}as", body.bytes)
        return signal
    }
}

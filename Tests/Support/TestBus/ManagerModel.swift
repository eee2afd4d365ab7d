// SPDX-License-Identifier: Apache-2.0

package import ReachabilitySystemBus
import Synchronization

/// What a NetworkManager in a test says of its devices, and how often it was asked. Each change returns the signal that
/// tells of it.
package final class ManagerModel: Sendable {
    /// NMMetered, with the names of NetworkManager's reference.
    package enum Metered: UInt32, CaseIterable, Sendable {
        case unknown, yes, no, guessedYes, guessedNo
    }

    /// NMConnectivityState, with the numbers of NetworkManager's reference.
    package enum Connectivity: UInt32, CaseIterable, Sendable {
        case unknown, none, portal, limited, full
    }

    /// A device. One that NetworkManager does not manage has no active connection, and what was found before stays.
    package struct Device: Sendable {
        package var interface: String
        package var metered: Metered
        package var ipv4: Connectivity
        package var ipv6: Connectivity
        package var isManaged: Bool
        fileprivate var activation = 0

        package init(
            _ interface: String, _ metered: Metered = .unknown, _ ipv4: Connectivity = .unknown,
            _ ipv6: Connectivity? = nil, isManaged: Bool = true
        ) {
            (self.interface, self.metered, self.isManaged) = (interface, metered, isManaged)
            (self.ipv4, self.ipv6) = (ipv4, ipv6 ?? ipv4)
        }

        var properties: [(name: String, write: (inout BusWriter) -> Void)] {
            let connection = isManaged ? "\(NetworkManager.path)/ActiveConnection/\(activation)" : "/"
            return [
                ("ActiveConnection", { $0.variant("o", connection) }), ("IpInterface", { $0.variant("s", interface) }),
                ("Metered", { $0.variant("u", metered.rawValue) }),
                ("Ip4Connectivity", { $0.variant("u", ipv4.rawValue) }),
                ("Ip6Connectivity", { $0.variant("u", ipv6.rawValue) }),
            ]
        }
    }

    private struct State {
        /// By the number in their object path. NetworkManager never uses one again.
        var devices: [Int: Device] = [:]
        var lastNumber = 0
        var checksConnectivity = true
        var asked = 0

        mutating func add(_ device: Device) -> Int {
            lastNumber += 1
            devices[lastNumber] = device
            devices[lastNumber]?.activation = lastNumber
            return lastNumber
        }

        func number(of interface: String?) -> Int? {
            devices.keys.sorted().first { interface == nil || devices[$0]?.interface == interface }
        }
    }

    private let state = Mutex(State())

    package init(_ devices: [Device]) {
        for device in devices { add(device) }
    }

    package convenience init(_ metered: Metered, _ connectivity: Connectivity = .unknown, interface: String) {
        self.init([Device(interface, metered, connectivity)])
    }

    /// How often the property Metered was read.
    package var asked: Int { state.withLock { $0.asked } }

    // MARK: Changes

    /// Changes the device of an interface, or the first one.
    @discardableResult
    package func change(_ interface: String? = nil, _ body: (inout Device) -> Void) -> BusMessage {
        let (number, device) = state.withLock { state in
            guard let number = state.number(of: interface), var device = state.devices[number] else {
                preconditionFailure("there is no such device")
            }
            body(&device)
            state.devices[number] = device
            return (number, device)
        }
        return Self.changed(Self.path(number), "\(NetworkManager.name).Device", device.properties)
    }

    /// Changes what is given of the first device, and nothing else.
    @discardableResult
    package func set(
        _ metered: Metered? = nil, _ connectivity: Connectivity? = nil, interface: String? = nil
    ) -> BusMessage {
        change { device in
            device.metered = metered ?? device.metered
            (device.ipv4, device.ipv6) = (connectivity ?? device.ipv4, connectivity ?? device.ipv6)
            device.interface = interface ?? device.interface
        }
    }

    @discardableResult
    package func add(_ device: Device) -> BusMessage {
        Self.signal("DeviceAdded", state.withLock { $0.add(device) })
    }

    @discardableResult
    package func remove(_ interface: String) -> BusMessage {
        let number = state.withLock { state in
            let number = state.number(of: interface)!
            state.devices[number] = nil
            return number
        }
        return Self.signal("DeviceRemoved", number)
    }

    /// Turns the check of the connectivity on or off.
    @discardableResult
    package func setChecking(_ isOn: Bool) -> BusMessage {
        state.withLock { $0.checksConnectivity = isOn }
        return Self.changed(
            NetworkManager.path, NetworkManager.name,
            [("ConnectivityCheckEnabled", { $0.variant("b", isOn ? 1 : 0) })])
    }

    // MARK: Messages

    /// The answer to a call. The bus adds the sender.
    package func answer(to call: BusMessage, serial: UInt32) -> BusMessage {
        var answer = BusMessage(.reply, serial: serial)
        answer.replySerial = call.serial
        answer.destination = call.sender
        let state = state.withLock { state in
            if (try? call.texts(2))?.last == "Metered" { state.asked += 1 }
            return state
        }
        var value = BusWriter()
        guard call.member == "Get", call.interface == Bus.properties, let names = try? call.texts(2) else {
            return refusal(of: call, answer)
        }
        switch (call.path, names) {
        case (NetworkManager.path, [NetworkManager.name, "Devices"]):
            value.signature("ao")
            value.array(alignment: 4) { for number in state.devices.keys.sorted() { $0.string(Self.path(number)) } }
        case (NetworkManager.path, [NetworkManager.name, "ConnectivityCheckEnabled"]):
            value.variant("b", state.checksConnectivity ? 1 : 0)
        default:
            guard let device = state.devices.first(where: { Self.path($0.key) == call.path })?.value,
                names[0] == "\(NetworkManager.name).Device",
                let property = device.properties.first(where: { $0.name == names[1] })
            else { return refusal(of: call, answer) }
            property.write(&value)
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

    private static func path(_ number: Int) -> String { "\(NetworkManager.path)/Devices/\(number)" }

    private static func signal(_ member: String, _ device: Int) -> BusMessage {
        var signal = BusMessage(.signal, serial: 1)
        (signal.path, signal.interface, signal.member) = (NetworkManager.path, NetworkManager.name, member)
        var body = BusWriter()
        body.string(path(device))
        (signal.signature, signal.body) = ("o", body.bytes)
        return signal
    }

    private static func changed(
        _ path: String, _ interface: String, _ properties: [(name: String, write: (inout BusWriter) -> Void)]
    ) -> BusMessage {
        var signal = BusMessage(.signal, serial: 1)
        (signal.path, signal.interface, signal.member) = (path, Bus.properties, "PropertiesChanged")
        var body = BusWriter()
        body.string(interface)
        body.array(alignment: 8) { entries in
            for property in properties {
                entries.align(to: 8)
                entries.string(property.name)
                property.write(&entries)
            }
        }
        body.array(alignment: 4) { _ in }
        (signal.signature, signal.body) = ("sa{sv}as", body.bytes)
        return signal
    }
}

extension BusWriter {
    fileprivate mutating func variant(_ type: String, _ value: String) {
        signature(type)
        string(value)
    }

    fileprivate mutating func variant(_ type: String, _ value: UInt32) {
        signature(type)
        uint32(value)
    }
}

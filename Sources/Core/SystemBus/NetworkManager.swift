// SPDX-License-Identifier: Apache-2.0

extension NetworkManagerClient {
    /// A question to the bus or to NetworkManager.
    enum Question: Hashable, Sendable {
        case welcome
        /// Asks the bus for the signals that match.
        case announcements(of: String)
        case owner
        /// The object paths of the devices.
        case devices
        case checksConnectivity
        case device(String, DeviceProperty)

        /// Whether NetworkManager answers it, and not the bus.
        var isForManager: Bool {
            switch self {
            case .welcome, .announcements, .owner: false
            case .devices, .checksConnectivity, .device: true
            }
        }

        /// The signals to be told of. The bus compares the sender with the owner of the name.
        static let announcements = [
            """
            type='signal',sender='\(Bus.name)',path='\(Bus.path)',interface='\(Bus.name)',\
            member='NameOwnerChanged',arg0='\(NetworkManager.name)'
            """,
            // DeviceAdded and DeviceRemoved, among a few others.
            "type='signal',sender='\(NetworkManager.name)',interface='\(NetworkManager.name)'",
            propertyChanges(of: NetworkManager.name), propertyChanges(of: NetworkManager.device),
        ]

        private static func propertyChanges(of interface: String) -> String {
            """
            type='signal',sender='\(NetworkManager.name)',interface='\(Bus.properties)',member='PropertiesChanged',\
            arg0='\(interface)'
            """
        }

        /// - Parameter manager: the bus name to which a question for NetworkManager is sent.
        func message(serial: UInt32, manager: String) -> BusMessage {
            var message = BusMessage(.call, serial: serial)
            func askBus(_ member: String, _ arguments: String...) {
                (message.destination, message.path, message.interface) = (Bus.name, Bus.path, Bus.name)
                message.member = member
                message.setTexts(arguments)
            }
            func get(_ property: String, of path: String, _ interface: String) {
                message.flags = BusMessage.noAutoStart
                (message.destination, message.path, message.interface) = (manager, path, Bus.properties)
                message.member = "Get"
                message.setTexts([interface, property])
            }
            switch self {
            case .welcome: askBus("Hello")
            case .announcements(let rule): askBus("AddMatch", rule)
            case .owner: askBus("GetNameOwner", NetworkManager.name)
            case .devices: get("Devices", of: NetworkManager.path, NetworkManager.name)
            case .checksConnectivity: get("ConnectivityCheckEnabled", of: NetworkManager.path, NetworkManager.name)
            case .device(let path, let property): get(property.rawValue, of: path, NetworkManager.device)
            }
            return message
        }
    }

    /// The properties of a device that are asked for. The first tells whether the others mean anything.
    enum DeviceProperty: String, CaseIterable {
        /// "/" for a device that NetworkManager does not manage or has not activated. Of such a device the other
        /// properties may still say what was so before (NetworkManager 1.42).
        case connection = "ActiveConnection"
        case interface = "IpInterface"
        case metered = "Metered"
        case ipv4 = "Ip4Connectivity"
        case ipv6 = "Ip6Connectivity"
    }
}

/// The bus itself (D-Bus Specification, "Message Bus Messages").
package enum Bus {
    package static let name = "org.freedesktop.DBus"
    package static let path = "/org/freedesktop/DBus"
    package static let properties = "org.freedesktop.DBus.Properties"
}

/// NetworkManager (its D-Bus API reference).
package enum NetworkManager {
    package static let name = "org.freedesktop.NetworkManager"
    package static let path = "/org/freedesktop/NetworkManager"
    static let device = "\(name).Device"

    /// NMMetered: 1 is "yes" and 3 "guessed yes"; 0 is "unknown", 2 and 4 are "no".
    static func isMetered(_ value: UInt32) -> Bool { value == 1 || value == 3 }

    /// NMConnectivityState.
    package enum Connectivity: UInt32, Sendable, CaseIterable {
        case unknown, none, portal, limited, full
    }

    /// What NetworkManager says about the devices that it has activated. Empty without a NetworkManager.
    package typealias Report = Set<Device>

    package struct Device: Hashable, Sendable {
        /// The object path of the active connection. Each activation has a new one, so this is another for a device that
        /// was made anew under the same name.
        package var connection = ""
        /// The name of the network interface. Empty while there is none, as for a modem before it is connected.
        package var interface = ""
        package var isMetered = false
        /// What the check of the Internet found by each family.
        package var ipv4 = Connectivity.unknown
        package var ipv6 = Connectivity.unknown

        /// Whether packets can leave by it. Without an active connection, the interface is not asked.
        var isActive: Bool { !interface.isEmpty }
    }
}

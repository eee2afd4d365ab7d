// SPDX-License-Identifier: Apache-2.0

extension NetworkManagerClient {
    /// A question to the bus or to NetworkManager.
    enum Question: Hashable, Sendable {
        case welcome
        case ownerChanges
        case propertyChanges
        case owner
        /// Whether NetworkManager considers the primary connection metered.
        case isMetered
        /// Whether NetworkManager checks the connectivity; then what it found. Without checks it says "full" of every
        /// connection.
        case checksConnectivity
        case connectivity
        /// Which connection is primary; then its device, and the device's interface.
        case primaryConnection
        case device(connection: String)
        case interface(device: String)

        /// Whether NetworkManager answers it, and not the bus.
        var isForManager: Bool {
            switch self {
            case .welcome, .ownerChanges, .propertyChanges, .owner: false
            case .isMetered, .checksConnectivity, .connectivity, .primaryConnection, .device, .interface: true
            }
        }

        /// - Parameter manager: the bus name to which a question for NetworkManager is sent.
        func message(serial: UInt32, manager: String) -> BusMessage {
            switch self {
            case .welcome: return Self.toBus("Hello", serial)
            case .ownerChanges:
                return Self.toBus(
                    "AddMatch", serial,
                    """
                    type='signal',sender='\(Bus.name)',path='\(Bus.path)',interface='\(Bus.name)',\
                    member='NameOwnerChanged',arg0='\(NetworkManager.name)'
                    """)
            case .propertyChanges:
                return Self.toBus(
                    "AddMatch", serial,
                    """
                    type='signal',sender='\(NetworkManager.name)',path='\(NetworkManager.path)',interface='\(Bus.properties)',\
                    member='PropertiesChanged',arg0='\(NetworkManager.name)'
                    """)
            case .owner: return Self.toBus("GetNameOwner", serial, NetworkManager.name)
            case .isMetered:
                return Self.property("Metered", of: NetworkManager.path, NetworkManager.name, serial, manager)
            case .checksConnectivity:
                return Self.property(
                    "ConnectivityCheckEnabled", of: NetworkManager.path, NetworkManager.name, serial, manager)
            case .connectivity:
                return Self.property("Connectivity", of: NetworkManager.path, NetworkManager.name, serial, manager)
            case .primaryConnection:
                return Self.property("PrimaryConnection", of: NetworkManager.path, NetworkManager.name, serial, manager)
            case .device(let connection):
                return Self.property(
                    "Devices", of: connection, "\(NetworkManager.name).Connection.Active", serial, manager)
            case .interface(let device):
                return Self.property("IpInterface", of: device, "\(NetworkManager.name).Device", serial, manager)
            }
        }

        private static func toBus(_ member: String, _ serial: UInt32, _ argument: String? = nil) -> BusMessage {
            var message = BusMessage(.call, serial: serial)
            (message.destination, message.path, message.interface) = (Bus.name, Bus.path, Bus.name)
            message.member = member
            if let argument { message.setTexts(argument) }
            return message
        }

        private static func property(
            _ property: String, of path: String, _ interface: String, _ serial: UInt32, _ manager: String
        ) -> BusMessage {
            var message = BusMessage(.call, serial: serial)
            message.flags = BusMessage.noAutoStart
            (message.destination, message.path, message.interface) = (manager, path, Bus.properties)
            message.member = "Get"
            message.setTexts(interface, property)
            return message
        }
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

    /// NMMetered: 1 is "yes" and 3 "guessed yes"; 0 is "unknown", 2 and 4 are "no".
    static func isMetered(_ value: UInt32) -> Bool { value == 1 || value == 3 }

    /// NMConnectivityState.
    package enum Connectivity: UInt32, Sendable, CaseIterable {
        case unknown, none, portal, limited, full
    }

    /// What NetworkManager says about the network. Without a NetworkManager, all of it is unknown.
    package struct Report: Hashable, Sendable {
        /// The interface of the metered connection. Nil if there is none, or if it is not known.
        package var meteredInterface: String?
        package var connectivity = Connectivity.unknown

        package init(meteredInterface: String? = nil, connectivity: Connectivity = .unknown) {
            self.meteredInterface = meteredInterface
            self.connectivity = connectivity
        }
    }
}

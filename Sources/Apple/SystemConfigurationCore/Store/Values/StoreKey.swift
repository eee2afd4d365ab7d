// SPDX-License-Identifier: Apache-2.0

/// The keys of the dynamic store, composed as SCDynamicStoreKey.c does (configd-1405).
package enum StoreKey {
    /// `State:/Network/Global/IPv4`
    package static func global(_ domain: String, _ entity: String) -> String { "\(domain)/Network/Global/\(entity)" }

    /// `State:/Network/Interface`
    package static func interfaces(_ domain: String) -> String { "\(domain)/Network/Interface" }

    /// `State:/Network/Interface/eth0/IPv4`; without the entity if it is nil.
    package static func interface(_ domain: String, _ name: String, _ entity: String?) -> String {
        "\(interfaces(domain))/\(name)" + (entity.map { "/\($0)" } ?? "")
    }

    /// `State:/Network/Service/ID/IPv4`; without the entity if it is nil.
    package static func service(_ domain: String, _ identifier: String, _ entity: String?) -> String {
        "\(domain)/Network/Service/\(identifier)" + (entity.map { "/\($0)" } ?? "")
    }

    package static let state = "State:"
    package static let setup = "Setup:"
    package static let computerName = "Setup:/System"
    package static let hostNames = "Setup:/Network/HostNames"
    package static let consoleUser = "State:/Users/ConsoleUser"
    /// Only a session of preferences has this key.
    package static let preferences = "Prefs:"
    package static let location = "Setup:"
    package static let proxies = "State:/Network/Global/Proxies"
}

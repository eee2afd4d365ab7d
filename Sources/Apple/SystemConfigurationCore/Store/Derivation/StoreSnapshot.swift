// SPDX-License-Identifier: Apache-2.0

import ReachabilityReferences

/// Everything that the system's values are derived from, observed at one moment.
struct StoreSnapshot {
    var network = NetworkState()
    var names = MachineNames()
    var proxies = ProxySettings()
    var consoleUser: ConsoleUser?

    /// The values, by key. A key whose value Linux does not tell is absent. No I/O, no state.
    var values: [String: PropertyValue] {
        var values: [String: PropertyValue] = [:]
        values[StoreKey.computerName] = names.system
        values[StoreKey.hostNames] = names.hostNames
        values[StoreKey.consoleUser] = consoleUser?.value
        values[StoreKey.proxies] = proxies.value
        values.merge(network.interfaceValues) { $1 }
        values.merge(network.globalValues) { $1 }
        return values
    }
}

/// A user who sits at the machine's first seat (sd-login(3)).
package struct ConsoleUser: Hashable, Sendable {
    package var name: String
    package var userID: UInt32
    /// Nil if the system does not tell.
    package var groupID: UInt32?

    var value: PropertyValue {
        var members: [String: PropertyValue] = ["Name": .string(name), "UID": .number(Int64(userID))]
        members["GID"] = groupID.map { .number(Int64($0)) }
        return .dictionary(members)
    }
}

/// The names of this machine.
struct MachineNames: Hashable {
    /// The name of the running kernel (uname(2)).
    var kernel = ""
    /// The name for people: PRETTY_HOSTNAME of machine-info(5).
    var pretty: String?
    /// The configured name (hostname(5)).
    var configured: String?

    /// The name for people, or the kernel's name. Nil if there is neither.
    var computerName: String? { pretty ?? (kernel.isEmpty ? nil : kernel) }

    /// The first label of the kernel's name, which multicast DNS uses too (avahi-daemon.conf(5)).
    var localHostName: String? {
        kernel.split(separator: ".").first.map(String.init)
    }

    var system: PropertyValue? {
        guard let computerName else { return nil }
        // kCFStringEncodingUTF8
        var members: [String: PropertyValue] = [
            "ComputerName": .string(computerName), "ComputerNameEncoding": 0x0800_0100,
        ]
        members["HostName"] = configured.map { .string($0) }
        return .dictionary(members)
    }

    var hostNames: PropertyValue? {
        localHostName.map { ["LocalHostName": .string($0)] }
    }
}

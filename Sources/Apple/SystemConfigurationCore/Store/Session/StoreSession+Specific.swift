// SPDX-License-Identifier: Apache-2.0

/// The functions of SCDynamicStoreCopySpecific.h.
extension StoreSession {
    package var computerName: String? { member("ComputerName", of: StoreKey.computerName)?.string }
    package var localHostName: String? { member("LocalHostName", of: StoreKey.hostNames)?.string }

    /// The configured name of the host, which may differ from its present one.
    package var hostName: String? { member("HostName", of: StoreKey.computerName)?.string }

    package var consoleUser: ConsoleUser? {
        guard let value = value(of: StoreKey.consoleUser), let name = value["Name"]?.string,
            let userID = value["UID"]?.number
        else { return nil }
        return ConsoleUser(
            name: name, userID: UInt32(truncatingIfNeeded: userID),
            groupID: value["GID"]?.number.map { UInt32(truncatingIfNeeded: $0) })
    }

    /// Empty if there are no proxies. Nil if the system's values cannot be read.
    package var proxies: [String: PropertyValue]? {
        guard let found = lookUp(StoreKey.proxies) else { return nil }
        if case .dictionary(let members)? = found { return members }
        return [:]
    }

    private func member(_ name: String, of key: String) -> PropertyValue? {
        guard let value = value(of: key) else { return nil }
        if value[name] == nil { LegacyStatus.last = .noKey }
        return value[name]
    }
}

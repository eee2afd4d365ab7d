// SPDX-License-Identifier: Apache-2.0

package import NetworkFacts

/// The contents of a hosts file (hosts(5)).
package struct HostsFile: Sendable {
    private var addresses: [String: [IPAddress]] = [:]

    package init() {}

    /// Reads the text of a hosts file. Malformed lines are skipped, as in libc.
    ///
    /// - Parameter interfaceIndex: returns the index of the interface that a scope (`fe80::1%eth0`) names.
    package init(parsing text: String, interfaceIndex: (String) -> UInt32?) {
        for line in text.utf8.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 == 32 || $0 == 9 }
            guard let first = words.first, let address = Self.address(String(Substring(first)), interfaceIndex)
            else { continue }
            for word in words.dropFirst() {
                // A name on several lines has the addresses of all of them (host.conf(5), multi).
                addresses[HostName.canonicalForm(Substring(word)), default: []].append(address)
            }
        }
        for (name, found) in addresses { addresses[name] = stableOrder(found) }
    }

    /// The addresses of a name, in stable order. Empty if the file does not list it.
    package func lookUp(_ name: HostName) -> [IPAddress] {
        addresses[name.canonical] ?? []
    }

    static func address(_ text: String, _ interfaceIndex: (String) -> UInt32?) -> IPAddress? {
        if let address = IPv4Address(strict: text) { return .v4(address) }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPv6Address(parts[0]) else { return nil }
        guard parts.count == 2 else { return .v6(address) }
        guard let index = UInt32(parts[1]) ?? interfaceIndex(String(parts[1])), let scope = InterfaceIndex(index)
        else { return nil }
        return .v6(address, scope: scope)
    }
}

/// IPv6 before IPv4, then by value, each once. Neither rotation nor the order of arrival may look like a change.
func stableOrder(_ addresses: some Sequence<IPAddress>) -> [IPAddress] {
    Array(Set(addresses)).sorted()
}

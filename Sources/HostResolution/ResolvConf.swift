// SPDX-License-Identifier: Apache-2.0

package import NetworkFacts

/// The address and port of a name server.
package struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    package let address: IPAddress
    package let port: UInt16

    package init(_ address: IPAddress, port: UInt16 = 53) {
        self.address = address
        self.port = port
    }

    package var description: String {
        switch address {
        case .v4 where port == 53: "\(address)"
        case .v4: "\(address):\(port)"
        case .v6 where port == 53: "\(address)"
        case .v6: "[\(address)]:\(port)"
        }
    }
}

/// The settings of resolv.conf(5) that are used here.
package struct ResolvConf: Hashable, Sendable {
    package var servers: [ServerAddress] = []
    /// Domains to try for names that are not absolute.
    package var search: [String] = []
    /// A name with at least this many dots is tried as it is first.
    package var ndots = 1
    /// Seconds to wait for a server before the next attempt. Nil if the file does not say.
    package var timeoutSeconds: Int?
    /// How often each server is asked. Nil if the file does not say.
    package var attempts: Int?
    /// Ask the servers in turn.
    package var rotates = false
    /// Ask by TCP only.
    package var usesTCP = false

    package init() {}

    /// - Parameter interfaceIndex: returns the index of the interface that a server's scope names.
    package init(parsing text: String, interfaceIndex: (String) -> UInt32?) {
        for line in text.utf8.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            // A comment sign counts in the first column only.
            if line.first == UInt8(ascii: "#") || line.first == UInt8(ascii: ";") { continue }
            let words = line.split { $0 == 32 || $0 == 9 }.map { String(Substring($0)) }
            guard let keyword = words.first else { continue }
            let values = words.dropFirst()
            switch keyword {
            case "nameserver":
                if let text = values.first, let address = HostsFile.address(text, interfaceIndex) {
                    servers.append(ServerAddress(address))
                }
            // The last of these two keywords counts.
            case "domain": search = values.prefix(1).compactMap(Self.domain)
            case "search": search = values.compactMap(Self.domain)
            case "options": for option in values { apply(option) }
            default: break
            }
        }
    }

    /// Applies the variables LOCALDOMAIN and RES_OPTIONS. The first replaces `domain` and `search`, the second comes
    /// after the file's options.
    package mutating func amend(localDomain: String?, options: String?) {
        if let localDomain { search = Self.words(localDomain).compactMap(Self.domain) }
        for option in options.map(Self.words) ?? [] { apply(option) }
    }

    private static func words(_ line: String) -> [String] {
        line.utf8.split { $0 == 32 || $0 == 9 }.map { String(Substring($0)) }
    }

    /// Nil for the root, which adds nothing to a name, and for an impossible domain.
    private static func domain(_ text: String) -> String? {
        (try? HostName(text))?.canonical
    }

    private mutating func apply(_ option: String) {
        let parts = option.split(separator: ":", maxSplits: 1)
        let number = parts.count == 2 ? Int(parts[1]).flatMap { $0 >= 0 ? $0 : nil } : nil
        // The limits are from resolv.conf(5).
        switch (parts.first, number) {
        case ("ndots", let value?): ndots = min(value, 15)
        case ("timeout", let value?): timeoutSeconds = min(max(value, 1), 30)
        case ("attempts", let value?): attempts = min(max(value, 1), 5)
        case ("rotate", _): rotates = true
        case ("use-vc", _): usesTCP = true
        default: break
        }
    }

    /// The full names to ask for, in order (resolv.conf(5), search and ndots).
    package func candidates(for name: HostName) -> [String] {
        let asIs = name.canonical
        if name.isAbsolute { return [asIs] }
        let appended = search.map { "\(asIs).\($0)" }.filter { $0.utf8.count <= 253 }
        return name.dotCount >= ndots ? [asIs] + appended : appended + [asIs]
    }
}

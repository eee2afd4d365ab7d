// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

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

/// The settings of resolv.conf(5) that are used here, read as glibc reads them (res_vinit_1 in resolv/res_init.c).
package struct ResolvConf: Hashable, Sendable {
    /// Those that the file names.
    package var servers: [ServerAddress] = []
    /// Domains to try for names that are not absolute. An empty one is the root.
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
    /// Ask for no IPv6 addresses.
    package var skipsIPv6 = false
    /// Do not ask for a name without a dot as it is, if there are domains to search.
    package var skipsTopLevel = false

    /// The domains of `search` without the root.
    package var domains: [String] { search.filter { !$0.isEmpty } }

    /// Those that are asked: 127.0.0.1 where the file names none, or is missing (resolv.conf(5)).
    package var askedServers: [ServerAddress] {
        servers.isEmpty ? [ServerAddress(.v4(IPv4Address(127, 0, 0, 1)))] : servers
    }

    /// MAXNS in resolv.h.
    private static let serverLimit = 3

    package init() {}

    /// - Parameter hostName: the name of this machine. Its domain is searched if the file names none.
    package init(parsing text: String, hostName: String = "") {
        var isSearchGiven = false
        for line in text.utf8.split(separator: 10) {
            // A keyword counts in the first column only, and ends with a blank. What follows a `#` is no comment.
            guard let end = line.firstIndex(where: { $0 == 32 || $0 == 9 }) else { continue }
            let values = Self.words(line[end...])
            guard let first = values.first else { continue }
            switch String(Substring(line[..<end])) {
            case "nameserver":
                if servers.count < Self.serverLimit, let server = Self.server(first) { servers.append(server) }
            // The last of these two keywords counts.
            case "domain": (search, isSearchGiven) = (Self.domains([first]), true)
            case "search": (search, isSearchGiven) = (Self.domains(values), true)
            case "options": for option in values { apply(option) }
            default: break
            }
        }
        if !isSearchGiven, let dot = hostName.firstIndex(of: ".") {
            search = Self.domains([String(hostName[hostName.index(after: dot)...])])
        }
    }

    /// Applies the variables LOCALDOMAIN and RES_OPTIONS. The first replaces `domain` and `search`, the second comes
    /// after the file's options.
    package mutating func amend(localDomain: String?, options: String?) {
        if let localDomain { search = Self.domains(Self.words(localDomain.utf8[...])) }
        for option in options.map({ Self.words($0.utf8[...]) }) ?? [] { apply(option) }
    }

    private static func words(_ text: Substring.UTF8View) -> [String] {
        text.split { $0 == 32 || $0 == 9 }.map { String(Substring($0)) }
    }

    /// Leaves impossible domains out. A number may be one: no host is looked up by it alone.
    private static func domains(_ texts: [String]) -> [String] {
        texts.compactMap { text in
            let name = HostName(lenient: text)
            return switch name.problem {
            case nil, .endsInNumber: name.canonical
            default: text == "." ? "" : nil
            }
        }
    }

    private static func server(_ text: String) -> ServerAddress? {
        if let address = IPv4Address(lenient: text) { return ServerAddress(.v4(address)) }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPv6Address(parts[0]) else { return nil }
        // The interface may come later.
        return ServerAddress(.v6(address, scope: parts.count == 2 ? Scope(parts[1]) : nil))
    }

    private mutating func apply(_ option: String) {
        // The limits are from resolv.conf(5).
        if let value = Self.number(option, after: "ndots:") {
            // Four bits hold it.
            ndots = value < 0 ? value & 15 : min(value, 15)
        } else if let value = Self.number(option, after: "timeout:") {
            timeoutSeconds = min(max(value, 1), 30)
        } else if let value = Self.number(option, after: "attempts:") {
            attempts = min(max(value, 1), 5)
        } else if option.hasPrefix("rotate") {
            rotates = true
        } else if option.hasPrefix("use-vc") {
            usesTCP = true
        } else if option.hasPrefix("no-aaaa") {
            skipsIPv6 = true
        } else if option.hasPrefix("no-tld-query") || option.hasPrefix("no_tld_query") {
            skipsTopLevel = true
        }
    }

    /// The number after a prefix, as atoi(3) reads it: what is no number is zero.
    private static func number(_ option: String, after prefix: String) -> Int? {
        guard option.hasPrefix(prefix) else { return nil }
        let rest = option.dropFirst(prefix.count)
        let sign = rest.first == "-" ? -1 : 1
        let digits = rest.drop { $0 == "-" || $0 == "+" }.prefix { ("0"..."9").contains($0) }
        return sign * (digits.isEmpty ? 0 : Int(digits) ?? Int(Int32.max))
    }

    /// The full names to ask for, in order (resolv.conf(5), search and ndots).
    package func candidates(for name: HostName) -> [String] {
        let asIs = name.canonical
        if name.isAbsolute { return [asIs] }
        let searched = search.map { $0.isEmpty ? asIs : "\(asIs).\($0)" }.filter { $0.utf8.count <= 253 }
        let isFirst = name.dotCount >= ndots
        let isLast = !skipsTopLevel || name.dotCount > 0 || search.isEmpty
        var candidates: [String] = []
        for candidate in (isFirst ? [asIs] : []) + searched + (isLast ? [asIs] : [])
        where !candidates.contains(candidate) {
            candidates.append(candidate)
        }
        // A search domain may have made every name too long.
        return candidates.isEmpty ? [asIs] : candidates
    }
}

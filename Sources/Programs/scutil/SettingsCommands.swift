// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import SystemConfigurationCore

/// `scutil --get`, `--proxy` and `--dns`.
enum SettingsCommands {
    /// The names that `--get` takes.
    static let names = ["ComputerName", "LocalHostName", "HostName"]

    /// Prints a name of the machine. Returns 1 if it is not set.
    static func printName(_ name: String) -> Int32 {
        let session = StoreSession()
        let value =
            switch name {
            case "ComputerName": session.computerName
            case "LocalHostName": session.localHostName
            default: session.hostName
            }
        guard let value else {
            Output.complaint("\(name): \(LegacyStatus.last == .noKey ? "not set" : LegacyStatus.last.text)")
            return 1
        }
        Output.line(value.printable)
        return 0
    }

    /// Prints the proxies' dictionary, which may be empty.
    static func printProxies() -> Int32 {
        guard let proxies = StoreSession().proxies else {
            Output.line("No proxy configuration available")
            return 1
        }
        Output.value(.dictionary(proxies))
        return 0
    }

    /// Prints the name servers in Apple's layout (dnsinfo_logging.h, configd-1405). Linux has one configuration.
    static func printDNS() throws(ReachabilityError) -> Int32 {
        guard let text = DNSText(try PathSource().currentState()) else {
            Output.line("No DNS configuration available")
            return 1
        }
        for line in text.lines { Output.line(line.printable) }
        return 0
    }
}

/// What `--dns` prints.
struct DNSText {
    let lines: [String]

    /// Nil if there is neither a server nor a domain.
    ///
    /// - Parameter flags: returns the flags of a server.
    init?(_ state: NetworkState, flags: (IPAddress) -> ReachabilityFlags? = Self.flags(of:)) {
        let servers = state.path.servers
        guard !servers.isEmpty || !state.searchDomains.isEmpty else { return nil }
        var lines = ["DNS configuration", "", "resolver #1"]
        for (number, domain) in state.searchDomains.enumerated() {
            lines.append("  search domain[\(number)] : \(domain)")
        }
        for (number, server) in servers.enumerated() {
            let scope = server.address.scope.flatMap(state.inventory.name)
            lines.append("  nameserver[\(number)] : \(server.address.unscoped)\(scope.map { "%\($0)" } ?? "")")
        }
        // Addresses of a family are asked for if packets of that family leave.
        let families = AddressFamily.allCases.filter { state.path.defaultRoute($0) != nil }
        if !families.isEmpty {
            let words = families.map { $0 == .v4 ? "Request A records" : "Request AAAA records" }
            lines.append("  flags    : \(words.joined(separator: ", "))")
        }
        if let first = servers.first, let flags = flags(first.address) {
            lines.append("  reach    : \(flags.hexadecimal) (\(flags))")
        }
        self.lines = lines
    }

    private static func flags(of server: IPAddress) -> ReachabilityFlags? {
        try? ReachabilityRef(target: Target(server), options: ReachabilityOptions()).getFlags()
    }
}

// SPDX-License-Identifier: Apache-2.0

/// One change of a network.
enum Change: CustomStringConvertible {
    /// Commands of `ip`, until the first that fails.
    case commands([String])
    /// One end of a veth pair.
    case wire(String, isUp: Bool)
    case setting(String, Int)
    case dormancy(String, isDormant: Bool)
    case tunnelCarrier(Bool)
    case names([String: [String]], inHostsFile: Bool)
    case storm(Int)
    /// Restores a network in which most targets can be reached. Otherwise random changes would soon leave nothing to
    /// remove.
    case repair

    var description: String {
        switch self {
        case .commands(let commands): commands.map { "ip \($0)" }.joined(separator: "; ")
        case .wire(let end, let isUp): "ip link set \(end) \(isUp ? "up" : "down")"
        case .setting(let name, let value): "sysctl \(name)=\(value)"
        case .dormancy(let link, let isDormant): "\(link) \(isDormant ? "waits for a login" : "has logged in")"
        case .tunnelCarrier(let isOn): "the tunnel's carrier is \(isOn ? "there" : "gone")"
        case .names(let names, let isHostsFile): "\(isHostsFile ? "hosts file" : "name server"): \(names)"
        case .storm(let count): "\(count) rules come and go"
        case .repair: "eth0 is up and has the default routes"
        }
    }

    /// The name in the account at the end.
    var kind: String {
        switch self {
        case .commands(let commands):
            commands[0].split(separator: " ").first { !$0.hasPrefix("-") }.map(String.init) ?? "?"
        case .wire: "wire"
        case .setting: "setting"
        case .dormancy: "dormancy"
        case .tunnelCarrier: "tunnel"
        case .names: "names"
        case .storm: "storm"
        case .repair: "repair"
        }
    }
}

// MARK: - Chance

extension Change {
    static func random(using random: inout some RandomNumberGenerator) -> Change {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<38: .commands([route(&random)])
        case ..<46: .commands([rule(&random)])
        case ..<52: .commands([nextHop(&random)])
        case ..<58: .commands([address(&random)])
        case ..<60: .commands(noAddresses(&random))
        case ..<71: wire(&random)
        case ..<74: .dormancy(SoakNetwork.wires.randomElement(using: &random)!, isDormant: .random(using: &random))
        case ..<77: .tunnelCarrier(.random(using: &random))
        case ..<80: setting(&random)
        case ..<90: names(&random)
        case ..<92: .storm(.random(in: 1...2000, using: &random))
        default: .repair
        }
    }

    private static let ipv4Prefixes = [
        "default", "0.0.0.0/1", "128.0.0.0/1", "192.0.2.0/24", "192.0.2.0/28", "192.0.2.1", "198.51.100.0/24",
        "10.9.0.0/24",
    ]
    private static let ipv6Prefixes = ["default", "2001:db8:7::/48", "2001:db8:7::1", "2001:db8:8::/48"]

    private static func route(_ random: inout some RandomNumberGenerator) -> String {
        let isIPv4 = Int.random(in: 0..<3, using: &random) > 0
        let number = Int.random(in: 0..<3, using: &random)
        let family = isIPv4 ? "-4" : "-6"
        let prefix = (isIPv4 ? ipv4Prefixes : ipv6Prefixes).randomElement(using: &random)!
        let table = Int.random(in: 0..<5, using: &random) == 0 ? " table 100" : ""
        guard Int.random(in: 0..<3, using: &random) > 0 else { return "\(family) route del \(prefix)\(table)" }
        let metric = ["", " metric 50", " metric 500"].randomElement(using: &random)!
        let gateway = isIPv4 ? "via 10.\(number).0.254" : "via 2001:db8:0:\(number)::fe dev eth\(number)"
        let way = [
            gateway, gateway, gateway, "dev eth\(number)", "dev tun0", "nhid \(isIPv4 ? 7 : 9)",
        ].randomElement(using: &random)!
        let refusal = ["unreachable", "blackhole", "prohibit"].randomElement(using: &random)!
        return Int.random(in: 0..<4, using: &random) == 0
            ? "\(family) route replace \(refusal) \(prefix)\(table)\(metric)"
            : "\(family) route replace \(prefix) \(way)\(table)\(metric)"
    }

    private static func rule(_ random: inout some RandomNumberGenerator) -> String {
        let family = ["-4", "-6"].randomElement(using: &random)!
        let verb = ["add", "del"].randomElement(using: &random)!
        let rules = [
            "fwmark 5 lookup 100 priority 400",
            "to \(family == "-4" ? "192.0.2.0/28" : "2001:db8:8::/48") prohibit priority 410",
            "uidrange 1000-1000 lookup 100 priority 420", "lookup 100 priority 430",
            "fwmark 5 unreachable priority 440",
        ]
        return "\(family) rule \(verb) \(rules.randomElement(using: &random)!)"
    }

    private static func nextHop(_ random: inout some RandomNumberGenerator) -> String {
        let number = Int.random(in: 0..<3, using: &random)
        return [
            "nexthop replace id 7 via 10.\(number).0.253 dev eth\(number)", "nexthop replace id 7 blackhole",
            "nexthop del id 7", "nexthop replace id 9 via 2001:db8:0:\(number)::fd dev eth\(number)",
            "nexthop del id 9",
        ].randomElement(using: &random)!
    }

    private static func address(_ random: inout some RandomNumberGenerator) -> String {
        let number = Int.random(in: 0..<3, using: &random)
        let verb = ["replace", "del"].randomElement(using: &random)!
        let address = ["10.\(number).0.1/24", "10.\(number).0.9/24", "2001:db8:0:\(number)::9/64"]
            .randomElement(using: &random)!
        return "address \(verb) \(address) dev eth\(number)\(address.contains(":") && verb != "del" ? " nodad" : "")"
    }

    /// Some routes stay, or one is added again, without an address to send from.
    private static func noAddresses(_ random: inout some RandomNumberGenerator) -> [String] {
        let family = ["-4", "-6"].randomElement(using: &random)!
        let links = SoakNetwork.wires + ["tun0"]
        return links.map { "\(family) address flush dev \($0)" } + ["\(family) route replace default dev eth0"]
    }

    private static func wire(_ random: inout some RandomNumberGenerator) -> Change {
        let wire = SoakNetwork.wires.randomElement(using: &random)!
        let end = Bool.random(using: &random) ? wire : "\(wire)-peer"
        return .wire(end, isUp: Int.random(in: 0..<5, using: &random) > 1)
    }

    private static func setting(_ random: inout some RandomNumberGenerator) -> Change {
        let family = ["ipv4", "ipv6"].randomElement(using: &random)!
        let link = ["all", "eth0", "eth1"].randomElement(using: &random)!
        return .setting(
            "net.\(family).conf.\(link).ignore_routes_with_linkdown", Bool.random(using: &random) ? 1 : 0)
    }

    private static func names(_ random: inout some RandomNumberGenerator) -> Change {
        let name = Subject.names.randomElement(using: &random)!
        let count = Int.random(in: 0...3, using: &random)
        let addresses = Array(Subject.nameAddresses.shuffled(using: &random).prefix(count))
        return .names([name: addresses], inHostsFile: name == "listed.test")
    }
}

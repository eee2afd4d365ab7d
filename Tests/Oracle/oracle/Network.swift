// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestHosts
import TestTopology

/// A random network, as the commands of `ip` and `sysctl` that make it. Some entries are several lines, which belong together.
struct Network {
    /// Links and addresses, and settings.
    var links: [String] = []
    /// Routes and rules, which may need the addresses, and what happens to links afterwards.
    var routes: [String] = []
    /// Whether a rule looks at the port.
    var hasPorts = false
    /// The number of the last next hop object.
    private var nextHop = 0

    static let interfaces = ["eth0", "eth1", "eth2"]

    /// The links by their MTU, by which a connected socket tells its link.
    static let names: [Int: String] = [
        1400: "eth0", 1401: "eth0-peer", 1410: "eth1", 1411: "eth1-peer", 1420: "eth2", 1421: "eth2-peer",
        65535: "lo", 65536: "lo",
    ]

    /// The addresses of the machine, with the lengths of their prefixes, and their links.
    var addresses: [(text: String, link: String)] {
        links.filter { $0.hasPrefix("address add") }.map { line in
            let words = line.split(separator: " ").map(String.init)
            return (words[2], words[4])
        }
    }
}

enum Family: String, CaseIterable {
    case v4, v6

    var option: String { self == .v4 ? "-4" : "-6" }
}

// MARK: - Chance

extension Network {
    init(using random: inout SeededGenerator) {
        for (number, name) in Self.interfaces.enumerated() {
            let mtu = 1400 + 10 * number
            // The neighbours are known, because which of several next hops is taken depends on what is known of them.
            links.append(
                """
                link add \(name) mtu \(mtu) type veth peer name \(name)-peer mtu \(mtu + 1)
                link set \(name) addrgenmode none
                link set \(name)-peer addrgenmode none
                link set \(name) up
                neigh add 10.0.\(number).254 lladdr 02:00:00:00:00:fe dev \(name)
                neigh add fe80::fe lladdr 02:00:00:00:00:fe dev \(name)
                """)
            if random.chance([0.95, 0.75, 0.4][number]) { links.append("link set \(name)-peer up") }
            if random.chance(0.85) { addAddress("10.0.\(number).1/24", name) }
            if random.chance(0.25) { addAddress("10.0.\(number).2/24", name) }
            if random.chance(0.85) { addAddress("2001:db8:\(number + 1)::1/64", name) }
            if random.chance(0.3) { addAddress("fd00:0:0:\(number + 1)::1/64", name) }
            if random.chance(0.7) { addAddress("fe80::\(number + 1)/64", name) }
        }
        for family in ["ipv4", "ipv6"] where random.chance(0.1) {
            links.append("sysctl net.\(family).conf.all.ignore_routes_with_linkdown=1")
        }
        for number in 1...2 {
            if random.chance(0.4) { addAddress("10.9.0.\(number)/32", "lo") }
            if random.chance(0.4) { addAddress("2001:db8:9::\(number)/128", "lo") }
        }
        for family in Family.allCases {
            addRoutes(family, &random)
            addRules(family, &random)
        }
        if random.chance(0.1) { routes.append("link set \(random.pick(Self.interfaces)) down") }
    }

    private mutating func addAddress(_ text: String, _ link: String) {
        links.append("address add \(text) dev \(link)\(text.contains(":") ? " nodad" : "")")
    }

    private func own(_ family: Family, on link: String) -> [String] {
        addresses.filter { $0.link == link }.map(\.text)
            .filter { $0.contains(":") == (family == .v6) && !$0.hasPrefix("fe80") }
            .map(\.withoutLength)
    }

    private func own(_ family: Family) -> [String] {
        (["lo"] + Self.interfaces).flatMap { own(family, on: $0) }
    }

    private static let tables = ["main", "100", "101", "102"]

    private static func gateway(_ family: Family, _ link: Int) -> String {
        family == .v4 ? "10.0.\(link).254" : "fe80::fe"
    }

    static func prefixes(_ family: Family) -> [String] {
        family == .v4
            ? ["0.0.0.0/1", "128.0.0.0/1", "198.51.100.0/24", "198.51.100.0/28", "203.0.113.0/24", "192.0.2.9/32"]
            : ["2000::/3", "2001:db8:7::/48", "2001:db8:7:1::/64", "2001:db8:8::/48", "2001:db8:7::9/128"]
    }

    private mutating func addRoutes(_ family: Family, _ random: inout SeededGenerator) {
        var taken: Set<String> = []
        for _ in 0..<Int.random(in: 2...8, using: &random) {
            let table = random.chance(0.4) ? "main" : random.pick(Self.tables)
            var key = random.chance(0.5) ? "default" : random.pick(Self.prefixes(family))
            if family == .v6, random.chance(0.3) { key += " from \(sources(family, &random))" }
            key += " table \(table)"
            if random.chance(0.3) { key += " metric \(random.pick([50, 2000]))" }
            guard taken.insert(key).inserted else { continue }
            let refusal = random.chance(0.25) ? random.pick(["unreachable", "prohibit", "blackhole", "throw"]) : nil
            let command = "\(family.option) route add"
            if let refusal {
                routes.append("\(command) \(refusal) \(key)")
            } else if random.chance(0.15), !key.contains("from"), let group = group(family, &random) {
                links.append(group)
                routes.append("\(command) \(key) nhid \(nextHop)")
            } else {
                routes.append("\(command) \(key) \(way(family, &random))")
            }
        }
    }

    /// An object of equal next hops (ip-nexthop(8)), whose number is then that of the last next hop.
    private mutating func group(_ family: Family, _ random: inout SeededGenerator) -> String? {
        // A link without a carrier is refused.
        let working = [0, 1, 2].filter { self.links.contains("link set eth\($0)-peer up") }
        guard working.count > 1 else { return nil }
        let chosen = working.shuffled(using: &random).prefix(2)
        var commands = chosen.enumerated().map { number, link in
            let gateway = Self.gateway(family, link)
            return "nexthop add id \(nextHop + 1 + number) via \(gateway) dev eth\(link) onlink"
        }
        commands.append("nexthop add id \(nextHop + 3) group \(nextHop + 1)/\(nextHop + 2)")
        nextHop += 3
        return commands.joined(separator: "\n")
    }

    /// Where a route leads.
    private func way(_ family: Family, _ random: inout SeededGenerator) -> String {
        let links = [0, 1, 2].shuffled(using: &random)
        func hop(_ link: Int) -> String { "via \(Self.gateway(family, link)) dev eth\(link) onlink" }
        let source =
            if random.chance(0.35) {
                random.maybe(own(family, on: random.chance(0.6) ? "lo" : "eth\(links[0])"))
            } else {
                String?.none
            }
        let suffix = source.map { " src \($0)" } ?? ""
        switch Int.random(in: 0..<10, using: &random) {
        case ..<4: return hop(links[0]) + suffix
        case ..<6: return "dev eth\(links[0])" + suffix
        default:
            // The source belongs to the route as a whole.
            let legs = links.prefix(random.chance(0.7) ? 2 : 3).map { link in
                "nexthop \(hop(link)) weight \(Int.random(in: 1...3, using: &random))"
            }
            return suffix + " " + legs.joined(separator: " ")
        }
    }

    /// A prefix of source addresses.
    private func sources(_ family: Family, _ random: inout SeededGenerator) -> String {
        if let one = random.maybe(own(family)), random.chance(0.6) {
            return one
        }
        return family == .v4
            ? random.pick(["10.0.0.0/24", "10.0.1.0/24", "10.9.0.0/24", "10.0.0.0/8"])
            : random.pick(["2001:db8:1::/64", "2001:db8:2::/64", "2001:db8:9::/48", "2001:db8::/32", "fd00::/8"])
    }

    private mutating func addRules(_ family: Family, _ random: inout SeededGenerator) {
        for number in 0..<Int.random(in: 0...5, using: &random) {
            var selectors: [String] = []
            if random.chance(0.4) { selectors.append("from \(sources(family, &random))") }
            if random.chance(0.2) { selectors.append("to \(random.pick(Self.prefixes(family)))") }
            if random.chance(0.2) { selectors.append("fwmark 7") }
            if random.chance(0.25) { selectors.append("ipproto \(random.pick(["tcp", "udp"]))") }
            if random.chance(0.2) { selectors.append("uidrange \(random.pick(["0-0", "1000-1999"]))") }
            if random.chance(0.1) {
                selectors.append("dport \(random.pick(["443", "1-100"]))")
                hasPorts = true
            }
            if random.chance(0.1) { selectors.append("iif lo") }
            if random.chance(0.1) { selectors.append("oif eth0") }
            var action = "lookup \(random.pick(Self.tables))"
            if random.chance(0.1) { action = "lookup main suppress_prefixlength 0" }
            // One without a selector would refuse everything.
            if random.chance(0.25), !selectors.isEmpty {
                action = random.pick(["unreachable", "prohibit", "blackhole"])
            }
            let not = selectors.count == 1 && random.chance(0.15) ? "not " : ""
            routes.append(
                "\(family.option) rule add \(not)\(selectors.joined(separator: " ")) priority \(100 + number) \(action)"
            )
        }
    }

    /// The addresses that a question may be sent from.
    func senders(_ family: Family) -> [String] {
        own(family) + (family == .v4 ? ["127.0.0.1", "10.7.7.7"] : ["::1", "2001:db8:77::7"])
    }
}

// MARK: - Making

extension Network {
    /// Makes the network. Throws if the kernel refuses a command.
    func make() throws -> Machine {
        let topology = try Machine()
        let (settings, commands) = (links.filter(\.isSetting), links.filter { !$0.isSetting })
        try topology.ip(commands.joined(separator: "\n"))
        for setting in settings {
            let words = setting.split { $0 == " " || $0 == "=" }.map(String.init)
            try topology.set(words[1], Int(words[2])!)
        }
        for (text, link) in addresses where text.contains(":") {
            let index = try topology.index(of: link)
            try topology.waitForRoute(to: IPAddress(text: text.withoutLength), through: link == "lo" ? nil : index) {
                if case .route(let route) = $0 { route.kind == .local } else { false }
            }
        }
        // The lines of a batch have no options of their own.
        for family in Family.allCases {
            let lines = routes.filter { $0.hasPrefix(family.option) }.map { $0.dropFirst(3) + "\n" }.joined()
            _ = try topology.run { try CallingThread.execute(["ip", family.option, "-batch", "-"], input: lines) }
        }
        try topology.ip(routes.filter { !$0.hasPrefix("-") }.joined(separator: "\n"))
        // Up to Linux 6.7 the state of a link says up to a second late that its carrier is gone (net/core/link_watch.c).
        for name in Self.interfaces {
            try topology.waitForLink(name) { $0.flags.contains(.running) == $0.flags.contains(.lowerUp) }
        }
        return topology
    }

    /// A script for a shell that makes the network, and stays in it.
    var script: String {
        let commands = (links + routes).flatMap { $0.split(separator: "\n") }
            .map { $0.hasPrefix("sysctl") ? "\($0)" : "ip \($0)" }
        let settings = ["all", "default"].map { "net.ipv6.conf.\($0).accept_dad=0" }.joined(separator: " ")
        return (["# unshare -n sh", "sysctl -q \(settings)", "ip link set lo up"] + commands).joined(separator: "\n")
    }

    /// The network without one of its commands.
    func without(_ number: Int) -> Network {
        var smaller = self
        if number < links.count {
            smaller.links.remove(at: number)
        } else {
            smaller.routes.remove(at: number - links.count)
        }
        return smaller
    }

    var commandCount: Int { links.count + routes.count }
}

extension SeededGenerator {
    mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    mutating func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &self)! }

    mutating func maybe<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &self) }
}

extension String {
    var withoutLength: String { String(prefix { $0 != "/" }) }
    fileprivate var isSetting: Bool { hasPrefix("sysctl") }
}

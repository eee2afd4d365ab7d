// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
import ReachabilityNetlink

/// Writes lookup records as sentences. Pure, so that tests can check each sentence.
package struct ExplanationText {
    /// The name of an interface, or its number if the name is not known.
    package let nameOf: (InterfaceIndex) -> String
    private let lookupMethod: Explanation.LookupMethod

    package init(
        _ lookupMethod: Explanation.LookupMethod = .netlink, nameOf: @escaping (InterfaceIndex) -> String
    ) {
        self.nameOf = nameOf
        self.lookupMethod = lookupMethod
    }

    /// The question, the route and the link, in this order.
    package func steps(for record: LookupRecord) -> [Explanation.Step] {
        var steps = [Explanation.Step("asked", question(record))]
        switch record.answer {
        case .route(let route) where lookupMethod == .udp || route.isHopUnknown:
            if let source = route.source { steps.append(Explanation.Step("source", source.description)) }
        case .unreachable(let refusal): steps.append(Explanation.Step("route", "none: \(refusal)"))
        case .route(let route): steps.append(Explanation.Step("route", self.route(route)))
        }
        if let link = record.link { steps.append(Explanation.Step("link", self.link(link))) }
        if record.dependsOnPorts {
            steps.append(
                Explanation.Step("rules", "a routing rule names ports that are not known here; it may decide otherwise")
            )
        }
        return steps
    }

    /// Why each flag is set, or why the target is not reachable.
    package func flagSteps(for verdict: Verdict, _ record: LookupRecord?) -> [Explanation.Step] {
        var steps: [Explanation.Step] = []
        for (flag, word, _) in ReachabilityFlags.vocabulary where verdict.flags.contains(flag) {
            steps.append(Explanation.Step("flag", "\(word): \(cause(of: flag, verdict, record?.link))"))
        }
        if verdict.flags.isEmpty { steps.append(Explanation.Step("flag", "Not Reachable: \(verdict.reason)")) }
        return steps
    }

    private func question(_ record: LookupRecord) -> String {
        let query = record.query
        var text =
            switch record.purpose {
            case .target: "the route to \(query.destination.unscoped)"
            case .ownership: "whether \(query.destination.unscoped) is an address of this machine"
            case .defaultPath:
                "the default route of IPv\(query.destination.family == .v4 ? "4" : "6"), by the route to \(query.destination)"
            }
        if record.isRepeated { text += ", again" }
        if let source = query.source { text += ", from \(source.unscoped)" }
        if let interface = query.interface {
            text += ", bound to \(nameOf(interface))"
            if record.given.interface == nil, query.boundInterface == interface { text += Self.byControlGroup }
        }
        if let mark = query.mark {
            text += ", with mark 0x\(String(mark, radix: 16))"
            if record.given.mark == nil { text += Self.byControlGroup }
        }
        if let userID = query.userID { text += ", as user \(userID)" }
        if query.transport == .udp, lookupMethod != .udp { text += ", as UDP" }
        if let port = query.port { text += ", to port \(port)" }
        if lookupMethod == .udp {
            text += ", by connecting a UDP socket, as netlink is forbidden here; nothing is sent"
        }
        return text
    }

    private static let byControlGroup = " (set for every new socket by the control group)"

    private func route(_ route: RouteDecision) -> String {
        var parts: [String] = []
        switch route.kind {
        case .unicast: break
        case let kind: parts.append("type \(kind)")
        }
        if let prefix = route.match?.prefix { parts.append(prefix.length == 0 ? "default" : "\(prefix)") }
        parts.append("table \(Self.table(of: route))")
        if let metric = route.metric { parts.append("metric \(metric)") }
        if let id = route.match?.nextHopID { parts.append("next-hop object \(id)") }
        parts.append(route.gateway.map { "via \($0.unscoped)" } ?? "no gateway")
        if let interface = route.interface { parts.append("leaves by \(nameOf(interface))") }
        if let source = route.source { parts.append("source \(source.unscoped)") }
        if let ticks = route.expiresInTicks { parts.append("expires in \(Int64(ticks) / clockTicksPerSecond) s") }
        return parts.joined(separator: ", ")
    }

    private func link(_ link: LinkFacts) -> String {
        var parts = ["\(link.name) (number \(link.index.rawValue))", Self.hardware(link.hardwareType)]
        if let kind = link.kind { parts.append("kind \(kind)") }
        if let type = link.deviceType { parts.append("device type \(type)") }
        if link.isCellular { parts.append("a mobile network") }
        if link.isPointToPoint { parts.append("point-to-point") }
        if let master = link.master { parts.append("port of \(nameOf(master))") }
        parts.append(link.flags.contains(.up) ? "up" : "down")
        parts.append("operational state \(Self.state(link.operationalState))")
        return parts.joined(separator: ", ")
    }

    private func cause(of flag: ReachabilityFlags, _ verdict: Verdict, _ link: LinkFacts?) -> String {
        let name = (link.map(\.name) ?? verdict.interface.map(nameOf)) ?? "the link"
        switch flag {
        case .reachable where verdict.reason == .thisMachine: return "the kernel delivers to its own addresses"
        case .reachable where verdict.interface == nil: return "\(verdict.reason)"
        case .reachable: return "there is a route, and \(name) is up"
        case .transientConnection:
            return link?.isCellular == true
                ? "\(name) is a mobile network" : "\(name) has a single peer, as a tunnel or dial-up has"
        case .connectionRequired: return "\(name) is dormant: it waits for a connection to be made"
        case .connectionOnTraffic: return "traffic makes a dormant link of this kind connect"
        case .isLocalAddress: return "\(verdict.reason)"
        case .isDirect: return verdict.reason == .thisMachine ? "no gateway lies between" : "\(Reason.onLink)"
        case .isWWAN: return "\(name) is a mobile network's link"
        default: return "\(verdict.reason)"
        }
    }

    // MARK: Names for numbers

    /// The table that a route is from.
    static func table(of route: RouteDecision) -> String {
        // Without policy rules, the kernel keeps the local table inside the main one (fib_trie_alias in
        // net/ipv4/fib_trie.c) and answers with that number. `ip route show table local` lists the route all the same.
        let isInLocalTable = [.local, .broadcast, .anycast].contains(route.kind)
        return table(isInLocalTable && route.table == 254 ? 255 : route.table)
    }

    /// The tables that have names on every system (linux/rtnetlink.h, rt_class_t).
    private static func table(_ number: UInt32) -> String {
        switch number {
        case 253: "default"
        case 254: "main"
        case 255: "local"
        default: "\(number)"
        }
    }

    /// The most frequent ARPHRD_ numbers (linux/if_arp.h).
    private static func hardware(_ type: UInt16) -> String {
        switch type {
        case 1: "Ethernet"
        case 512: "PPP"
        case 519: "raw IP"
        case 768: "IPIP tunnel"
        case 772: "loopback"
        case 776: "IPv6-in-IPv4 tunnel"
        case 778: "GRE tunnel"
        case 65534: "no link layer"
        default: "link layer type \(type)"
        }
    }

    private static func state(_ state: LinkFacts.OperationalState) -> String {
        switch state {
        case .unknown: "unknown (counts as up)"
        case .notPresent: "not present"
        case .down: "down (no carrier)"
        case .lowerLayerDown: "lower layer down"
        case .testing: "testing"
        case .dormant: "dormant"
        case .up: "up"
        }
    }
}

extension Explanation {
    /// The explanation of the answer for addresses.
    ///
    /// - Parameter portsDecide: whether the route has several hops, and ports decide which of them a connection takes.
    init(
        of target: Target, _ lookup: TargetLookup, names: [InterfaceIndex: String], portsDecide: Bool = false,
        lookupMethod: LookupMethod = .netlink
    ) {
        let (verdict, records) = (lookup.result, lookup.records)
        let text = ExplanationText(lookupMethod) { names[$0] ?? "interface \($0.rawValue)" }
        // The last lookup that gave this answer decided. The first lookup of a pair only checks the local address.
        let deciding = records.last { $0.verdict == verdict } ?? records.last
        let route = deciding?.answer.route
        let source = deciding?.query.source ?? route?.source
        var steps = records.flatMap(text.steps) + text.flagSteps(for: verdict, deciding)
        if lookupMethod == .netlinkQuestions {
            steps.append(Step("changes", "the kernel announces none here; what is watched is looked at again"))
        }
        if portsDecide {
            steps.append(Step("hops", "the route has several hops, and ports decide which of them a connection takes"))
        }
        self.init(
            target: target.description,
            flags: verdict.flags,
            interface: portsDecide ? nil : verdict.interface.map { names[$0] ?? "\($0.rawValue)" },
            gateway: portsDecide ? nil : route?.gateway?.unscoped.description,
            source: source?.unscoped.description,
            table: route.flatMap { $0.isHopUnknown ? nil : ExplanationText.table(of: $0) },
            addresses: target.addresses.map(\.description),
            lookupMethod: lookupMethod,
            reason: verdict.reason,
            steps: steps)
    }
}

extension Target {
    /// The addresses of the target.
    fileprivate var addresses: [IPAddress] {
        switch self {
        case .address(let address): [address]
        case .pair(let local, let remote): [remote ?? local]
        case .defaultPath, .defaultPathOf: []
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink

/// Which interfaces a client wants to use.
package struct PathRestriction: Hashable, Sendable {
    package var required: InterfaceKind?
    package var prohibited: Set<InterfaceKind> = []

    package init(required: InterfaceKind? = nil, prohibited: Set<InterfaceKind> = []) {
        self.required = required
        self.prohibited = prohibited
    }

    package var isNone: Bool { required == nil && prohibited.isEmpty }

    package func allows(_ kind: InterfaceKind) -> Bool {
        !prohibited.contains(kind) && (required == nil || required == kind)
    }
}

/// A path reduced to the interfaces that a restriction allows.
package struct PathView: Hashable, Sendable {
    package var status = NetworkPath.Status.unsatisfied
    /// The interfaces that lead out, in order of preference.
    package var interfaces: [NetworkPath.Interface] = []
    /// The interfaces that packets leave by now: the first of each family, and the one that a tunnel most likely uses.
    package var used: [NetworkPath.Interface] = []
    package var hasIPv4 = false
    package var hasIPv6 = false
    package var hasDNS = false

    /// Whether some packets leave by a mobile network or a metered interface.
    package var isExpensive: Bool { used.contains { $0.kind == .cellular || $0.isMetered } }

    package init() {}
}

extension NetworkPath {
    /// The path over the interfaces that a restriction allows.
    ///
    /// Without a restriction, the kernel's decision about unbound packets counts. With one, its decisions about packets
    /// bound to each allowed interface do.
    package func view(_ restriction: PathRestriction = PathRestriction()) -> PathView {
        var view = PathView()
        let known = restriction.required == .loopback ? loopback.map { [$0] } ?? [] : interfaces
        let allowed = known.filter { $0.leadsOut && restriction.allows($0.kind) }
        var best = ReachabilityFlags.Rank.none
        for family in AddressFamily.allCases {
            let flags =
                if restriction.isNone {
                    defaultRoute(family)?.flags
                } else {
                    allowed.compactMap { $0.wayOut(family)?.flags }.max { $0.rank < $1.rank }
                }
            let rank = flags?.rank ?? .none
            best = max(best, rank)
            if rank == .reachable { if family == .v4 { view.hasIPv4 = true } else { view.hasIPv6 = true } }
        }
        switch best {
        case .none: return view
        case .connectionRequired: view.status = .requiresConnection
        case .reachable: view.status = .satisfied
        }
        view.interfaces = restriction.isNone ? withDefaultOverLoopback(allowed) : allowed
        view.used = inUse(view.interfaces)
        view.hasDNS = view.status == .satisfied && !servers.isEmpty
        return view
    }

    /// Adds loopback if the default route leads to this machine itself, as on a machine that answers for all addresses.
    private func withDefaultOverLoopback(_ allowed: [Interface]) -> [Interface] {
        guard let loopback, [ipv4, ipv6].contains(where: { $0?.interface == loopback.index }) else { return allowed }
        return [loopback] + allowed
    }

    private func inUse(_ interfaces: [Interface]) -> [Interface] {
        var used: [Interface] = []
        for family in AddressFamily.allCases {
            let first = interfaces.first { $0.wayOut(family)?.flags.rank == .reachable }
            let next = first ?? interfaces.first { $0.wayOut(family) != nil }
            if let next, !used.contains(next) { used.append(next) }
        }
        // A tunnel's packets leave by another interface. The kernel does not say by which; without the tunnel's own
        // routes it would choose the most preferred one.
        if used.contains(where: \.isTunnel), let carrier = interfaces.first(where: { !$0.isTunnel }),
            !used.contains(carrier)
        {
            used.append(carrier)
        }
        return used
    }
}

/// What `scutil --nwi` prints, in Apple's layout (configd-1405, nwi/network_state_information_logging.h).
package struct NetworkInformationText: Hashable, Sendable {
    /// The lines, without a newline at the end.
    package let text: String
    /// False if no interface leads out. `scutil` then exits with 1.
    package let hasState: Bool

    /// - Parameter only: the one interface to describe; nil for all.
    package init(_ path: NetworkPath, only: String? = nil) {
        let interfaces = path.interfaces.filter { $0.leadsOut && (only == nil || $0.name == only) }
        guard !interfaces.isEmpty else {
            (text, hasState) = ("No network information", false)
            return
        }
        var lines = ["Network information"]
        for family in AddressFamily.allCases {
            lines += ["", "IPv\(family.digit) network interface information"]
            let mine = interfaces.filter { $0.wayOut(family) != nil }
            for interface in mine { lines += Self.lines(for: interface, family, path) }
            // Apple's program ends this line with two newlines.
            if mine.isEmpty { lines += ["   No IPv\(family.digit) states found", ""] }
            lines += ["", "   REACH : flags \(Self.words(path.defaultRoute(family)?.flags ?? []))"]
        }
        lines += ["", "Network interfaces: " + interfaces.map(\.name).joined(separator: " ")]
        (text, hasState) = (lines.map(\.printable).joined(separator: "\n"), true)
    }

    private static func lines(
        for interface: NetworkPath.Interface, _ family: AddressFamily, _ path: NetworkPath
    ) -> [String] {
        var flags: [(bit: UInt32, word: String)] = []
        if interface.ipv4 != nil { flags.append((0x1, "IPv4")) }
        if interface.ipv6 != nil { flags.append((0x2, "IPv6")) }
        // The servers in resolv.conf belong to no interface in particular.
        if !path.servers.isEmpty { flags.append((0x4, "DNS")) }
        let number = flags.reduce(0) { $0 | $1.bit }
        let name = String(repeating: " ", count: max(0, 7 - interface.name.count)) + interface.name
        var lines = [
            "\(name) : flags      : 0x\(String(number, radix: 16)) (\(flags.map(\.word).joined(separator: ",")))"
        ]
        let mine = interface.addresses.filter { $0.address.family == family }
        if let address = mine.first(where: \.reachesBeyondLink) ?? mine.first {
            lines.append("           address    : \(address.address)")
        }
        lines.append("           reach      : \(words(interface.wayOut(family)?.flags ?? []))")
        return lines
    }

    private static func words(_ flags: ReachabilityFlags) -> String {
        let digits = String(flags.rawValue, radix: 16)
        return "0x" + String(repeating: "0", count: 8 - digits.count) + digits + " (\(flags))"
    }
}

extension AddressFamily {
    fileprivate var digit: String { self == .v4 ? "4" : "6" }
}

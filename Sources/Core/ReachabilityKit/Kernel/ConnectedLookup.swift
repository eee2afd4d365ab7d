// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink

/// Answers if netlink is forbidden (a seccomp filter, systemd's RestrictAddressFamilies=, gVisor), by connecting a UDP
/// socket. The kernel then looks up a route and sends nothing.
///
/// This tells less. The gateway is unknown, so only addresses of this machine are known to be direct. The link is known
/// only through the source address. Rules see a UDP socket. Answers are not kept, because no change is announced.
struct ConnectedLookup {
    let keys: RoutingKeys
    private let deviceTypes = DeviceTypes()

    /// What was found out about a target.
    struct Finding {
        var verdict: Verdict
        var source: IPAddress?
        var linkName: String?
    }

    func finding(on target: Target) throws(ReachabilityError) -> Finding {
        guard keys.mark == nil, keys.userID == nil else {
            throw ReachabilityError(
                .unsupported, "look up", target.description,
                "netlink is forbidden here, and without it neither marks nor user ids can be taken into account")
        }
        var lookup = TargetLookup(target, keys: keys)
        lookup.begin { Interfaces.index(of: $0.description).flatMap(InterfaceIndex.init) }
        var deciding = Finding(verdict: lookup.result.verdict)
        while lookup.family != nil {
            // The socket itself has the values of a new socket, and meets the rules.
            let query = lookup.question(under: TargetLookup.Circumstances(rules: [], socket: .init()))
            let finding: Finding
            do throws(Errno) {
                finding = try lookup.isAboutOwnership ? ownership(of: query.destination) : self.finding(query)
            } catch {
                throw .kernel("connect a socket to", target.description, error)
            }
            lookup.take(finding.verdict)
            // A default path has fewer flags, and the best of two counts.
            if lookup.result.verdict.reason == finding.verdict.reason { deciding = finding }
        }
        deciding.verdict = lookup.result.verdict
        return deciding
    }

    private static let own = Verdict(flags: [.reachable, .isLocalAddress, .isDirect], reason: .thisMachine)

    private func ownership(of address: IPAddress) throws(Errno) -> Finding {
        guard try ConnectedProbe.isOwn(address) else { return Finding(verdict: .unreachable(.notOurAddress)) }
        return Finding(verdict: Self.own, source: address.unscoped)
    }

    private func finding(_ query: RouteQuery) throws(Errno) -> Finding {
        let destination = Self.connectable(query.destination)
        if destination.needsInterface, query.interface == nil {
            return Finding(verdict: .unreachable(.interfaceNotNamed))
        }
        let source: IPAddress
        do throws(Errno) {
            let probe = try ConnectedProbe(destination.family)
            if let interface = query.boundInterface { try probe.bind(to: .index(interface)) }
            if let local = query.source { try probe.bind(source: local) }
            source = try probe.connect(
                to: destination, scope: destination.needsInterface ? query.interface?.rawValue ?? 0 : 0,
                port: query.port)
        } catch {
            guard let refusal = Self.refusal(error) else { throw error }
            return Finding(verdict: .unreachable(.refused(refusal)))
        }
        if destination.isLoopback || source == destination.unscoped {
            return Finding(verdict: Self.own, source: source)
        }
        if source.isLoopback || source.isUnspecified {
            return Finding(verdict: .unreachable(.noSourceAddress), source: source)
        }
        let link = link(owning: source)
        // It is unknown whether there is a gateway. The verdict assumes one.
        let assumed = RouteDecision(kind: .unicast, interface: link?.index, gateway: source, source: source)
        var verdict =
            link.map {
                PathEvaluation.evaluate(
                    RouteQuery(destination: destination, interface: query.interface), answer: .route(assumed),
                    link: $0.state)
            } ?? Verdict(flags: .reachable, reason: .connectable)
        if verdict.reason == .throughGateway || verdict.reason == .onLink { verdict.reason = .connectable }
        verdict.flags.remove(.isDirect)
        return Finding(verdict: verdict, source: source, linkName: link?.name)
    }

    /// A socket refuses the addresses that stand for the default path. It is connected to those of the DNS root server A.
    private static func connectable(_ destination: IPAddress) -> IPAddress {
        TargetLookup.behindDefault.firstIndex(of: destination).map { farAway[$0] } ?? destination
    }

    /// Two addresses behind the default route.
    private static let farAway: [IPAddress] = [
        .v4(IPv4Address(198, 41, 0, 4)),
        .v6(IPv6Address(high: 0x2001_0503_BA3E_0000, low: 0x0000_0000_0002_0030)),
    ]

    private static func refusal(_ error: Errno) -> RouteRefusal? {
        switch error {
        case .networkUnreachable, .addressNotAvailable: .noRoute
        case .hostUnreachable: .unreachable
        case .permissionDenied: .prohibited
        case .invalidArgument: .blackhole
        case .addressFamilyNotSupported: .familyUnsupported
        default: nil
        }
    }

    /// The link that has this address, with the facts that are available without netlink.
    func link(owning source: IPAddress) -> LinkFacts? {
        let name =
            switch source {
            case .v4(let address): Interfaces.owner(ofIPv4: address.rawValue.bigEndian)
            case .v6: Interfaces.owner(ofIPv6: source.bytes.map(Self.twoDigits).joined())
            }
        guard let name, let number = Interfaces.index(of: name), let index = InterfaceIndex(number),
            let flags = Interfaces.flags(of: name)
        else { return nil }
        var link = LinkFacts(
            index: index, name: name, hardwareType: Interfaces.hardwareType(of: name) ?? 1,
            flags: LinkFacts.Flags(rawValue: flags))
        // IFF_RUNNING means the operational state "up" or "unknown" (netif_oper_up in linux/netdevice.h).
        link.operationalState = link.flags.contains(.running) ? .up : .down
        link.deviceType = (try? deviceTypes.type(of: link)) ?? nil
        return link
    }

    private static func twoDigits(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }
}

extension ReachabilityError {
    /// Whether netlink is forbidden to this process, and not merely failing.
    var saysNetlinkIsForbidden: Bool {
        guard code == .kernelUnavailable, operation == NetlinkError.Operation.open.rawValue, let errno else {
            return false
        }
        let forbidden: [Errno] = [
            .notPermitted, .permissionDenied, .notImplemented, .addressFamilyNotSupported, .protocolNotSupported,
        ]
        return forbidden.contains(Errno(rawValue: errno))
    }
}

extension ConnectedProbe {
    /// The source address that a socket with the keys of a question would have.
    ///
    /// The socket speaks UDP, because TCP would send something. So a rule that refuses UDP alone also hides the source.
    static func source(for query: RouteQuery, in namespace: NamespaceHandle?) throws(Errno) -> IPAddress {
        let probe = try ConnectedProbe(query.destination.family, in: namespace)
        if let interface = query.boundInterface { try probe.bind(to: .index(interface)) }
        if let mark = query.mark { try probe.setMark(mark) }
        if let userID = query.userID { try probe.setOwner(userID) }
        return try probe.connect(
            to: query.destination, scope: query.destination.needsInterface ? query.interface?.rawValue ?? 0 : 0,
            port: query.port)
    }
}

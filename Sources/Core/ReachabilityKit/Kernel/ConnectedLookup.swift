// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import NetworkFacts

/// Answers if netlink is forbidden (a seccomp filter, systemd's RestrictAddressFamilies=, gVisor), by connecting a UDP
/// socket. The kernel then looks up a route and sends nothing.
///
/// This tells less. The gateway is unknown, so only addresses of this machine are known to be direct. The link is known
/// only through the source address. Answers are not kept, because no change is announced.
struct UDPLookup {
    let keys: RoutingKeys
    private let deviceTypes = DeviceTypes()

    /// The result for one destination.
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
        do throws(Errno) {
            switch target {
            case .address(let address): return try finding(on: address, from: nil)
            case .pair(let local, let remote): return try finding(from: local.unmapped, to: remote?.unmapped)
            case .defaultPath: return try defaultPath(from: nil)
            case .defaultPathOf(let family): return try defaultPath(from: nil, of: family)
            // The addresses of a name are asked about one by one.
            case .name: return Finding(verdict: .unreachable(.refused(.noRoute)))
            }
        } catch {
            throw .kernel("connect a socket to", target.description, error)
        }
    }

    private func finding(on address: IPAddress, from local: IPAddress?) throws(Errno) -> Finding {
        let destination = address.unmapped
        let source: IPAddress
        if destination.needsInterface, destination.scope == nil, keys.interfaceName == nil {
            return Finding(verdict: .unreachable(.interfaceNotNamed))
        }
        do throws(Errno) {
            let bytes = try ConnectedProbe.source(
                towards: destination.bytes, from: local?.bytes, scope: address.scope?.rawValue ?? 0,
                device: destination.isLoopback ? nil : keys.interfaceName)
            source = IPAddress(bytes: bytes)
        } catch {
            guard let refusal = Self.refusal(error) else { throw error }
            return Finding(verdict: .unreachable(.refused(refusal)))
        }
        if destination.isLoopback || source == destination.unscoped {
            return Finding(
                verdict: Verdict(flags: [.reachable, .isLocalAddress, .isDirect], reason: .thisMachine), source: source)
        }
        if source.isLoopback || source.isUnspecified {
            return Finding(verdict: .unreachable(.noSourceAddress), source: source)
        }
        let link = link(owning: source)
        // It is unknown whether there is a gateway. The verdict assumes one.
        let query = RouteQuery(destination: destination, interface: destination.scope)
        let assumed = RouteDecision(
            kind: .unicast, interface: link?.index, gateway: source, source: source)
        var verdict =
            link.map { PathEvaluation.evaluate(query, answer: .route(assumed), link: $0.state) }
            ?? Verdict(flags: .reachable, reason: .connectable)
        if verdict.reason == .throughGateway || verdict.reason == .onLink { verdict.reason = .connectable }
        verdict.flags.remove(.isDirect)
        return Finding(verdict: verdict, source: source, linkName: link?.name)
    }

    private func finding(from local: IPAddress, to remote: IPAddress?) throws(Errno) -> Finding {
        guard try ConnectedProbe.isOwn(local.bytes, scope: local.scope?.rawValue ?? 0) else {
            return Finding(verdict: .unreachable(.notOurAddress))
        }
        guard let remote else { return try finding(on: local, from: nil) }
        if remote.isUnspecified { return try defaultPath(from: local) }
        guard remote.family == local.family else { return Finding(verdict: .unreachable(.familiesDiffer)) }
        return try finding(on: remote, from: local.isLoopback && !remote.isLoopback ? nil : local)
    }

    private func defaultPath(from local: IPAddress?, of family: AddressFamily? = nil) throws(Errno) -> Finding {
        var last: Finding?
        let wanted = local?.family ?? family
        for address in Self.farAway where wanted == nil || wanted == address.family {
            var found = try finding(on: address, from: local.flatMap { $0.isLoopback ? nil : $0 })
            found.verdict = PathEvaluation.asDefaultPath(found.verdict)
            if found.verdict.flags.rank == .reachable { return found }
            if last.map({ found.verdict.flags.rank > $0.verdict.flags.rank }) ?? true { last = found }
        }
        return last ?? Finding(verdict: .unreachable(.refused(.noRoute)))
    }

    /// Two addresses behind the default route: those of the DNS root server A. A socket refuses 0.0.0.1.
    static let farAway: [IPAddress] = [
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
            .notPermitted, .permissionDenied, .addressFamilyNotSupported, .protocolNotSupported,
        ]
        return forbidden.contains(Errno(rawValue: errno))
    }
}

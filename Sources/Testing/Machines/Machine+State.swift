// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink

@_implementationOnly import CReachabilityLinux

extension Machine {
    /// Makes ``state`` also explain whether and why these hosts can be reached. Hosts at which a server was started on a machine
    /// are explained in any case.
    public func explainOnFailure(_ hosts: String...) {
        belongings.withLock { belongings in
            belongings.hosts += hosts.filter { !belongings.hosts.contains($0) }
        }
    }

    /// The network as text, for the message of a failed test: links, addresses, routes, rules and servers. For the machine that
    /// is this process, it also names the name servers in use, and explains why hosts can or cannot be reached.
    public var state: String {
        var parts: [(title: String, lines: [String])] = []
        let network: (NetworkInventory, [String], [String])
        do throws(MachineError) {
            network = try ask(to: "list the network of \(name)") { (requester) throws(NetlinkError) in
                let inventory = try requester.inventory()
                return (inventory, try requester.routeLines(inventory), try requester.ruleLines())
            }
        } catch {
            return "\(name): \(error)"
        }
        let inventory = network.0
        parts.append(("links", inventory.links.map(\.facts.line)))
        parts.append(
            (
                "addresses",
                inventory.addresses.map { "\($0.address) on \(inventory.name(of: $0.address.interface) ?? "?")" }
            ))
        parts.append(("routes", network.1))
        parts.append(("rules", network.2))
        parts.append(("servers, and what has come to them", serverLines))
        if isThisProcess {
            parts.append(("name servers", ResolverFile.lines))
            let hosts = MachineRegistry.shared.machines.flatMap { $0.belongings.withLock(\.hosts) }
            parts.append(("hosts", hosts.flatMap { host in run { Self.explanation(of: host) } }))
        }
        let lines = parts.flatMap { part in ["  \(part.title):"] + part.lines.map { "    \($0)" } }
        return (["\(name):"] + lines).joined(separator: "\n")
    }

    private var serverLines: [String] {
        belongings.withLock(\.servers).map { name, server in
            let activity = server.activity
            return "\(name): \(activity.isEmpty ? "nothing" : activity.joined(separator: ", "))"
        }
    }

    /// The states of this process's machine, if it was asked for, and of all machines that have names.
    package static var states: String { MachineRegistry.shared.machines.map(\.state).joined(separator: "\n") }

    private static func explanation(of host: String) -> [String] {
        var options = ReachabilityOptions()
        // A failed test must not hang as well, because its name server does not answer.
        options.resolutionTimeout = .seconds(1)
        do {
            let reference = try ReachabilityRef(text: TargetText(host), options: options)
            return try reference.explain().description.split(separator: "\n").map(String.init)
        } catch {
            return ["\(host): \(error)"]
        }
    }
}

extension LinkFacts {
    fileprivate var line: String {
        let words = [
            name, kind ?? (isLoopback ? "loopback" : nil), flags.contains(.up) ? "up" : "down",
            flags.contains(.lowerUp) ? "with a carrier" : "without a carrier", "state \(operationalState)",
        ]
        return words.compactMap(\.self).joined(separator: ", ")
    }
}

extension NetlinkRequester {
    /// - Parameter header: the bytes after the header of the request, such as struct rtmsg.
    private func lines(
        _ type: Int, _ header: [UInt8], _ read: (RawSpan) throws(WireError) -> String?
    ) throws(NetlinkError) -> [String] {
        var lines: [String] = []
        try dump { sequence, message in
            message.begin(type: Int32(type), flags: Int32(NLM_F_DUMP), sequence: sequence)
            for byte in header { message.append(byte) }
            message.finish()
        } restart: {
            lines = []
        } read: { (_, payload) throws(WireError) in
            if let line = try read(payload) { lines.append(line) }
        }
        return lines
    }

    /// The routes of all tables except the local one.
    fileprivate func routeLines(_ inventory: NetworkInventory) throws(NetlinkError) -> [String] {
        var all: [String] = []
        for family in AddressFamily.allCases {
            let header = [family.linuxValue] + [UInt8](repeating: 0, count: 11)
            all += try lines(RTM_GETROUTE, header) { (payload) throws(WireError) in
                let route = try RouteCodec.read(payload, family: family)
                let match = try RouteCodec.readMatch(payload, family: family)
                guard route.table != 255, match.prefix?.base.isMulticast != true else { return nil }
                let words = [
                    route.kind == .unicast ? nil : "\(route.kind)",
                    match.prefix.map { $0.length == 0 ? "default" : "\($0)" }, route.gateway.map { "via \($0)" },
                    route.interface.flatMap { inventory.name(of: $0) }.map { "on \($0)" },
                    match.metric.flatMap { $0 == 0 ? nil : "metric \($0)" },
                    match.expiresInTicks.map { "for \($0 / 100) s" },
                    route.table == 254 ? nil : "table \(route.table)",
                ]
                return words.compactMap(\.self).joined(separator: " ")
            }
        }
        return all
    }

    /// The rules (struct fib_rule_hdr and FRA_…, linux/fib_rules.h).
    fileprivate func ruleLines() throws(NetlinkError) -> [String] {
        try lines(RTM_GETRULE, [UInt8](repeating: 0, count: 12)) { (payload) throws(WireError) in
            var (priority, mark, table) = (0 as UInt32, nil as UInt32?, UInt32(try payload.load(UInt8.self, at: 4)))
            try WireReader.forEachAttribute(in: payload, from: 12) { (type, value) throws(WireError) in
                switch type {
                case 6: priority = try value.load(at: 0)
                case 10: mark = try value.load(at: 0)
                case 15: table = try value.load(at: 0)
                default: break
                }
            }
            // Rules for multicast have families of their own.
            guard let family = AddressFamily(linuxValue: try payload.load(at: 0)) else { return nil }
            return
                "\(priority): \(family == .v6 ? "IPv6" : "IPv4")\(mark.map { " with mark \($0)" } ?? "") to table \(table)"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

@_implementationOnly import CLinux

/// What the routing rules of a family look at beside the destination, the mark and the interfaces (ip-rule(8)).
package struct RoutingRules: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Some rule names source addresses (`from`).
    package static let sources = RoutingRules(rawValue: 1)
    /// Some rule names users (`uidrange`).
    package static let users = RoutingRules(rawValue: 2)
    /// Some rule names a protocol (`ipproto`).
    package static let protocols = RoutingRules(rawValue: 4)
    /// Some rule names the port of the sender (`sport`).
    package static let sourcePorts = RoutingRules(rawValue: 8)
    /// Some rule names the port of the receiver (`dport`).
    package static let destinationPorts = RoutingRules(rawValue: 16)
}

extension NetlinkRequester {
    /// What the rules of a family look at (RTM_GETRULE, a dump: nobody can ask for less).
    package func rules(of family: AddressFamily) throws(NetlinkError) -> RoutingRules {
        var found: RoutingRules = []
        do throws(NetlinkError) {
            try dump { (sequence, message) in
                message.begin(type: Int32(RTM_GETRULE), flags: Int32(NLM_F_DUMP), sequence: sequence)
                message.append(
                    clinux_fib_rule_hdr(
                        family: family.linuxValue, dst_len: 0, src_len: 0, tos: 0, table: 0, res1: 0, res2: 0,
                        action: 0,
                        flags: 0))
                message.finish()
            } restart: {
                found = []
            } read: { (type, payload) throws(WireError) in
                if type == UInt16(RTM_NEWRULE) { found.formUnion(try RuleCodec.read(payload)) }
            }
        } catch {
            // The kernel has no rules (CONFIG_IP_MULTIPLE_TABLES), or does not speak the family.
            if case .refused(let errno) = error, [.notSupported, .addressFamilyNotSupported].contains(errno) {
                return []
            }
            // Unknown rules may name both, and asking for both does no harm.
            guard error.isRefusal else { throw error }
            return [.sources, .users]
        }
        return found
    }
}

/// The wire form of rules (struct fib_rule_hdr and FRA_…, linux/fib_rules.h).
package enum RuleCodec {
    /// Reads what a rule looks at from an RTM_NEWRULE message.
    package static func read(_ payload: RawSpan) throws(WireError) -> RoutingRules {
        let sourceLength: UInt8 = try payload.load(at: 2)
        var rules: RoutingRules = sourceLength > 0 ? .sources : []
        try WireReader.forEachAttribute(in: payload, from: 12) { (type, _) throws(WireError) in
            switch Int(type) {
            case FRA_UID_RANGE: rules.insert(.users)
            case FRA_IP_PROTO: rules.insert(.protocols)
            case FRA_SPORT_RANGE: rules.insert(.sourcePorts)
            case FRA_DPORT_RANGE: rules.insert(.destinationPorts)
            default: break
            }
        }
        return rules
    }
}

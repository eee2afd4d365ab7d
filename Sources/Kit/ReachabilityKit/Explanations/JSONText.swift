// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles

/// A JSON value on one line (RFC 8259). The keys of an object keep their order.
package indirect enum JSONText {
    case null
    case bool(Bool)
    case number(UInt64)
    case string(String)
    case array([JSONText])
    case object([(String, JSONText)])

    package static func optional(_ text: String?) -> JSONText { text.map(JSONText.string) ?? .null }

    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let value): "\(value)"
        case .string(let value): Self.quoted(value)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.0) + ":" + $0.1.text }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\u{0}"..<"\u{20}", "\u{7F}"..."\u{9F}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension JSONText {
    /// The object for one answer. It always has every key, except that `time` and `after` are there only if they are known.
    ///
    /// - Parameter causes: the changes that led to this evaluation.
    package init(target: String, _ explanation: Explanation, time: String? = nil, after causes: [String]? = nil) {
        let moment: [(String, JSONText)] = time.map { [("time", .string($0))] } ?? []
        self = .object(
            moment + [
                ("target", .string(target)),
                ("flags", .number(UInt64(explanation.flags.rawValue))),
                ("names", .array(explanation.flags.memberNames.map(JSONText.string))),
                ("reachable", .bool(explanation.flags.isReachable)),
                ("interface", .optional(explanation.interface)),
                ("gateway", .optional(explanation.gateway)),
                ("source", .optional(explanation.source)),
                ("addresses", .array(explanation.addresses.map(JSONText.string))),
                ("answered_by", .string(explanation.lookupMethod.rawValue)),
                ("code", .string(explanation.reasonCode)),
                ("reason", .string(explanation.reason)),
            ] + (causes.map { [("after", .array($0.map(JSONText.string)))] } ?? []))
    }
}

extension JSONText {
    /// The object for a path. It always has every key, except that `time` is there only if one is given.
    ///
    /// - Parameter hasIdentity: whether to include the identity, for a reader who can compare paths of this process.
    package init(_ path: NetworkPath, time: String? = nil, hasIdentity: Bool = true) {
        let moment: [(String, JSONText)] = time.map { [("time", .string($0))] } ?? []
        let identity: [(String, JSONText)] = hasIdentity ? [("identity", .number(path.identity.number))] : []
        self = .object(
            moment + [
                ("status", .string(path.status.rawValue)),
                ("ipv4", .bool(path.hasIPv4)),
                ("ipv6", .bool(path.hasIPv6)),
                ("expensive", .bool(path.isExpensive)),
                ("constrained", .bool(path.isConstrained)),
                ("connectivity", .string(path.connectivity.rawValue)),
                ("dns", .array(path.nameServers.map(JSONText.string))),
                ("interfaces", .array(path.interfaces.map(JSONText.init))),
                ("code", .string(path.reasonCode)),
                ("reason", .string(path.reason)),
            ] + identity)
    }

    private init(_ interface: NetworkPath.Interface) {
        self = .object([
            ("name", .string(interface.name)),
            ("index", .number(UInt64(interface.index))),
            ("type", .string(interface.kind.rawValue)),
            ("tunnel", .bool(interface.isTunnel)),
            ("leads_out", .bool(interface.leadsOut)),
            ("addresses", .array(interface.addresses.map(JSONText.string))),
            ("gateways", .array(interface.gateways.map(JSONText.string))),
            ("code", .string(interface.reasonCode)),
            ("reason", .string(interface.reason)),
        ])
    }
}

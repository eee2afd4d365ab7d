// SPDX-License-Identifier: Apache-2.0

extension JSONText {
    /// The object for one answer. It always has every key; `time` and `after` only if they are known.
    ///
    /// - Parameter causes: what made the program look.
    package init(target: String, _ explanation: Explanation, time: String? = nil, after causes: [String]? = nil) {
        let moment: [(String, JSONText)] = time.map { [("time", .string($0))] } ?? []
        self = .object(
            moment + [
                ("target", .string(target)),
                ("flags", .number(explanation.flags.rawValue)),
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

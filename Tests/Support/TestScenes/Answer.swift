// SPDX-License-Identifier: Apache-2.0

/// What a question is answered, or a face told: flags, code, interface and so on, by their names.
package struct Answer: Sendable {
    package var fields: [Field: String] = [:]
    /// Another code that a telling may have: that of a moment between two parts of a change.
    package var passingCode: String?

    package init(fields: [Field: String]) { self.fields = fields }

    /// The fields that `other` has and that are not the same here, of those that count.
    package func differences(from other: Answer, in counted: Set<Field>) -> Set<Field> {
        counted.filter { other.fields[$0] != nil && fields[$0] != other.fields[$0] }
    }

    /// Whether a face that was told this was told `next`.
    package func isTelling(of next: Answer, in counted: Set<Field>) -> Bool {
        let differences = differences(from: next, in: counted)
        return differences.isEmpty || differences == [.code] && fields[.code] == next.passingCode
    }

    /// Whether who notices these fields is told when the state before becomes this one. Where a target that cannot be reached
    /// would be, does not count.
    package func isNews(after state: Answer, to notices: Set<Field>) -> Bool {
        let differences = differences(from: state, in: notices.filter { fields[$0] != nil })
        return !differences.isDisjoint(with: [.flags, .status, .reachable, .interfaces, .gateways])
            || !differences.isEmpty && (fields[.flags] != "0" || state.fields[.flags] != "0")
    }

    package func text(of shown: Set<Field>) -> String {
        let known = Field.allCases.filter { shown.contains($0) && fields[$0] != nil }
        return known.map { "\($0)=\(fields[$0]!)" }.joined(separator: " ")
    }
}

package enum Field: String, CaseIterable, Sendable {
    case flags, code, interface, gateway, source
    /// Whether packets would arrive without a login before, and the status of a path.
    case reachable, status
    /// All interfaces that packets can leave by, the most preferred first, and their gateways.
    case interfaces, gateways
}

extension Answer {
    /// The bits of SCNetworkReachabilityFlags, in words.
    private static let bits: [Substring: UInt32] = [
        "unreachable": 0, "transient": 1 << 0, "reachable": 1 << 1, "required": 1 << 2, "traffic": 1 << 3,
        "local": 1 << 16, "direct": 1 << 17, "wwan": 1 << 18,
    ]

    /// "FLAGS CODE[|PASSING CODE] [FIELD=VALUE]…" of a scene.
    init(words text: String, _ place: String) throws {
        let words = text.split(separator: " ")
        guard words.count >= 2 else { throw Scene.Mistake(description: "\(place): an answer is FLAGS CODE …") }
        var flags: UInt32 = 0
        for word in words[0].split(separator: ",") {
            guard let bit = Self.bits[word] else { throw Scene.Mistake(description: "\(place): no flag \(word)") }
            flags |= bit
        }
        self.init(pairs: words.dropFirst(2))
        guard fields.count == words.count - 2 else { throw Scene.Mistake(description: "\(place): not FIELD=VALUE") }
        fields[.flags] = "\(flags)"
        let codes = words[1].split(separator: "|").map(String.init)
        guard 1...2 ~= codes.count else { throw Scene.Mistake(description: "\(place): no codes \(words[1])") }
        (fields[.code], passingCode) = (codes[0], codes.dropFirst().first)
        // A path, and GLib, say no more of the flags.
        let isRequired = flags & 1 << 2 != 0
        let isReachable = flags & 1 << 1 != 0 && !isRequired
        fields[.reachable] = isReachable ? "yes" : "no"
        fields[.status] = isRequired ? "requiresConnection" : isReachable ? "satisfied" : "unsatisfied"
    }

    /// "FIELD=VALUE …" of a driver.
    package init(pairs: some Sequence<Substring>) {
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let field = Field(rawValue: String(parts[0])) else { continue }
            fields[field] = String(parts[1])
        }
    }
}

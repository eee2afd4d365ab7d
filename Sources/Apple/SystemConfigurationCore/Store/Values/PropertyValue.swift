// SPDX-License-Identifier: Apache-2.0

/// A value of the dynamic store: a property list (CFPropertyList.h) of the kinds that the system's values have.
package enum PropertyValue: Hashable, Sendable {
    case string(String)
    case number(Int64)
    case boolean(Bool)
    case data([UInt8])
    case array([PropertyValue])
    case dictionary([String: PropertyValue])

    package static func strings(_ strings: some Sequence<String>) -> PropertyValue {
        .array(strings.map(PropertyValue.string))
    }

    package static func numbers(_ numbers: some Sequence<Int64>) -> PropertyValue {
        .array(numbers.map(PropertyValue.number))
    }

    /// The member of a dictionary; nil if this is none, or has no such member.
    package subscript(key: String) -> PropertyValue? {
        if case .dictionary(let members) = self { members[key] } else { nil }
    }

    package var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    package var number: Int64? {
        if case .number(let number) = self { number } else { nil }
    }
}

extension PropertyValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(arrayLiteral elements: PropertyValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, PropertyValue)...) {
        self = .dictionary(Dictionary(elements) { $1 })
    }
}

extension PropertyValue: CustomStringConvertible {
    /// The value as `scutil` prints it: one line for each element, indented by two spaces for each level, the members of a
    /// dictionary in the order of their keys.
    package var description: String { lines(indent: "").joined(separator: "\n") }

    private func lines(indent: String) -> [String] {
        switch self {
        case .string(let string): [string]
        case .number(let number): ["\(number)"]
        case .boolean(let value): [value ? "TRUE" : "FALSE"]
        case .data(let bytes): ["<data> 0x" + bytes.digits()]
        case .array(let elements):
            Self.block("array", elements.enumerated().map { ("\($0.offset)", $0.element) }, indent)
        case .dictionary(let members):
            // As CFStringCompare orders them: by UTF-16 code units, which for these keys are ASCII.
            Self.block("dictionary", members.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }, indent)
        }
    }

    private static func block(_ name: String, _ members: [(String, PropertyValue)], _ indent: String) -> [String] {
        var lines = ["<\(name)> {"]
        for (key, value) in members {
            let inner = value.lines(indent: indent + "  ")
            lines.append("\(indent)  \(key) : \(inner[0])")
            lines += inner.dropFirst()
        }
        lines.append("\(indent)}")
        return lines
    }
}

extension [UInt8] {
    /// Two hexadecimal digits for each byte.
    func digits(separator: String = "") -> String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: separator)
    }
}

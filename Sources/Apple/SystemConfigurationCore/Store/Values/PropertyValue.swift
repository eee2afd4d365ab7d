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

// SPDX-License-Identifier: Apache-2.0

extension PropertyValue: CustomStringConvertible {
    /// The value as `scutil` prints it: one line for each element, indented by two spaces for each level, the members of a
    /// dictionary in the order of their keys.
    package var description: String { lines(indent: "").joined(separator: "\n") }

    private func lines(indent: String) -> [String] {
        switch self {
        case .string(let string): [string]
        case .number(let number): ["\(number)"]
        case .boolean(let value): [value ? "TRUE" : "FALSE"]
        case .data(let bytes): ["<data> 0x" + bytes.map(Self.digits).joined()]
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

    private static func digits(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A JSON value, parsed strictly (RFC 8259). The keys of objects keep their order. The parser shares no code with the
/// program that it checks.
indirect enum JSONValue: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    struct Member: Equatable {
        var key: String
        var value: JSONValue
    }

    /// Nil if the text is not exactly one value.
    init?(_ text: some StringProtocol) {
        var reader = Reader(rest: Array(text.utf8)[...])
        guard let value = reader.value(), reader.rest.isEmpty else { return nil }
        self = value
    }

    subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    var keys: [String] {
        guard case .object(let members) = self else { return [] }
        return members.map(\.key)
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func take(_ text: String) -> Bool {
            guard rest.starts(with: text.utf8) else { return false }
            rest = rest.dropFirst(text.utf8.count)
            return true
        }

        mutating func value() -> JSONValue? {
            if take("null") { return .null }
            if take("true") { return .bool(true) }
            if take("false") { return .bool(false) }
            if take("\"") { return string().map(JSONValue.string) }
            if take("[") { return list("]") { $0.value() }.map(JSONValue.array) }
            if take("{") { return list("}") { $0.member() }.map(JSONValue.object) }
            let digits = rest.prefix { (48...57).contains($0) }
            // The program writes whole numbers only, without leading zeros.
            guard !digits.isEmpty, digits.count == 1 || digits.first != 48 else { return nil }
            rest = rest.dropFirst(digits.count)
            return Double(String(decoding: digits, as: UTF8.self)).map(JSONValue.number)
        }

        mutating func list<Item>(_ end: String, _ item: (inout Reader) -> Item?) -> [Item]? {
            var items: [Item] = []
            if take(end) { return items }
            while let next = item(&self) {
                items.append(next)
                if take(end) { return items }
                guard take(",") else { return nil }
            }
            return nil
        }

        mutating func member() -> Member? {
            guard take("\""), let key = string(), take(":"), let value = value() else { return nil }
            return Member(key: key, value: value)
        }

        mutating func string() -> String? {
            var bytes: [UInt8] = []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "\""): return String(validating: bytes, as: UTF8.self)
                case 0..<0x20: return nil
                case UInt8(ascii: "\\"):
                    guard let escape = rest.popFirst() else { return nil }
                    switch escape {
                    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(escape)
                    case UInt8(ascii: "n"): bytes.append(10)
                    case UInt8(ascii: "t"): bytes.append(9)
                    case UInt8(ascii: "r"): bytes.append(13)
                    case UInt8(ascii: "u"):
                        let digits = String(decoding: rest.prefix(4), as: UTF8.self)
                        guard digits.count == 4, let number = UInt32(digits, radix: 16),
                            let scalar = Unicode.Scalar(number)
                        else { return nil }
                        rest = rest.dropFirst(4)
                        bytes += Array(String(scalar).utf8)
                    default: return nil
                    }
                default: bytes.append(byte)
                }
            }
            return nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The value that `scutil`'s session works on: a dictionary at first, and then what `get` has returned (dictionary.c,
/// configd-1405).
package struct DictionaryEdit: Sendable {
    package var value = PropertyValue.dictionary([:])

    package init() {}

    /// Words cannot be made a value.
    package struct Complaint: Error, Hashable {
        package let text: String
    }

    /// `d.add`: sets a member. Marks before the values say what they are: `*` an array, `#` numbers, `?` truth values, `%`
    /// bytes in hexadecimal digits. After `-` come strings. Several values are an array.
    package mutating func add(_ key: String, _ words: [String]) throws(Complaint) {
        guard case .dictionary(var members) = value else { throw Self.notDictionary("d.add") }
        var rest = words[...]
        var isArray = false
        var read: (String) throws(Complaint) -> PropertyValue = { word throws(Complaint) in .string(word) }
        marks: while let mark = rest.first {
            switch mark {
            case "*": isArray = true
            case "#": read = Self.number
            case "?": read = Self.boolean
            case "%": read = Self.data
            case "-":
                rest.removeFirst()
                break marks
            default: break marks
            }
            rest.removeFirst()
        }
        if rest.count > 1 { isArray = true }
        if isArray {
            var elements: [PropertyValue] = []
            for word in rest { elements.append(try read(word)) }
            members[key] = .array(elements)
        } else {
            guard let word = rest.first else { throw Complaint(text: "d.add: no values.") }
            members[key] = try read(word)
        }
        value = .dictionary(members)
    }

    /// `d.remove`: removes a member.
    package mutating func remove(_ key: String) throws(Complaint) {
        guard case .dictionary(var members) = value else { throw Self.notDictionary("d.remove") }
        members[key] = nil
        value = .dictionary(members)
    }

    private static func notDictionary(_ command: String) -> Complaint {
        Complaint(text: "\(command): data (fetched from configuration server) is not a dictionary.")
    }

    private static let invalid = Complaint(text: "d.add: invalid data.")

    private static func boolean(_ word: String) throws(Complaint) -> PropertyValue {
        switch word.lowercased() {
        case "true", "t", "yes", "y", "1": return true
        case "false", "f", "no", "n", "0": return false
        default: throw invalid
        }
    }

    /// The number at the beginning of a word, as sscanf(3) reads it.
    private static func number(_ word: String) throws(Complaint) -> PropertyValue {
        var digits = word.prefix { $0 == "-" || $0 == "+" || $0.isASCII && $0.isNumber }
        if let sign = digits.dropFirst().firstIndex(where: { $0 == "-" || $0 == "+" }) { digits = digits[..<sign] }
        guard let number = Int64(digits) else { throw invalid }
        return .number(number)
    }

    private static func data(_ word: String) throws(Complaint) -> PropertyValue {
        let digits = Array(word.utf8)
        guard digits.count.isMultiple(of: 2) else { throw Complaint(text: "d.add: not enough bytes.") }
        var bytes: [UInt8] = []
        for position in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[position..<position + 2], as: UTF8.self)
            guard !pair.hasPrefix("+"), let byte = UInt8(pair, radix: 16) else { throw invalid }
            bytes.append(byte)
        }
        return .data(bytes)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The arguments of the few messages that are read here.
extension BusMessage {
    /// So many strings or paths at the beginning of the body.
    package func texts(_ count: Int) throws(BusError) -> [String] {
        guard signature.utf8.count >= count, signature.prefix(count).allSatisfy({ $0 == "s" || $0 == "o" }) else {
            throw .badSignature
        }
        var reader = BusReader(body, isBigEndian: isBigEndian)
        var texts: [String] = []
        for _ in 0..<count { texts.append(try reader.string()) }
        return texts
    }

    /// A property's value that is a number.
    func propertyNumber() throws(BusError) -> UInt32 {
        var reader = try propertyReader("u")
        return try reader.uint32()
    }

    /// A property's value that is a string, or the path of an object.
    func propertyText() throws(BusError) -> String {
        var reader = try propertyReader("s", "o")
        return try reader.string()
    }

    /// The first path of a property's value that is an array of them; nil of an empty one.
    func propertyFirstPath() throws(BusError) -> String? {
        var reader = try propertyReader("ao")
        let length = Int(try reader.uint32())
        guard length > 0 else { return nil }
        reader = BusReader(body, isBigEndian: isBigEndian, from: reader.offset, to: reader.offset + length)
        return try reader.string()
    }

    /// What is behind the type of the one variant that the body is.
    private func propertyReader(_ types: String...) throws(BusError) -> BusReader {
        guard signature == "v" else { throw .badSignature }
        var reader = BusReader(body, isBigEndian: isBigEndian)
        guard types.contains(try reader.signature()) else { throw .badSignature }
        return reader
    }

    /// Takes strings as arguments.
    package mutating func setTexts(_ texts: String...) {
        var writer = BusWriter(isBigEndian: isBigEndian)
        for text in texts { writer.string(text) }
        signature = String(repeating: "s", count: texts.count)
        body = writer.bytes
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The arguments of the few messages that are used here.
extension BusMessage {
    /// The first arguments, if they are strings or object paths.
    package func texts(_ count: Int) throws(BusError) -> [String] {
        guard signature.utf8.count >= count, signature.prefix(count).allSatisfy({ $0 == "s" || $0 == "o" }) else {
            throw .badSignature
        }
        var reader = BusReader(body, isBigEndian: isBigEndian)
        var texts: [String] = []
        for _ in 0..<count { texts.append(try reader.string()) }
        return texts
    }

    /// The value of a property that is a number.
    func propertyNumber() throws(BusError) -> UInt32 {
        var reader = try propertyReader("u")
        return try reader.uint32()
    }

    /// The value of a property that is a boolean.
    func propertyFlag() throws(BusError) -> Bool {
        var reader = try propertyReader("b")
        return try reader.uint32() == 1
    }

    /// The value of a property that is a string or an object path.
    func propertyText() throws(BusError) -> String {
        var reader = try propertyReader("s", "o")
        return try reader.string()
    }

    /// The first element of a property that is an array of object paths. Nil if the array is empty.
    func propertyFirstPath() throws(BusError) -> String? {
        var reader = try propertyReader("ao")
        let length = Int(try reader.uint32())
        guard length > 0 else { return nil }
        reader = BusReader(body, isBigEndian: isBigEndian, from: reader.offset, to: reader.offset + length)
        return try reader.string()
    }

    /// Reads the type of the variant in the body, and returns a reader for its value.
    private func propertyReader(_ types: String...) throws(BusError) -> BusReader {
        guard signature == "v" else { throw .badSignature }
        var reader = BusReader(body, isBigEndian: isBigEndian)
        guard types.contains(try reader.signature()) else { throw .badSignature }
        return reader
    }

    /// Sets the arguments to strings.
    package mutating func setTexts(_ texts: String...) {
        var writer = BusWriter(isBigEndian: isBigEndian)
        for text in texts { writer.string(text) }
        signature = String(repeating: "s", count: texts.count)
        body = writer.bytes
    }
}

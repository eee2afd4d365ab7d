// SPDX-License-Identifier: Apache-2.0

/// A D-Bus message (D-Bus Specification, "Message Protocol").
package struct BusMessage: Hashable, Sendable {
    /// The type of a message. Unknown types are to be ignored, so this is no enumeration.
    package struct Kind: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let call = Kind(rawValue: 1)
        package static let reply = Kind(rawValue: 2)
        package static let failure = Kind(rawValue: 3)
        package static let signal = Kind(rawValue: 4)
    }

    package var kind: Kind
    package var flags: UInt8 = 0
    package var serial: UInt32
    package var path: String?
    package var interface: String?
    package var member: String?
    package var errorName: String?
    package var replySerial: UInt32?
    package var destination: String?
    package var sender: String?
    /// The types of the body.
    package var signature = ""
    /// The arguments.
    package var body: [UInt8] = []

    package init(_ kind: Kind, serial: UInt32) {
        self.kind = kind
        self.serial = serial
    }

    /// The size of what precedes the fields: byte order, kind, flags, version, and three numbers.
    static let fixedSize = 16
    /// Far more than any message to us. The protocol allows 128 MiB.
    package static let sizeLimit = 256 << 10

    /// NO_AUTO_START: the bus does not start a service for this message.
    package static let noAutoStart: UInt8 = 0x2

    /// A field of the header that is a text.
    private typealias TextField = (
        code: UInt8, type: String, place: any WritableKeyPath<BusMessage, String?> & Sendable
    )
    private static let textFields: [TextField] = [
        (1, "o", \.path), (2, "s", \.interface), (3, "s", \.member), (4, "s", \.errorName),
        (6, "s", \.destination), (7, "s", \.sender),
    ]
    private static let replySerialField: UInt8 = 5
    private static let signatureField: UInt8 = 8

    private static let littleEndian = UInt8(ascii: "l")
    private static let version: UInt8 = 1

    // MARK: Reading

    /// The size of the message that begins with these bytes. Nil if there are too few to tell.
    static func size(of beginning: ArraySlice<UInt8>) throws(BusError) -> Int? {
        guard beginning.count >= fixedSize else { return nil }
        let fixed = Array(beginning.prefix(fixedSize))
        guard fixed[0] == littleEndian, fixed[3] == version else { throw BusError() }
        var reader = BusReader(fixed, from: 4)
        let body = Int(try reader.uint32())
        _ = try reader.uint32()
        let fields = Int(try reader.uint32())
        // Each is checked first, so that the sum cannot overflow.
        guard body <= sizeLimit, fields <= sizeLimit else { throw BusError() }
        let size = padded(fixedSize + fields) + body
        guard size <= sizeLimit else { throw BusError() }
        return size
    }

    private static func padded(_ length: Int) -> Int { (length + 7) & ~7 }

    /// Reads exactly one message.
    package init(_ bytes: [UInt8]) throws(BusError) {
        guard try Self.size(of: bytes[...]) == bytes.count else { throw BusError() }
        kind = Kind(rawValue: bytes[1])
        flags = bytes[2]
        var reader = BusReader(bytes, from: 4)
        let bodySize = Int(try reader.uint32())
        serial = try reader.uint32()
        let end = Self.fixedSize + Int(try reader.uint32())
        var fields = BusReader(bytes, from: Self.fixedSize, to: end)
        while !fields.isAtEnd { try readField(&fields) }
        reader = BusReader(bytes, from: end)
        try reader.align(to: 8)
        guard bytes.count - reader.offset == bodySize, serial != 0, bodySize == 0 || !signature.isEmpty
        else { throw BusError() }
        body = Array(bytes[reader.offset...])
    }

    private mutating func readField(_ reader: inout BusReader) throws(BusError) {
        try reader.align(to: 8)
        let code = try reader.byte()
        let type = try reader.signature()
        switch (code, type) {
        case (Self.replySerialField, "u"): replySerial = try reader.uint32()
        case (Self.signatureField, "g"): signature = try reader.signature()
        // The number of file descriptors, which we do not accept, and fields of later versions.
        case (9..., _): try reader.skip(type)
        default:
            guard let field = Self.textFields.first(where: { ($0.code, $0.type) == (code, type) }) else {
                throw BusError()
            }
            self[keyPath: field.place] = try reader.string()
        }
    }

    // MARK: Writing

    /// The message in its wire format.
    package var encoded: [UInt8] {
        var writer = BusWriter()
        writer.byte(Self.littleEndian)
        writer.byte(kind.rawValue)
        writer.byte(flags)
        writer.byte(Self.version)
        writer.uint32(UInt32(body.count))
        writer.uint32(serial)
        writer.array(alignment: 8) { writer in
            func begin(_ field: UInt8, _ type: String) {
                writer.align(to: 8)
                writer.byte(field)
                writer.signature(type)
            }
            for field in Self.textFields {
                guard let text = self[keyPath: field.place] else { continue }
                begin(field.code, field.type)
                writer.string(text)
            }
            if let replySerial {
                begin(Self.replySerialField, "u")
                writer.uint32(replySerial)
            }
            if !signature.isEmpty {
                begin(Self.signatureField, "g")
                writer.signature(signature)
            }
        }
        writer.align(to: 8)
        return writer.bytes + body
    }
}

/// The arguments of the few messages that are used here.
extension BusMessage {
    /// The first arguments, if they are strings or object paths.
    package func texts(_ count: Int) throws(BusError) -> [String] {
        guard signature.utf8.count >= count, signature.prefix(count).allSatisfy({ $0 == "s" || $0 == "o" }) else {
            throw BusError()
        }
        var reader = BusReader(body)
        var texts: [String] = []
        for _ in 0..<count { texts.append(try reader.string()) }
        return texts
    }

    var propertyNumber: UInt32? { property("u") { try $0.uint32() } }

    var propertyFlag: Bool? { property("b") { try $0.uint32() == 1 } }

    var propertyText: String? { property("s", "o") { try $0.string() } }

    var propertyPaths: [String]? {
        property("ao") { reader in
            let length = Int(try reader.uint32())
            var elements = BusReader(body, from: reader.offset, to: reader.offset + length)
            var paths: [String] = []
            while !elements.isAtEnd { paths.append(try elements.string()) }
            return paths
        }
    }

    /// The value of a property. Nil if it has none of these types, or cannot be read.
    private func property<Value>(_ types: String..., read: (inout BusReader) throws -> Value) -> Value? {
        var reader = BusReader(body)
        guard signature == "v", let type = try? reader.signature(), types.contains(type) else { return nil }
        return try? read(&reader)
    }

    /// Sets the arguments to strings.
    package mutating func setTexts(_ texts: [String]) {
        var writer = BusWriter()
        for text in texts { writer.string(text) }
        signature = String(repeating: "s", count: texts.count)
        body = writer.bytes
    }
}

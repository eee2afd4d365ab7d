// SPDX-License-Identifier: Apache-2.0

import ReachabilitySystemBus
import Testing

@Suite("A D-Bus message")
struct MessageTests {
    /// Written by hand from the D-Bus Specification, field by field.
    private static let hello = joined(
        [0x6C, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 109, 0, 0, 0],
        [1, 1, 0x6F, 0, 21, 0, 0, 0], Array("/org/freedesktop/DBus".utf8), [0, 0, 0],
        [2, 1, 0x73, 0, 20, 0, 0, 0], Array("org.freedesktop.DBus".utf8), [0, 0, 0, 0],
        [3, 1, 0x73, 0, 5, 0, 0, 0], Array("Hello".utf8), [0, 0, 0],
        [6, 1, 0x73, 0, 20, 0, 0, 0], Array("org.freedesktop.DBus".utf8), [0, 0, 0, 0])

    private static let reply = joined(
        [0x6C, 2, 1, 1, 10, 0, 0, 0, 9, 0, 0, 0, 15, 0, 0, 0],
        [5, 1, 0x75, 0, 2, 1, 0, 0], [8, 1, 0x67, 0, 1, 0x73, 0], [0],
        [5, 0, 0, 0], Array(":1.42".utf8), [0])

    /// Swift 6.2 gives up on a sum of so many lists.
    private static func joined(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap(\.self) }

    @Test func `is written as the specification says`() {
        var message = BusMessage(.call, serial: 1)
        (message.path, message.interface, message.member) = (Bus.path, Bus.name, "Hello")
        message.destination = Bus.name
        #expect(message.encoded == Self.hello)
    }

    @Test func `is read as it was written`() throws {
        let message = try BusMessage(Self.reply)
        #expect(message.kind == .reply && message.serial == 9 && message.replySerial == 0x102)
        #expect(try message.texts(1) == [":1.42"])
        #expect(try BusMessage(message.encoded) == message)
    }

    @Test(
        arguments: [
            (0, 0x6D), (0, 0x42), (3, 2), (4, 11), (4, 9), (7, 1), (8, 0), (12, 14), (12, 200), (15, 1), (31, 1),
            (16, 0), (16, 8), (18, 0x73), (18, 0xFF), (17, 2), (28, 2), (19, 1),
        ] as [(Int, UInt8)])
    func `that is malformed is refused`(position: Int, value: UInt8) {
        var bytes = Self.reply
        bytes[position] = value
        #expect(throws: BusError.self) { try BusMessage(bytes) }
    }

    @Test func `that is cut off anywhere is refused`() {
        for count in 0..<Self.reply.count {
            #expect(throws: BusError.self) { try BusMessage(Array(Self.reply.prefix(count))) }
        }
    }

    @Test func `may have fields of later versions, if they are of a basic type`() throws {
        func message(_ type: String, _ value: [UInt8]) -> [UInt8] {
            var writer = BusWriter()
            for byte in [0x6C, 4, 0, 1] as [UInt8] { writer.byte(byte) }
            writer.uint32(0)
            writer.uint32(7)
            writer.array(alignment: 8) { writer in
                writer.byte(77)
                writer.signature(type)
                for byte in value { writer.byte(byte) }
            }
            writer.align(to: 8)
            return writer.bytes
        }
        #expect(try BusMessage(message("y", [1])).serial == 7)
        #expect(try BusMessage(message("u", [1, 0, 0, 0])).serial == 7)
        #expect(try BusMessage(message("q", [1, 0])).serial == 7)
        #expect(try BusMessage(message("t", [0, 0, 0, 0] + Array(repeating: 1, count: 8))).serial == 7)
        #expect(try BusMessage(message("o", [1, 0, 0, 0, 0x2F, 0])).serial == 7)
        #expect(try BusMessage(message("g", [1, 0x73, 0])).serial == 7)
        #expect(throws: BusError.self) { try BusMessage(message("as", [0, 0, 0, 0])) }
        #expect(throws: BusError.self) { try BusMessage(message("t", [0, 0, 0, 0, 1])) }
    }

    @Test func `comes out of a stream as it went in, whatever the pieces`() throws {
        var signal = BusMessage(.signal, serial: 3)
        signal.setTexts(["a", "bc"])
        let sent = [try BusMessage(Self.reply), signal]
        let bytes = sent.flatMap(\.encoded)
        for piece in 1...bytes.count {
            var stream = BusStream()
            var received: [BusMessage] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                stream.append(rest.prefix(piece))
                rest = rest.dropFirst(piece)
                while let message = try stream.nextMessage() { received.append(message) }
            }
            #expect(received == sent)
        }
    }

    @Test func `may follow lines of the handshake`() throws {
        var stream = BusStream()
        stream.append(Array("OK 1\r".utf8))
        #expect(try stream.nextLine() == nil)
        stream.append(Array("\nREST\r\nno end".utf8))
        #expect(try stream.nextLine() == "OK 1")
        #expect(try stream.nextLine() == "REST")
        #expect(try stream.nextLine() == nil)
        stream.append(Array(" here\n".utf8))
        #expect(throws: BusError.self) { try stream.nextLine() }
        var long = BusStream()
        long.append(repeatElement(UInt8(ascii: "x"), count: 1025))
        #expect(throws: BusError.self) { try long.nextLine() }
    }
}

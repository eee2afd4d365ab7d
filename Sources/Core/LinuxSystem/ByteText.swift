// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// Names that are bytes for the kernel and text for people, such as those of interfaces. A byte that is not part of UTF-8 is
/// written `\xff`, and so is a backslash. Different names therefore have different texts, and the text can be converted back into
/// the bytes.
extension String {
    package init(escaping bytes: [UInt8]) {
        // Almost every name.
        if bytes.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "\\") }) {
            self = String(decoding: bytes, as: UTF8.self)
            return
        }
        self = ""
        var rest = bytes[...]
        while let first = rest.first {
            // A character has at most four bytes.
            let whole = first == UInt8(ascii: "\\") ? 0 : (1...4).first { Self.character(rest.prefix($0)) != nil } ?? 0
            append(Self.character(rest.prefix(whole)) ?? "\\x\(first < 16 ? "0" : "")\(String(first, radix: 16))")
            rest = rest.dropFirst(max(1, whole))
        }
    }

    package init(escapingCString bytes: UnsafePointer<CChar>) {
        self.init(escaping: unsafe UnsafeBufferPointer(start: bytes, count: strlen(bytes)).map(UInt8.init(bitPattern:)))
    }

    private static func character(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
    }
}

extension StringProtocol {
    /// The bytes that such a text represents.
    package var unescapedBytes: [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let first = rest.popFirst() {
            let digits = rest.prefix(3)
            if first == UInt8(ascii: "\\"), digits.count == 3, digits.first == UInt8(ascii: "x"),
                let byte = UInt8(String(decoding: digits.dropFirst(), as: UTF8.self), radix: 16)
            {
                bytes.append(byte)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(first)
            }
        }
        return bytes
    }
}

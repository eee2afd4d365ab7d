// SPDX-License-Identifier: Apache-2.0

import CLinux
import LinuxSystem

/// Reads lines of text from standard input or a file, each as soon as it is complete.
struct LineReader: ~Copyable {
    private let descriptor: OwnedDescriptor
    /// What was read after the last line that was returned.
    private var rest: ArraySlice<UInt8> = []
    private var isAtEnd = false

    /// The rest of a longer line is dropped.
    private static let longestLine = 1 << 16

    private init(_ descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
    }

    static func standardInput() throws(Errno) -> LineReader {
        LineReader(try OwnedDescriptor(.open) { clinux_duplicate(0) })
    }

    static func file(_ path: String) throws(Errno) -> LineReader { LineReader(try Files.open(path)) }

    /// Whether a person types the lines (isatty(3)).
    var isTerminal: Bool { isatty(descriptor.rawValue) == 1 }

    /// The next line, without its end. Nil after the last one, and if reading fails.
    mutating func next() -> String? {
        var line: [UInt8] = []
        var isBegun = false
        while let byte = nextByte() {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            isBegun = true
            if line.count < Self.longestLine { line.append(byte) }
        }
        return isBegun ? String(decoding: line, as: UTF8.self) : nil
    }

    private mutating func nextByte() -> UInt8? {
        if rest.isEmpty, !isAtEnd {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let rawValue = descriptor.rawValue
            let count = try? valueOrErrno(.read) {
                unsafe buffer.withUnsafeMutableBytes { unsafe read(rawValue, $0.baseAddress!, $0.count) }
            }
            rest = buffer.prefix(count ?? 0)
            isAtEnd = rest.isEmpty
        }
        return rest.popFirst()
    }
}

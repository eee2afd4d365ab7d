// SPDX-License-Identifier: Apache-2.0

import CLinux
import LinuxSystem

/// Reads lines of text from standard input or a file, each as soon as it is complete.
struct LineReader: ~Copyable {
    private let descriptor: OwnedDescriptor
    private var buffer: [UInt8] = []
    /// How many bytes of the buffer were returned already.
    private var taken = 0
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
        while true {
            if let end = buffer[taken...].firstIndex(of: UInt8(ascii: "\n")) {
                append(buffer[taken..<end], to: &line)
                taken = end + 1
                return String(decoding: line, as: UTF8.self)
            }
            append(buffer[taken...], to: &line)
            let isBegun = taken < buffer.count || !line.isEmpty
            guard !isAtEnd, fill() else {
                (buffer, taken) = ([], 0)
                return isBegun ? String(decoding: line, as: UTF8.self) : nil
            }
        }
    }

    private func append(_ bytes: ArraySlice<UInt8>, to line: inout [UInt8]) {
        line += bytes.prefix(max(0, Self.longestLine - line.count))
    }

    /// Replaces the buffer by the next bytes. Returns false at the end.
    private mutating func fill() -> Bool {
        buffer = [UInt8](repeating: 0, count: 4096)
        taken = 0
        let rawValue = descriptor.rawValue
        let count = try? valueOrErrno(.read) {
            unsafe buffer.withUnsafeMutableBytes { unsafe read(rawValue, $0.baseAddress!, $0.count) }
        }
        buffer.removeLast(buffer.count - (count ?? 0))
        isAtEnd = buffer.isEmpty
        return !isAtEnd
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A line of `scutil`'s input as words (getString in scutil.c, configd-1405).
///
/// White space separates words. A word in double quotes may contain white space. A backslash before a quote or white space
/// makes it an ordinary character.
package enum CommandWords {
    package static func split(_ line: String) -> [String] {
        var words: [String] = []
        var rest = Array(line.utf8)[...]
        while let word = next(&rest) { words.append(String(decoding: word, as: UTF8.self)) }
        return words
    }

    private static func next(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        rest = rest.drop(while: isSpace)
        guard let first = rest.first else { return nil }
        let isQuoted = first == UInt8(ascii: "\"")
        if isQuoted { rest.removeFirst() }
        var word: [UInt8] = []
        while let byte = rest.first {
            if isQuoted ? byte == UInt8(ascii: "\"") : isSpace(byte) { break }
            rest.removeFirst()
            if byte == UInt8(ascii: "\\"), let escaped = rest.first, escaped == UInt8(ascii: "\"") || isSpace(escaped) {
                rest.removeFirst()
                word.append(escaped)
            } else {
                word.append(byte)
            }
        }
        if isQuoted { rest = rest.dropFirst() }
        return word
    }

    /// isspace(3) in the C locale.
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}

// SPDX-License-Identifier: Apache-2.0

import SystemConfigurationCore

/// A line of scutil's input: it is split into words without quotes, and becomes a command.
func readCommand(_ bytes: [UInt8]) {
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
        let words = CommandWords.split(String(line))
        require(words.count <= line.utf8.count + 1, "'\(line)' has \(words.count) words")
        if case .list(let pattern) = StoreCommand(String(line)) { _ = KeyPattern(pattern) }
    }
}

/// A pattern: it is compiled and matched, or refused, without much memory or time. One without special characters matches
/// itself only.
func readPattern(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let keys = ["", "State:/Network/Interface/eth0/IPv4", text, String(repeating: "a", count: 64)]
    guard let pattern = KeyPattern(text) else { return }
    let matches = keys.map(pattern.matches)
    if text.utf8.allSatisfy({ byte in byte < 128 && (Character(Unicode.Scalar(byte)).isLetter || byte == 47) }) {
        require(matches[2] && matches[0] == text.isEmpty, "'\(text)' does not match itself only")
    }
    _ = ProxySettings { _ in text }.value
}

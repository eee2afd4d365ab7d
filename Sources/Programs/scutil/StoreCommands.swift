// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import SystemConfigurationCore

/// `scutil` without a command: `show` and `list` of the dynamic store, by lines of standard input (commands.c,
/// configd-1405).
enum StoreCommands {
    /// Reads until `quit` or the end. A command that is not offered ends it, with the status of a wrong option.
    static func run() -> Int32 {
        while let line = readLine() {
            // No key here has a space, so quotes only stand around a word.
            let words = line.split(whereSeparator: \.isWhitespace).map { String($0.filter { $0 != "\"" }) }
            switch (words.first?.lowercased(), words.count) {
            case (nil, _), ("open", _), ("close", _): break
            case ("show", 2): show(words[1])
            case ("list", 1...2): list(words.count == 2 ? words[1] : ".*")
            case ("quit", _), ("exit", _), ("q", _): return 0
            case (let word?, _) where word.hasPrefix("#"): break
            default:
                Output.complaint(
                    "scutil: '\(line)' is not offered on Linux. Offered are show KEY, list [PATTERN] and quit.")
                return usageStatus
            }
        }
        return 0
    }

    private static func show(_ key: String) {
        guard let value = StoreSession().value(of: key) else { return printStatus() }
        Output.value(value)
    }

    private static func list(_ pattern: String) {
        guard let keys = StoreSession().keys(matching: pattern) else { return printStatus() }
        if keys.isEmpty { Output.line("  no keys.") }
        for (number, key) in keys.enumerated() { Output.line("  subKey [\(number)] = \(key)".printable) }
    }

    private static func printStatus() { Output.line("  \(LegacyStatus.last.text)") }
}

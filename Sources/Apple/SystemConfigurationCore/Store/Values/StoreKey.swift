// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The keys of the dynamic store, composed as SCDynamicStoreKey.c does (configd-1405).
package enum StoreKey {
    /// `State:/Network/Global/IPv4`
    package static func global(_ domain: String, _ entity: String) -> String { "\(domain)/Network/Global/\(entity)" }

    /// `State:/Network/Interface`
    package static func interfaces(_ domain: String) -> String { "\(domain)/Network/Interface" }

    /// `State:/Network/Interface/eth0/IPv4`; without the entity if it is nil.
    package static func interface(_ domain: String, _ name: String, _ entity: String?) -> String {
        "\(interfaces(domain))/\(name)" + (entity.map { "/\($0)" } ?? "")
    }

    /// `State:/Network/Service/ID/IPv4`; without the entity if it is nil.
    package static func service(_ domain: String, _ identifier: String, _ entity: String?) -> String {
        "\(domain)/Network/Service/\(identifier)" + (entity.map { "/\($0)" } ?? "")
    }

    package static let state = "State:"
    package static let setup = "Setup:"
    package static let computerName = "Setup:/System"
    package static let hostNames = "Setup:/Network/HostNames"
    package static let consoleUser = "State:/Users/ConsoleUser"
    /// Only a session of preferences has this key.
    package static let preferences = "Prefs:"
    package static let location = "Setup:"
    package static let proxies = "State:/Network/Global/Proxies"
}

/// Estimates how large a compiled pattern gets. glibc copies what is repeated, so `((a{99}){99}){99}` would take gigabytes,
/// and it calls itself for each level of nesting. A pattern may come from outside the program.
enum PatternSize {
    private static let longestPattern = 4096
    private static let deepestNesting = 64
    private static let mostNodes = 1 << 16

    static func isModest(_ pattern: String) -> Bool {
        guard pattern.utf8.count <= longestPattern, let nodes = nodes(Array(pattern.utf8)) else { return false }
        return nodes <= mostNodes
    }

    /// What is known of a group whose end has not come yet.
    private struct Group {
        var nodes = 0
        /// The part of the nodes that a repetition repeats.
        var last = 0

        mutating func add(_ count: Int) {
            nodes += count
            last = count
        }

        mutating func repeatLast(_ times: Int) {
            let more = last.multipliedReportingOverflow(by: max(0, times - 1))
            let total = nodes.addingReportingOverflow(more.partialValue)
            let isTooLarge = more.overflow || total.overflow || total.partialValue > mostNodes
            nodes = isTooLarge ? mostNodes + 1 : total.partialValue
            last = min(last + (isTooLarge ? mostNodes : more.partialValue), mostNodes + 1)
        }
    }

    /// The number of characters after all repetitions. Nil if groups are nested too deep, or if the pattern refers back to
    /// a group: such a match can take time that grows exponentially, and Apple's syntax has no such references.
    private static func nodes(_ bytes: [UInt8]) -> Int? {
        var groups = [Group()]
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            var times: Int?
            switch byte {
            case UInt8(ascii: "\\"):
                if position < bytes.count, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(bytes[position]) {
                    return nil
                }
                position += 1
                groups[groups.count - 1].add(1)
            case UInt8(ascii: "["):
                position = endOfBracket(bytes, position)
                groups[groups.count - 1].add(1)
            case UInt8(ascii: "("):
                groups.append(Group())
                if groups.count > deepestNesting { return nil }
            case UInt8(ascii: ")") where groups.count > 1:
                let group = groups.removeLast()
                groups[groups.count - 1].add(group.nodes + 1)
            case UInt8(ascii: "+"): times = 2
            case UInt8(ascii: "{"): times = repetition(bytes, &position)
            default: groups[groups.count - 1].add(1)
            }
            if let times { groups[groups.count - 1].repeatLast(times) }
            if groups[groups.count - 1].nodes > mostNodes { return mostNodes + 1 }
        }
        return groups.reduce(0) { $0 + $1.nodes }
    }

    /// The position after the end of a bracket expression (regex(7)): a `]` that comes first stands for itself, and so does
    /// everything in `[:…:]`, `[.….]` and `[=…=]`.
    private static func endOfBracket(_ bytes: [UInt8], _ start: Int) -> Int {
        var position = start
        if position < bytes.count, bytes[position] == UInt8(ascii: "^") { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "]") { position += 1 }
        while position < bytes.count, bytes[position] != UInt8(ascii: "]") {
            let byte = bytes[position]
            position += 1
            guard byte == UInt8(ascii: "["), position < bytes.count, ":.=".utf8.contains(bytes[position]) else {
                continue
            }
            let mark = bytes[position]
            position += 1
            while position + 1 < bytes.count, !(bytes[position] == mark && bytes[position + 1] == UInt8(ascii: "]")) {
                position += 1
            }
            position += 2
        }
        return position + 1
    }

    /// The largest number in `{n,m}`, and one more for `{n,}`. Advances to its end.
    private static func repetition(_ bytes: [UInt8], _ position: inout Int) -> Int {
        var largest = 0
        var number = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = min(number * 10 + Int(byte - UInt8(ascii: "0")), mostNodes + 1)
                largest = max(largest, number)
            case UInt8(ascii: ","): number = 0
            default: return largest + 1
            }
        }
        return largest + 1
    }
}

/// A compiled POSIX regular expression (regcomp(3)) that a whole key has to match.
///
/// As configd compiles patterns (pattern.c, configd-1405): extended syntax, with `^` before it and `$` after it unless they
/// stand there.
@safe
package final class KeyPattern: @unchecked Sendable {
    // Several threads may use one expression: POSIX passes it to regexec(3) as a constant, and glibc locks what it keeps
    // there.
    private let expression: UnsafeMutablePointer<regex_t>

    /// Nil if the pattern is no regular expression, or one that takes very much memory.
    package init?(_ pattern: String) {
        guard !pattern.utf8.contains(0), PatternSize.isModest(pattern) else { return nil }
        let isEnded = pattern.hasSuffix("$") && !pattern.hasSuffix("\\$")
        let whole = (pattern.hasPrefix("^") ? "" : "^") + pattern + (isEnded ? "" : "$")
        let expression = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
        guard unsafe regcomp(expression, whole, REG_EXTENDED | REG_NOSUB) == 0 else {
            unsafe expression.deallocate()
            return nil
        }
        unsafe self.expression = unsafe expression
    }

    deinit {
        unsafe regfree(expression)
        unsafe expression.deallocate()
    }

    package func matches(_ key: String) -> Bool {
        guard !key.utf8.contains(0) else { return false }
        return unsafe regexec(expression, key, 0, nil, 0) == 0
    }
}

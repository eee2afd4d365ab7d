// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

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
    package static let location = "Setup:"
    package static let proxies = "State:/Network/Global/Proxies"
    /// What files and the environment tell, and not the kernel's network.
    static let ofMachine: Set = [computerName, hostNames, consoleUser, proxies]

    /// Whether the key may have a value that the kernel tells. One of another program has none.
    static func mayBeOfNetwork(_ key: String) -> Bool { key.hasPrefix("State:/Network/") && !ofMachine.contains(key) }
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

    /// glibc calls itself for each level of nesting.
    private static let longestPattern = 256

    /// Nil if the pattern is no regular expression, or too long. As everywhere, `{99}` in `{99}` takes much memory.
    package init?(_ pattern: String) {
        guard !pattern.utf8.contains(0), pattern.utf8.count <= Self.longestPattern else { return nil }
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

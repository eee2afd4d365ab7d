// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

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

// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// What this process hears from the kernel, what it looks at because of that, and what it tells: the lines that
/// `REACHABILITY_TRACE=looks` writes to standard error.
///
/// ```swift
/// ReachabilityTrace.handler = { line in print(line) }
/// ```
public enum ReachabilityTrace {
    /// Called with each line, without a time; nil, as at first, for none.
    ///
    /// It is called on a queue of its own, with one line after the other. Beyond 1,000 lines that wait for it, lines are lost, and one
    /// says how many. It is not called in the child of a fork.
    public static var handler: (@Sendable (String) -> Void)? {
        get { undisturbed { Trace.handler } }
        set { undisturbed { Trace.handler = newValue } }
    }
}

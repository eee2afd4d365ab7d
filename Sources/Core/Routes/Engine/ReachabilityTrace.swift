// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// A trace of the engine's work: what the kernel announces, what is evaluated because of it, and what subscribers are notified
/// of. These are the lines that `REACHABILITY_TRACE=looks` writes to standard error.
///
/// ```swift
/// ReachabilityTrace.handler = { line in print(line) }
/// ```
public enum ReachabilityTrace {
    /// Called with each line, without a time; nil, which is the initial value, for none.
    ///
    /// It is called on a queue of its own, one line at a time. If more than 1,000 lines are waiting, further ones are dropped,
    /// and a line reports how many. It is not called in the child of a fork.
    public static var handler: (@Sendable (String) -> Void)? {
        get { undisturbed { Trace.handler } }
        set { undisturbed { Trace.handler = newValue } }
    }
}

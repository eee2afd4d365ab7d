// SPDX-License-Identifier: Apache-2.0

/// Writes what the program does to standard error, if the environment variable REACHABILITY_TRACE was `looks` when the trace was made:
/// for reports of a wrong or missing callback. What standard error does not take at once is lost, as an engine must not wait.
package struct Trace: Sendable {
    package let isOn = EnvironmentVariable.value(of: "REACHABILITY_TRACE") == "looks"

    package init() {}

    /// Writes a line. The time is written as `strace -ttt` writes it.
    package func note(_ text: @autoclosure () -> String) {
        guard isOn else { return }
        let now = WallTime.now
        SharedStream(2).offer("\(now.seconds).\("\(now.nanoseconds / 1000)".padded(to: 6)) \(text())\n")
    }
}

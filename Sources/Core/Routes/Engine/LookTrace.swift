// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink

/// Writes what an engine hears, looks at and tells to standard error, if the environment variable REACHABILITY_TRACE was `looks`
/// when the engine was made: for reports of a wrong or missing callback. What standard error does not take at once is lost, as the
/// engine must not wait.
package struct LookTrace: Sendable {
    private let isOn = EnvironmentVariable.value(of: "REACHABILITY_TRACE") == "looks"

    /// Writes a line. The time is written as `strace -ttt` writes it.
    package func note(_ text: @autoclosure () -> String) {
        guard isOn else { return }
        let now = WallTime.now
        StandardStream.error.offer("\(now.seconds).\("\(now.nanoseconds / 1000)".padded(to: 6)) \(text())\n")
    }

    func announced(_ announcement: Announcement, isOfUse: Bool) {
        guard isOn else { return }
        var object = ""
        if case .route(let prefix, let isDeleted) = announcement { object = " \(prefix)\(isDeleted ? " deleted" : "")" }
        let kind = ChangeKinds(announcement).words.joined()
        note("announced: \(kind)\(object)\(isOfUse ? "" : ", of nothing watched")")
    }

    func looked(at target: Target, because causes: ChangeKinds, _ lookup: TargetLookup) {
        guard isOn else { return }
        let cause = causes.isEmpty ? "" : " because of \(causes.words.joined(separator: ", "))"
        let verdict = lookup.result.verdict
        let found = lookup.failure.map { "\(ReachabilityError($0))" } ?? "\(verdict.flags) (\(verdict.reason))"
        note("looked at \(target)\(cause): \(found)")
    }

    /// - Parameter observation: nil if the kernel refused to answer.
    package func told(of object: @autoclosure () -> String, _ observation: Observation?) {
        note("told of \(object()): \(observation.map { "\($0.flags)" } ?? "refused")")
    }
}

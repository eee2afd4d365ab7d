// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// The lines about an engine: announcements, evaluations and notifications.
extension Trace {
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
        let verdict = lookup.result
        let found = lookup.failure.map { "\(ReachabilityError($0))" } ?? "\(verdict.flags) (\(verdict.reason))"
        note("looked at \(target)\(cause): \(found)")
    }

    func told(of watch: Watch) { note("told of \(watch.description): \(watch.answerText)") }
}

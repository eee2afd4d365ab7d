// SPDX-License-Identifier: Apache-2.0

import CLimits
import ReachabilityKit
import TestTopology

/// Asking while other routes change a thousand times a second: each question follows a change, for which the thread has slept, so
/// that the processor has none of the code at hand.
func measureChurn(_ stage: Stage) throws -> [Row] {
    let result = try churn(in: Machine.office())
    return [
        Row("getFlags beside 1,000 route changes a second", .nanoseconds, result, ratio: 2)
    ]
}

func churn(in topology: Machine) throws -> (ours: Double, limit: Double) {
    try topology.run {
        try checked(limits_start_churn(1000))
        defer { _ = limits_stop_churn() }
        return try inTurns(7) {
            let references = try topology.references(500)
            try checked(limits_begin_awaiting())
            defer { limits_end_awaiting() }
            return try references.map { reference in
                limits_await_change()
                return try duration { _ = try reference.getFlags() }
            }.median
        } against: {
            try checked(limits_lookup_after_change(500))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Which server a question goes to next, and how long it waits there. Does no I/O.
///
/// All servers are asked in turn, in as many rounds as resolv.conf(5) says. A server that has answered badly is left out
/// from then on, unless it is the only one.
package struct QuestionAttempts {
    /// What is the same for all questions under one configuration.
    package struct Plan: Sendable {
        let servers: Int
        let rounds: Int
        let timeout: Duration

        package init(servers: Int, rounds: Int, timeout: Duration) {
            self.servers = servers
            self.rounds = rounds
            self.timeout = timeout
        }

        /// The time from the first attempt to the end of the last, if no server answers.
        package var wholeTime: Duration { timeout * (servers * ((1 << min(rounds, Self.doublings)) - 1)) }

        /// More would be longer than any deadline.
        fileprivate static let doublings = 16
    }

    private let plan: Plan
    private let first: Int
    /// Counts the attempts.
    package private(set) var number = 0
    private var badServers: Set<Int> = []
    private var lastFailure: FamilyOutcome?

    /// - Parameter first: the position of the server that is asked first.
    package init(_ plan: Plan, first: Int) {
        self.plan = plan
        self.first = first
    }

    /// The position of the server that is asked now.
    package var server: Int { (first + number) % plan.servers }

    /// How long this attempt waits before the next. Doubled after each round.
    package var attemptTimeout: Duration { plan.timeout * (1 << min(number / plan.servers, Plan.doublings)) }

    /// Why there is no answer, if this was the last attempt. That a server was silent is told first, because another
    /// search domain would not help (`LookupProgress`).
    package var failure: FamilyOutcome { lastFailure ?? .failed(.timeout) }

    /// Records that the present attempt got no answer in time. Returns false if it was the last.
    package mutating func timeOut() -> Bool {
        if case .couldNotAsk = lastFailure {} else { lastFailure = .failed(.timeout) }
        return moveOn()
    }

    /// Records that an attempt failed. Returns false if it was the present one, and the last.
    package mutating func fail(_ attempt: Int, _ outcome: FamilyOutcome) -> Bool {
        badServers.insert((first + attempt) % plan.servers)
        switch (lastFailure, outcome) {
        case (.failed(.timeout), .failed): break
        default: lastFailure = outcome
        }
        return attempt == number ? moveOn() : true
    }

    private mutating func moveOn() -> Bool {
        repeat {
            number += 1
            if number >= plan.servers * plan.rounds { return false }
        } while plan.servers > 1 && badServers.contains(server)
        return true
    }
}

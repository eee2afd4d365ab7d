// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityResolverFiles

/// The state of a lookup by DNS: the full names that are tried in turn, and each family's answer for the present one. Decides
/// what to ask next, and does no I/O.
///
/// A search domain is left only if both families have no addresses there. If each family were searched separately, one
/// answer could contain the addresses of two different hosts.
struct NameProgress: Sendable {
    private let candidates: [String]
    let families: [AddressFamily]
    /// The position of the present name. Both families are asked for the same one.
    private var round = 0
    private var current = Outcomes()
    /// The most informative failure of earlier rounds.
    private var earlier = Outcomes()
    private(set) var isFinished = false

    private struct Outcomes {
        private var v4: FamilyOutcome?
        private var v6: FamilyOutcome?

        var all: [FamilyOutcome] { [v6, v4].compactMap(\.self) }

        subscript(family: AddressFamily) -> FamilyOutcome? {
            get { family == .v4 ? v4 : v6 }
            set { if family == .v4 { v4 = newValue } else { v6 = newValue } }
        }
    }

    init(candidates: [String], families: [AddressFamily]) {
        precondition(!candidates.isEmpty && !families.isEmpty)
        (self.candidates, self.families) = (candidates, families)
    }

    var question: String { candidates[round] }

    /// The addresses known so far.
    var addresses: [IPAddress] {
        stableOrder(current.all.flatMap { $0.addresses.map(\.address) })
    }

    /// Records the answer to the present question of a family. Returns true if the next question is to be asked, for
    /// both families.
    mutating func record(_ outcome: FamilyOutcome, for family: AddressFamily) -> Bool {
        current[family] = outcome
        guard current.all.count == families.count else { return false }
        guard round + 1 < candidates.count, current.all.allSatisfy(\.allowsNextDomain) else {
            isFinished = true
            return false
        }
        for family in families { earlier[family] = current[family]?.orMoreInformative(earlier[family]) }
        current = Outcomes()
        round += 1
        return true
    }

    /// What is known. A family without an answer yet counts as `missing`, and one for which resolv.conf forbids to ask has
    /// no addresses.
    func finding(for query: NameQuery, missing: FamilyOutcome = .cancelled) -> Finding {
        let (v4, v6) = (outcome(.v4, missing), outcome(.v6, missing))
        let skipped: FamilyOutcome = v4 == .noSuchName ? v4 : .noData
        return Finding(
            v4: families.contains(.v4) ? v4 : .notAsked,
            v6: families.contains(.v6) ? v6 : query.wants(.v6) ? skipped : .notAsked, origin: .dns)
    }

    private func outcome(_ family: AddressFamily, _ missing: FamilyOutcome) -> FamilyOutcome {
        let found = current[family] ?? missing
        // The other family's addresses end the search in this round, so earlier failures do not count.
        return current.all.allSatisfy { $0.addresses.isEmpty } ? found.orMoreInformative(earlier[family]) : found
    }
}

extension FamilyOutcome {
    /// Whether the next search domain may still have the name. A server that refuses one domain may know another. A
    /// silent server would be silent again, so the search ends.
    fileprivate var allowsNextDomain: Bool {
        switch self {
        case .noSuchName, .noData: true
        case .failed(let status): !status.isTimeout
        default: false
        }
    }

    fileprivate func orMoreInformative(_ other: FamilyOutcome?) -> FamilyOutcome {
        guard let other else { return self }
        return other.weight > weight ? other : self
    }

    private var weight: Int {
        switch self {
        case .addresses: 4
        case .cancelled, .deadlinePassed, .notAwaited, .notAsked: 3
        case .failed, .couldNotAsk: 2
        case .noData: 1
        case .noSuchName: 0
        }
    }
}

/// Which server a question goes to next, and how long it waits there. Does no I/O.
///
/// All servers are asked in turn, in as many rounds as resolv.conf(5) says. A server that has answered badly is left out
/// from then on, unless it is the only one.
struct QuestionAttempts {
    /// What is the same for all questions under one configuration.
    struct Plan: Sendable {
        let servers: Int
        let rounds: Int
        let timeout: Duration

        /// The time from the first attempt to the end of the last, if no server answers.
        var wholeTime: Duration { timeout * (servers * ((1 << min(rounds, Self.doublings)) - 1)) }

        /// More would be longer than any deadline.
        fileprivate static let doublings = 16
    }

    private let plan: Plan
    private let first: Int
    /// Counts the attempts.
    private(set) var number = 0
    private var badServers: Set<Int> = []
    private var lastFailure: FamilyOutcome?

    /// - Parameter first: the position of the server that is asked first.
    init(_ plan: Plan, first: Int) {
        self.plan = plan
        self.first = first
    }

    /// The position of the server that is asked now.
    var server: Int { (first + number) % plan.servers }

    /// How long this attempt waits before the next. Doubled after each round.
    var attemptTimeout: Duration { plan.timeout * (1 << min(number / plan.servers, Plan.doublings)) }

    /// Why there is no answer, if this was the last attempt. That a server was silent is told first, because another
    /// search domain would not help (`NameProgress`).
    var failure: FamilyOutcome { lastFailure ?? .failed(.timeout) }

    /// Records that the present attempt got no answer in time. Returns false if it was the last.
    mutating func timeOut() -> Bool {
        if case .couldNotAsk = lastFailure {} else { lastFailure = .failed(.timeout) }
        return moveOn()
    }

    /// Records that an attempt failed. Returns false if it was the present one, and the last.
    mutating func fail(_ attempt: Int, _ outcome: FamilyOutcome) -> Bool {
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

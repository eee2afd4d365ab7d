// SPDX-License-Identifier: Apache-2.0

import NetworkFacts

/// How far a lookup has come: the names that are tried one after the other, and what each family said of the present
/// one. Decides what to ask next; asks nothing itself.
///
/// A search domain is left only when both families have no addresses there. Were each family searched for by itself,
/// the addresses of two different hosts could end up in one answer.
struct LookupProgress: Sendable {
    /// The full name that both families are being asked for.
    private(set) var round = 0
    private let candidates: [String]
    private var current: [AddressFamily: FamilyOutcome] = [:]
    /// The most telling "no" of earlier rounds.
    private var earlier: [AddressFamily: FamilyOutcome] = [:]
    private(set) var isFinished = false

    init(candidates: [String]) {
        precondition(!candidates.isEmpty)
        self.candidates = candidates
    }

    var question: String { candidates[round] }

    /// The addresses known so far.
    var addresses: [IPAddress] {
        stableOrder(current.values.lazy.flatMap(\.addresses).map(\.address))
    }

    /// Takes an answer to the question of `round`. True where both families are to be asked the next question.
    mutating func record(_ outcome: FamilyOutcome, for family: AddressFamily, round: Int) -> Bool {
        guard round == self.round, !isFinished, current[family] == nil else { return false }
        current[family] = outcome
        guard current.count == AddressFamily.allCases.count else { return false }
        guard self.round + 1 < candidates.count, current.values.allSatisfy(\.leavesHope) else {
            isFinished = true
            return false
        }
        for (family, outcome) in current { earlier[family] = outcome.moreTelling(than: earlier[family]) }
        current = [:]
        self.round += 1
        return true
    }

    /// What became of a family, where those without an answer yet are `missing`.
    func outcome(_ family: AddressFamily, missing: FamilyOutcome) -> FamilyOutcome {
        let found = current[family] ?? missing
        // Another family's addresses end the search for this one too, here and not where it failed before.
        return addresses.isEmpty ? found.moreTelling(than: earlier[family]) : found
    }
}

extension FamilyOutcome {
    /// Whether the next search domain may still know the name. A server that refuses one domain may know another; one
    /// that is silent will be silent again, and the time is better spent on saying so.
    fileprivate var leavesHope: Bool {
        switch self {
        case .noSuchName, .noData: true
        case .failed(let status): !status.isTimeout
        default: false
        }
    }

    fileprivate func moreTelling(than other: FamilyOutcome?) -> FamilyOutcome {
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

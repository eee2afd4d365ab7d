// SPDX-License-Identifier: Apache-2.0

import TestHosts
import TestTopology

/// Compares until the count is reached, and reduces networks that show a difference.
final class Oracle {
    private let seed: UInt64
    private var random: SeededGenerator
    private let canBeOthers = Capability.otherUsers.isAvailable
    private var comparisons = 0
    private var networks = 0
    private var refused: [String: Int] = [:]
    private var kinds: [String: Int] = [:]
    private var exceptions: [Exception: Int] = [:]
    /// Printed differences by the form of their reduced networks.
    private var forms: [String: Int] = [:]
    private var differenceCount: Int { kinds.values.reduce(0, +) }
    var hasFailed: Bool {
        differenceCount > 0 || exceptions.contains { $0.value > $0.key.limit(in: comparisons) }
    }

    private static let questionsOfNetwork = 40
    /// How many differences of one kind are reduced. Each takes some seconds.
    private static let mostReduced = 12

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
    }

    func run(_ count: Int) throws {
        while comparisons < count {
            let network = Network(using: &random)
            let questions = (0..<Self.questionsOfNetwork).map { _ in
                Question(about: network, canBeOthers: canBeOthers, using: &random)
            }
            networks += 1
            let differing = try differences(network, Array(questions.prefix(count - comparisons)))
            // Not before, because reducing takes seconds, in which the kernel forgets neighbours that do not answer.
            for (question, difference) in differing {
                kinds[difference.kind, default: 0] += 1
                if kinds[difference.kind]! <= Self.mostReduced { report(difference, network, question) }
            }
        }
    }

    private func differences(_ network: Network, _ questions: [Question]) throws -> [(Question, Difference)] {
        var comparison = try Comparison(network)
        comparisons += questions.count
        var found: [(Question, Difference)] = []
        for question in questions {
            if let difference = try comparison.difference(question) { found.append((question, difference)) }
        }
        exceptions.merge(comparison.exceptions, uniquingKeysWith: +)
        return found
    }

    var summary: String {
        let list = kinds.sorted { $0.key < $1.key }.map { "\n  \($0.value) × \($0.key)" }.joined()
        let named = Exception.allCases.compactMap { kind in
            exceptions[kind].map { count in
                let limit = kind.limit(in: comparisons)
                let verdict = count > limit ? ": TOO OFTEN" : ""
                return "\n  exception: \(count) × \(kind.rawValue) (at most \(limit)\(verdict))"
            }
        }.joined()
        let users = canBeOthers ? "" : "; no questions of other users, whom this namespace does not map"
        return
            "seed \(seed): \(comparisons) comparisons in \(networks) networks, \(differenceCount) differences\(users)\(list)\(named)"
    }

    private func report(_ difference: Difference, _ network: Network, _ question: Question) {
        let (smaller, question) = reduce(network, question, difference.kind)
        let form = difference.kind + Self.form(smaller, question)
        forms[form, default: 0] += 1
        guard forms[form] == 1 else { return }
        let text = Self.difference(smaller, question)?.text ?? difference.text
        say(
            """

            DIFFERENT \(difference.kind)
            # reachability check --explain \(question)
            # \(text)
            \(smaller.script)
            """)
    }

    private static func difference(_ network: Network, _ question: Question) -> Difference? {
        guard var comparison = try? Comparison(network) else { return nil }
        return try? comparison.difference(question)
    }

    /// Removes commands and keys one by one as long as the difference stays.
    private func reduce(_ network: Network, _ question: Question, _ kind: String) -> (Network, Question) {
        var (network, question) = (network, question)
        func shows(_ network: Network, _ question: Question) -> Bool {
            Self.difference(network, question)?.kind == kind
        }
        for remove in Question.simplifications {
            var simpler = question
            remove(&simpler)
            if simpler != question, shows(network, simpler) { question = simpler }
        }
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for number in (0..<network.commandCount).reversed() {
                let smaller = network.without(number)
                if shows(smaller, question) { (network, isSmaller) = (smaller, true) }
            }
        }
        return (network, question)
    }

    /// The reduced rules and routes without their numbers.
    private static func form(_ network: Network, _ question: Question) -> String {
        let shape = network.routes.joined(separator: ";").filter { !$0.isNumber && $0 != "." && $0 != ":" && $0 != "/" }
        let keys = "\(question)".split(separator: " ").filter { $0.hasPrefix("--") }.joined()
        return shape + keys
    }
}

extension Question {
    static var simplifications: [(inout Question) -> Void] {
        [
            { $0.mark = nil }, { $0.user = .own }, { $0.interface = nil }, { ($0.source, $0.isPair) = (nil, false) },
            { $0.isPair = false }, { $0.port = nil },
        ]
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem

/// `reachability check`: one answer for each target, in the order given.
struct Check {
    /// The form in which answers are printed. It decides what is looked up.
    private enum Form {
        case nothing, words, explained, json
    }

    /// An answer as it is printed; without a text if nothing is to be printed.
    private typealias Answer = (text: String?, status: ExitStatus)

    private let references: [NamedReference]
    private let form: Form
    private let paint: Paint
    private let timeout: Duration?

    init(arguments: Arguments, references: [NamedReference]) {
        self.references = references
        form = arguments.isQuiet ? .nothing : arguments.isJSON ? .json : arguments.isExplaining ? .explained : .words
        paint = Paint(arguments.color)
        timeout = arguments.timeout
    }

    func run() -> ExitStatus {
        var worst = ExitStatus.allReachable
        ConcurrentCheck(references: references, timeout: timeout, answer: answer).run { answer in
            let answer = answer.valueOrComplaint()
            answer?.text.map(Output.result)
            worst = max(worst, answer?.status ?? .undetermined)
        }
        return worst
    }

    private func answer(_ named: NamedReference, _ resolution: Resolution?) throws(ReachabilityError) -> Answer {
        switch form {
        case .nothing, .words:
            let verdict = try named.reference.verdict(resolvedTo: resolution)
            let state = StateText(verdict.flags, verdict.reason.words)
            return (
                form == .nothing ? nil : "\(named.text.printable): \(paint(state))",
                Self.status(verdict.flags, verdict.reason.isUndetermined)
            )
        case .explained, .json:
            let explanation = try named.reference.explanation(resolvedTo: resolution)
            return (
                form == .json ? JSONText(target: named.text, explanation).text : explained(named, explanation),
                Self.status(explanation.flags, explanation.isUndetermined)
            )
        }
    }

    /// The lines of `--explain`. The first is that of the words.
    private func explained(_ named: NamedReference, _ explanation: Explanation) -> String {
        let note = named.word.ignored.map { Explanation.Step("target", $0) }
        let lines = explanation.description(titled: "", note: note).split(separator: "\n").dropFirst()
        let title = "\(named.text.printable): \(paint(StateText(explanation)))"
        return ([title] + lines.map(String.init)).joined(separator: "\n")
    }

    private static func status(_ flags: ReachabilityFlags, _ isUndetermined: Bool) -> ExitStatus {
        flags.isReachable ? .allReachable : flags.isEmpty && isUndetermined ? .undetermined : .notAllReachable
    }
}

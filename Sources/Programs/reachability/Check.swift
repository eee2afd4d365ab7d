// SPDX-License-Identifier: Apache-2.0

import HostResolution
import ReachabilityKit

/// `reachability check`: one answer for each target, in the order given.
///
/// Addresses are looked up here, one after the other, without starting a thread: that is the fastest way to end. The
/// same is done for names if there are too few descriptors for more.
struct Check {
    let arguments: Arguments
    let references: [NamedReference]

    func run() -> ExitStatus {
        var worst = ExitStatus.allReachable
        let format = format
        let concurrent = ConcurrentCheck(
            references: references,
            resolved: { named, resolution throws(ReachabilityError) in
                try format.answer(named, resolvedTo: resolution)
            },
            unresolved: { named throws(ReachabilityError) in try format.answer(named) })
        if mayResolve, concurrent.run({ answer, loop in worst = max(worst, answer.print { loop.print($0 + "\n") }) }) {
            return worst
        }
        for named in references {
            let answer = Result { () throws(ReachabilityError) in try format.answer(named) }
            worst = max(worst, answer.print { Output.result($0) })
        }
        return worst
    }

    private var format: AnswerFormat {
        let form: AnswerFormat.Form =
            arguments.isQuiet ? .nothing : arguments.isJSON ? .json : arguments.isExplaining ? .explained : .words
        return AnswerFormat(form: form, paint: Paint(arguments.color))
    }

    /// Whether there are names to resolve.
    private var mayResolve: Bool {
        arguments.options.resolutionPolicy == .resolve
            && references.contains { if case .name = $0.word.target { true } else { false } }
    }
}

/// The printed form of an answer.
struct Answer: Sendable {
    /// Nil if nothing is to be printed.
    let text: String?
    let status: ExitStatus
}

/// The form in which answers are printed. It decides what is looked up.
struct AnswerFormat: Sendable {
    enum Form: Sendable {
        case nothing, words, explained, json
    }

    let form: Form
    let paint: Paint

    private var isBrief: Bool { form == .words || form == .nothing }

    func answer(_ named: NamedReference) throws(ReachabilityError) -> Answer {
        isBrief
            ? answer(named, try named.reference.currentVerdict()) : answer(named, try named.reference.explain())
    }

    /// The same for a name that was resolved.
    func answer(_ named: NamedReference, resolvedTo resolution: Resolution?) throws(ReachabilityError) -> Answer {
        isBrief
            ? answer(named, try named.reference.verdict(resolvedTo: resolution))
            : answer(named, try named.reference.explanation(resolvedTo: resolution))
    }

    private func answer(_ named: NamedReference, _ verdict: Verdict) -> Answer {
        let state = StateText(verdict.flags, verdict.reason.words)
        return Answer(
            text: form == .nothing ? nil : "\(named.text.printable): \(paint(state))",
            status: Self.status(verdict.flags, verdict.reason.isUndetermined))
    }

    private func answer(_ named: NamedReference, _ explanation: Explanation) -> Answer {
        Answer(
            text: form == .json
                ? JSONText(target: named.text, explanation).text : explained(named, explanation),
            status: Self.status(explanation.flags, explanation.isUndetermined))
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

extension Result<Answer, ReachabilityError> {
    /// Prints the answer or the error, and returns the exit status for it.
    func print(_ write: (String) -> Void) -> ExitStatus {
        switch self {
        case .success(let answer):
            if let text = answer.text { write(text) }
            return answer.status
        case .failure(let error):
            Output.complaint(error.description)
            return .undetermined
        }
    }
}

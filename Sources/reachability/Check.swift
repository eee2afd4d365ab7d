// SPDX-License-Identifier: Apache-2.0

import HostResolution
import ReachabilityKit

/// `reachability check`: one answer for each target, in the order given.
///
/// Addresses are looked up here, one after the other, without starting a thread: that is the fastest way to end. The
/// same is done for names if there are too few descriptors for more.
struct Check {
    let arguments: Arguments
    let references: [(text: String, reference: ReachabilityRef)]

    func run() -> ExitStatus {
        if arguments.mayResolve, let status = ConcurrentCheck(format: format, references: references).run() {
            return status
        }
        var worst = ExitStatus.allReachable
        for (text, reference) in references {
            let answer = Result { () throws(ReachabilityError) in try format.answer(text, reference) }
            worst = max(worst, answer.print { Output.result($0) })
        }
        return worst
    }

    private var format: AnswerFormat {
        arguments.isJSON ? .json : arguments.isExplaining ? .explained : .words
    }
}

extension Arguments {
    /// Whether there are names to resolve.
    fileprivate var mayResolve: Bool {
        options.resolutionPolicy == .resolve
            && targets.contains { if case .name = try? TargetText($0) { true } else { false } }
    }
}

/// The printed form of an answer.
struct Answer: Sendable {
    let text: String
    let isReachable: Bool
}

/// The form in which answers are printed. It decides what is looked up.
enum AnswerFormat: Sendable {
    case words, explained, json

    func answer(_ text: String, _ reference: ReachabilityRef) throws(ReachabilityError) -> Answer {
        self == .words ? answer(text, try reference.getFlags()) : answer(text, try reference.explain())
    }

    /// The same for a name that was resolved.
    func answer(
        _ text: String, _ reference: ReachabilityRef, resolvedTo resolution: Resolution?
    ) throws(ReachabilityError) -> Answer {
        self == .words
            ? answer(text, try reference.flags(resolvedTo: resolution))
            : answer(text, try reference.explanation(resolvedTo: resolution))
    }

    private func answer(_ text: String, _ flags: ReachabilityFlags) -> Answer {
        Answer(text: "\(text): \(flags)".printable, isReachable: flags.isReachable)
    }

    private func answer(_ text: String, _ explanation: Explanation) -> Answer {
        Answer(
            text: self == .json ? JSONText(target: text, explanation).text : explanation.description(titled: text),
            isReachable: explanation.flags.isReachable)
    }
}

extension Result<Answer, ReachabilityError> {
    /// Prints the answer or the error, and returns the exit status for it.
    func print(_ write: (String) -> Void) -> ExitStatus {
        switch self {
        case .success(let answer):
            write(answer.text)
            return answer.isReachable ? .allReachable : .notAllReachable
        case .failure(let error):
            Output.complaint(error.description)
            return .undetermined
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import HostResolution
import ReachabilityKit

/// `reachability check`: one answer for each target, in the order given.
///
/// Without names nothing takes time, and everything is asked right here, one after the other: no thread is started, and a
/// program that asks about one address is over as fast as it can be. So it is where descriptors are too few for more.
struct Check {
    let arguments: Arguments
    let references: [(text: String, reference: ReachabilityRef)]

    func run() -> ExitStatus {
        if arguments.mayResolve, let status = ConcurrentCheck(format: format, references: references).run() {
            return status
        }
        var worst = ExitStatus.allReachable
        for (text, reference) in references {
            let answer = Result { () throws(ReachabilityError) in try format.ask(reference, titled: text) }
            worst = max(worst, answer.tell { Output.result($0) })
        }
        return worst
    }

    private var format: AnswerFormat {
        arguments.isJSON ? .json : arguments.isExplaining ? .explained : .words
    }
}

extension Arguments {
    /// Whether there are names that somebody has to be asked about.
    fileprivate var mayResolve: Bool {
        options.resolutionPolicy == .resolve
            && targets.contains { if case .name = try? TargetText($0) { true } else { false } }
    }
}

/// An answer, ready to be printed.
struct Answer: Sendable {
    let text: String
    let isReachable: Bool
}

/// How an answer is printed, which decides what has to be asked for it.
enum AnswerFormat: Sendable {
    case words, explained, json

    func ask(_ reference: ReachabilityRef, titled text: String) throws(ReachabilityError) -> Answer {
        self == .words ? answer(text, try reference.getFlags()) : answer(text, try reference.explain())
    }

    /// The same for a name, by what it was resolved to.
    func ask(
        _ reference: ReachabilityRef, titled text: String, resolvedTo resolution: Resolution?
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
    /// Prints the answer, or says what kept it from being found; returns what that means for the exit status.
    func tell(_ print: (String) -> Void) -> ExitStatus {
        switch self {
        case .success(let answer):
            print(answer.text)
            return answer.isReachable ? .allReachable : .notAllReachable
        case .failure(let error):
            Output.complaint(error.description)
            return .undetermined
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// `reachability check`: one answer for each target, in the order given.
///
/// Without names nothing takes time, and everything is asked right here: no thread is started, and a program that asks
/// about one address is over as fast as it can be.
struct Check {
    let arguments: Arguments
    let references: [(text: String, reference: ReachabilityRef)]

    func run() -> ExitStatus {
        if arguments.mayResolve { return ConcurrentCheck(format: format, references: references).run() }
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

    /// The same without waiting for a name to be resolved. Tells once: inside this call, or on a thread of the core's.
    func ask(
        _ reference: ReachabilityRef, titled text: String,
        _ tell: @escaping @Sendable (Result<Answer, ReachabilityError>) -> Void
    ) {
        do throws(ReachabilityError) {
            try reference.resolve { resolution in
                tell(
                    Result { () throws(ReachabilityError) in
                        self == .words
                            ? answer(text, try reference.flags(resolvedTo: resolution))
                            : answer(text, try reference.explanation(resolvedTo: resolution))
                    })
            }
        } catch {
            tell(.failure(error))
        }
    }

    private func answer(_ text: String, _ flags: ReachabilityFlags) -> Answer {
        Answer(text: "\(text): \(flags)", isReachable: flags.isReachable)
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

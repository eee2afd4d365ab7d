// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// Asks about all targets at once, so that many names take about the time of the slowest, and prints the answers in
/// the order given, each as soon as all before it are there.
struct ConcurrentCheck {
    let format: AnswerFormat
    let references: [(text: String, reference: ReachabilityRef)]

    /// A person who sees nothing for longer begins to wonder.
    private static let patience: Duration = .milliseconds(500)

    private struct Message: Sendable {
        let position: Int
        let answer: Result<Answer, ReachabilityError>
    }

    func run() -> ExitStatus {
        let progress = ProgressLine()
        let inbox: Inbox<Message>
        let loop: MainLoop
        do throws(Errno) {
            inbox = try Inbox()
            loop = try MainLoop(arrival: inbox.rawDescriptor) { progress.erase() }
        } catch {
            Output.complaint("cannot wait for name servers: \(error)")
            return .undetermined
        }
        ask(inbox)
        if StandardStream.error.hasMovableCursor { loop.armTimer(after: Self.patience) }

        var worst = ExitStatus.allReachable
        var answers: [Result<Answer, ReachabilityError>?] = Array(repeating: nil, count: references.count)
        var (received, told) = (0, 0)
        while told < answers.count {
            for event in loop.next() {
                switch event {
                case .messages:
                    for message in inbox.take() {
                        answers[message.position] = message.answer
                        received += 1
                    }
                case .time: progress.begin()
                case .windowChanged, .resumed: break
                }
            }
            if told < answers.count, answers[told] != nil { progress.erase() }
            while told < answers.count, let answer = answers[told] {
                worst = max(worst, answer.tell { loop.print($0 + "\n") })
                told += 1
            }
            if told < answers.count {
                progress.draw("\(received) of \(answers.count) answered, waiting for name servers")
            }
        }
        return worst
    }

    private func ask(_ inbox: Inbox<Message>) {
        for (position, (text, reference)) in references.enumerated() {
            format.ask(reference, titled: text) { inbox.deliver(Message(position: position, answer: $0)) }
        }
    }
}

/// One line on a terminal's standard error that says how far things are, and is gone before anything else is printed.
final class ProgressLine {
    private var hasBegun = false
    private var shown: String?

    /// From now on what is drawn is seen.
    func begin() {
        hasBegun = true
    }

    func draw(_ text: String) {
        guard hasBegun, shown != text else { return }
        let width = StandardStream.error.terminalSize.columns - 1
        try? StandardStream.error.write("\r" + Table.fitted(text, width) + ControlSequence.clearToEndOfLine)
        shown = text
    }

    func erase() {
        guard shown != nil else { return }
        try? StandardStream.error.write("\r" + ControlSequence.clearToEndOfLine)
        shown = nil
    }
}

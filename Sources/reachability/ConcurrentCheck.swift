// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import ReachabilityKit

/// Resolves all names at once, so that many take about the time of the slowest, and prints the answers in the order
/// given, each as soon as it and all before it are there.
struct ConcurrentCheck {
    let format: AnswerFormat
    let references: [(text: String, reference: ReachabilityRef)]

    /// A person who sees nothing for longer begins to wonder.
    private static let patience: Duration = .milliseconds(500)

    private struct Message: Sendable {
        let position: Int
        let resolution: Resolution?
    }

    /// Nil where the means to wait for several are lacking.
    func run() -> ExitStatus? {
        let progress = ProgressLine()
        do throws(Errno) {
            let inbox = try Inbox<Message>()
            let loop = try MainLoop(arrival: inbox.rawDescriptor) { progress.erase() }
            return run(inbox, loop, progress)
        } catch {
            return nil
        }
    }

    private func run(_ inbox: Inbox<Message>, _ loop: MainLoop, _ progress: ProgressLine) -> ExitStatus {
        var awaited: Set<Int> = []
        for (position, (_, reference)) in references.enumerated() {
            do throws(ReachabilityError) {
                try reference.resolve { inbox.deliver(Message(position: position, resolution: $0)) }
                awaited.insert(position)
            } catch {
                // Without a thread to resolve it this one does, when its turn comes.
            }
        }
        var answers: [Int: Result<Answer, ReachabilityError>] = [:]
        if StandardStream.error.hasMovableCursor { loop.armTimer(after: Self.patience) }

        var worst = ExitStatus.allReachable
        for (position, (text, reference)) in references.enumerated() {
            while awaited.contains(position) {
                for event in loop.next() {
                    switch event {
                    case .messages:
                        for message in inbox.take() {
                            awaited.remove(message.position)
                            answers[message.position] = answer(message)
                        }
                    case .time: progress.begin()
                    case .windowChanged, .resumed: break
                    }
                }
                if awaited.contains(position) {
                    let count = references.count
                    progress.draw("\(count - awaited.count) of \(count) answered, waiting for name servers")
                }
            }
            progress.erase()
            let answer =
                answers[position]
                ?? Result { () throws(ReachabilityError) in try format.ask(reference, titled: text) }
            worst = max(worst, answer.tell { loop.print($0 + "\n") })
        }
        return worst
    }

    private func answer(_ message: Message) -> Result<Answer, ReachabilityError> {
        let (text, reference) = references[message.position]
        return Result { () throws(ReachabilityError) in
            try format.ask(reference, titled: text, resolvedTo: message.resolution)
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

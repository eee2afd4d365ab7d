// SPDX-License-Identifier: Apache-2.0

import ReachabilityCommandLine
import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem

/// Asks about all targets. Gives the answers in their order, each as soon as it and all before it are known.
///
/// Names are resolved at the same time, so that many take about as long as the slowest. Without names, targets are looked
/// up one after the other and no thread is started: that is the fastest way to end. The same is done for names if there
/// are too few descriptors for more.
struct ConcurrentCheck<Answer> {
    let references: [NamedReference]
    /// Asks about a target, with what its name was resolved to. With nil it resolves the name itself, if there is one.
    let answer: (NamedReference, Resolution?) throws(ReachabilityError) -> Answer

    /// After this time a person wants to see progress.
    private var progressDelay: Duration { .milliseconds(500) }

    private struct Message: QueuedMessage {
        let position: Int
        let resolution: Resolution?
        var subject: Int { position }
    }

    func run(_ take: (Result<Answer, ReachabilityError>) -> Void) {
        let progress = ProgressLine()
        if references.contains(where: { $0.reference.hostToResolve != nil }),
            let loop = try? MainLoop<Message>(keepsComplaints: true, atInterruption: { progress.erase() })
        {
            run(loop, progress, take)
        } else {
            for named in references { take(result(named, nil)) }
        }
    }

    private func run(
        _ loop: MainLoop<Message>, _ progress: ProgressLine, _ take: (Result<Answer, ReachabilityError>) -> Void
    ) {
        var awaited: Set<Int> = []
        for (position, named) in references.enumerated() {
            do throws(ReachabilityError) {
                try named.reference.resolve { [messages = loop.messages] in
                    messages.append(Message(position: position, resolution: $0))
                }
                awaited.insert(position)
            } catch {
                // There is no thread to resolve the name, so this one does it when its answer is due.
            }
        }
        var answers: [Int: Result<Answer, ReachabilityError>] = [:]
        if StandardStream.error.hasMovableCursor {
            loop.armTimer(at: SystemTime().now().advanced(by: progressDelay))
        }

        for (position, named) in references.enumerated() {
            while awaited.contains(position) {
                for event in loop.next() {
                    switch event {
                    case .messages:
                        for message in loop.messages.removeAll() {
                            awaited.remove(message.position)
                            answers[message.position] = result(references[message.position], message.resolution)
                        }
                    case .time: progress.begin()
                    case .lookAgain, .windowChanged, .resumed, .file, .room: break
                    }
                }
                if awaited.contains(position) {
                    let count = references.count
                    progress.draw("\(count - awaited.count) of \(count) answered, waiting for name servers")
                }
            }
            progress.erase()
            take(answers[position] ?? result(named, nil))
        }
    }

    private func result(_ named: NamedReference, _ resolution: Resolution?) -> Result<Answer, ReachabilityError> {
        Result { () throws(ReachabilityError) in try answer(named, resolution) }
    }
}

/// A line of progress on a terminal's standard error. It is erased before anything else is printed.
final class ProgressLine {
    private var hasBegun = false
    private var shown: String?

    /// Makes `draw` visible from now on.
    func begin() {
        hasBegun = true
    }

    func draw(_ text: String) {
        guard hasBegun, shown != text else { return }
        let width = StandardStream.error.terminalSize.columns - 1
        StandardStream.error.offer("\r" + Table.fitted(text, width) + ControlSequence.clearToEndOfLine)
        shown = text
    }

    func erase() {
        guard shown != nil else { return }
        StandardStream.error.offer("\r" + ControlSequence.clearToEndOfLine)
        shown = nil
    }
}

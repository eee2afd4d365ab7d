// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import ReachabilityKit

/// Resolves all names at the same time, so that many take about as long as the slowest. Gives the answers in the order of the
/// targets, each as soon as it and all before it are known.
struct ConcurrentCheck<Answer: Sendable> {
    let references: [NamedReference]
    /// Asks about a target whose name is resolved. Nil if there was nothing to resolve.
    let resolved: (NamedReference, Resolution?) throws(ReachabilityError) -> Answer
    /// The same, and resolves the name.
    let unresolved: (NamedReference) throws(ReachabilityError) -> Answer

    /// After this time a person wants to see progress.
    private var progressDelay: Duration { .milliseconds(500) }

    private struct Message: Sendable {
        let position: Int
        let resolution: Resolution?
    }

    /// Returns false if there are too few descriptors.
    func run(_ take: (Result<Answer, ReachabilityError>, MainLoop) -> Void) -> Bool {
        let progress = ProgressLine()
        do throws(Errno) {
            let messages = try MessageQueue<Message>()
            let loop = try MainLoop(messages: messages.rawDescriptor) { progress.erase() }
            run(messages, loop, progress, take)
            return true
        } catch {
            return false
        }
    }

    private func run(
        _ messages: MessageQueue<Message>, _ loop: MainLoop, _ progress: ProgressLine,
        _ take: (Result<Answer, ReachabilityError>, MainLoop) -> Void
    ) {
        var awaited: Set<Int> = []
        for (position, named) in references.enumerated() {
            do throws(ReachabilityError) {
                try named.reference.resolve { messages.append(Message(position: position, resolution: $0)) }
                awaited.insert(position)
            } catch {
                // There is no thread to resolve the name, so this one does it when its answer is due.
            }
        }
        var answers: [Int: Result<Answer, ReachabilityError>] = [:]
        if StandardStream.error.hasMovableCursor { loop.armTimer(after: progressDelay) }

        for (position, named) in references.enumerated() {
            while awaited.contains(position) {
                for event in loop.next() {
                    switch event {
                    case .messages:
                        for message in messages.removeAll() {
                            awaited.remove(message.position)
                            answers[message.position] = answer(message)
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
            let answer =
                answers[position]
                ?? Result { () throws(ReachabilityError) in try unresolved(named) }
            take(answer, loop)
        }
    }

    private func answer(_ message: Message) -> Result<Answer, ReachabilityError> {
        Result { () throws(ReachabilityError) in
            try resolved(references[message.position], message.resolution)
        }
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
        try? StandardStream.error.write("\r" + Table.fitted(text, width) + ControlSequence.clearToEndOfLine)
        shown = text
    }

    func erase() {
        guard shown != nil else { return }
        try? StandardStream.error.write("\r" + ControlSequence.clearToEndOfLine)
        shown = nil
    }
}

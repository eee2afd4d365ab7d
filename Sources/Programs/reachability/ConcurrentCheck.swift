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
    /// For how long names are waited for; nil for as long as each of them takes.
    var timeout: Duration?
    /// Asks about a target, with what its name was resolved to. With nil it resolves the name itself, if there is one.
    let answer: (NamedReference, Resolution?) throws(ReachabilityError) -> Answer

    private struct Message: QueuedMessage {
        let position: Int
        let resolution: Resolution?
        var subject: Int { position }
    }

    func run(_ take: (Result<Answer, ReachabilityError>) -> Void) {
        let end = timeout.map { SystemTime().now().advanced(by: $0) }
        if references.contains(where: { $0.reference.hostToResolve != nil }),
            let loop = try? MainLoop<Message>(keepsComplaints: true)
        {
            run(loop, end, take)
        } else {
            for named in references { take(result(named, nil, end)) }
        }
    }

    private func run(
        _ loop: MainLoop<Message>, _ end: BootTime?, _ take: (Result<Answer, ReachabilityError>) -> Void
    ) {
        // A person wants to know then what takes so long.
        var notice = StandardStream.error.isTerminal ? SystemTime().now().advanced(by: .seconds(1)) : nil
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
        for (position, named) in references.enumerated() {
            while awaited.contains(position) {
                loop.armTimer(at: [notice, end].compactMap(\.self).min())
                for event in loop.next() where event == .messages {
                    for message in loop.messages.removeAll() {
                        awaited.remove(message.position)
                        answers[message.position] = result(references[message.position], message.resolution, end)
                    }
                }
                if Self.isOver(end) { break }
                if Self.isOver(notice), awaited.contains(position) {
                    notice = nil
                    let count = references.count
                    Output.complaint("\(count - awaited.count) of \(count) answered, waiting for name servers")
                }
            }
            take(answers[position] ?? result(named, nil, end))
        }
    }

    private static func isOver(_ end: BootTime?) -> Bool { end.map { SystemTime().now() >= $0 } ?? false }

    /// When the time is up, only a name that was not resolved is left out: everything else is known at once.
    private func result(
        _ named: NamedReference, _ resolution: Resolution?, _ end: BootTime?
    ) -> Result<Answer, ReachabilityError> {
        if resolution == nil, named.reference.hostToResolve != nil, Self.isOver(end) {
            return .failure(ReachabilityError(.timedOut, "resolve", named.text, "the time of --timeout was up"))
        }
        return Result { () throws(ReachabilityError) in try answer(named, resolution) }
    }
}

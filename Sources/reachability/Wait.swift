// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// `reachability wait`: waits until all targets are reachable at the same time.
struct Wait {
    let arguments: Arguments
    let references: [NamedReference]

    private struct Message: Sendable {
        let position: Int
        let state: ObservedState
    }

    func run() -> ExitStatus {
        do throws(Errno) {
            let messages = try MessageQueue<Message>()
            let loop = try MainLoop(messages: messages.rawDescriptor)
            do throws(ReachabilityError) {
                return try wait(messages, loop)
            } catch {
                Output.complaint(error.description)
            }
        } catch {
            Output.complaint("cannot wait for changes: \(error)")
        }
        return .undetermined
    }

    private func wait(_ messages: MessageQueue<Message>, _ loop: MainLoop) throws(ReachabilityError) -> ExitStatus {
        if let timeout = arguments.timeout { loop.armTimer(after: timeout) }
        var subscriptions: [CancellationToken] = []
        for position in references.indices { subscriptions.append(try observe(position, messages)) }
        var states: [ObservedState?] = Array(repeating: nil, count: references.count)
        while true {
            for event in loop.next() {
                switch event {
                case .messages:
                    for message in messages.removeAll() { states[message.position] = message.state }
                case .time: return try finalStatus(states)
                case .windowChanged, .resumed: break
                }
            }
            guard states.allSatisfy({ $0?.observation.flags.isReachable == true }) else { continue }
            // The states come one after the other, so an early one may be outdated. All targets are looked up again.
            // One that is not reachable is observed anew, because the engine may never have noticed so short a change.
            var isReachable = true
            for position in references.indices where try !isReachableNow(position, states[position]) {
                isReachable = false
                states[position] = nil
                subscriptions[position].cancel()
                subscriptions[position] = try observe(position, messages)
            }
            if isReachable { return .allReachable }
        }
    }

    private func observe(
        _ position: Int, _ messages: MessageQueue<Message>
    ) throws(ReachabilityError) -> CancellationToken {
        try references[position].reference.observe { state in
            messages.append(Message(position: position, state: state))
        }
    }

    /// Looks the target up. A name without a state is not resolved yet, and so not reachable.
    private func isReachableNow(_ position: Int, _ state: ObservedState?) throws(ReachabilityError) -> Bool {
        let reference = references[position].reference
        if let state { return try reference.flags(after: state).isReachable }
        return try reference.isName ? false : reference.getFlags().isReachable
    }

    /// The status when the time is up. All targets are looked up once more, so that a timeout of 0 works as a check.
    private func finalStatus(_ states: [ObservedState?]) throws(ReachabilityError) -> ExitStatus {
        var status = ExitStatus.allReachable
        for position in references.indices where try !isReachableNow(position, states[position]) {
            status = .notAllReachable
            let (text, reference) = (references[position].text, references[position].reference)
            let problem = reference.isName && states[position] == nil ? "not resolved" : "not reachable"
            Output.complaint("'\(text)' was \(problem) when the time was up")
        }
        return status
    }
}

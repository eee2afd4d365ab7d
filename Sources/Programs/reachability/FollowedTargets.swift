// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem

/// The states of targets, brought up to date on the main thread after what the engine reports on its own.
struct FollowedTargets {
    /// What the engine reports about the target at a position.
    struct Message: QueuedMessage {
        let position: Int
        let state: ObservedState
        let time: WallTime
        /// Those of the messages that it replaces, too.
        private(set) var causes: ChangeKinds

        init(position: Int, state: ObservedState, time: WallTime) {
            (self.position, self.state, self.time, causes) = (position, state, time, state.causes)
        }

        var subject: Int { position }
        mutating func replace(_ older: Message) { causes.formUnion(older.causes) }
    }

    private let references: [ReachabilityRef]
    private let messages: MessageQueue<Message>
    /// Nil while nothing is known, as of a name that is being resolved.
    private(set) var states: [WatchedState?]
    /// The positions of targets about which the kernel could not be asked when they were looked up last, or refused to answer.
    private(set) var failures: Set<Int> = []

    init(_ references: [ReachabilityRef], _ messages: MessageQueue<Message>) {
        (self.references, self.messages) = (references, messages)
        states = Array(repeating: nil, count: references.count)
    }

    /// Begins to follow, until the program ends.
    func begin() throws(ReachabilityError) {
        for (position, reference) in references.enumerated() {
            let note: @Sendable (ObservedState) -> Void = { [messages] state in
                messages.append(Message(position: position, state: state, time: .now))
            }
            // The gateway is not part of what the engine compares, so every look counts. A token that is dropped ends nothing.
            _ = try reference.observe(everyEvaluation: true, note)
        }
    }

    /// Updates the states from all messages that have come. Returns the positions of those that changed, in the order of the
    /// messages.
    ///
    /// - Parameter failed: the answer to show for the target at a position if the kernel could not be asked. With nil the last one
    ///   stays.
    mutating func update(failed: (Int, ReachabilityError) -> Explanation?) -> [Int] {
        messages.removeAll().filter { message in
            let hadFailed = failures.contains(message.position)
            guard let answer = answer(message, failed) else { return false }
            let (position, causes) = (message.position, message.causes)
            // The engine repeats its first looks without any announcement. If this lookup is ahead of such a look, the change
            // is about to be announced, and the next message has the cause.
            if causes.isEmpty, let known = states[position]?.answer.flags, known != answer.flags,
                known == message.state.observation.flags
            {
                return false
            }
            // That an error begins or ends is told, also if the flags are none before and after.
            return WatchedState.update(&states[position], answer, causes, at: message.time)
                || hadFailed != failures.contains(position)
        }.map(\.position)
    }

    /// The engine reports that something changed. The state is looked up here, so that flags, gateway and reason belong
    /// together. A change after this lookup causes another message.
    private mutating func answer(
        _ message: Message, _ failed: (Int, ReachabilityError) -> Explanation?
    ) -> Explanation? {
        do throws(ReachabilityError) {
            let answer = try references[message.position].explanation(after: message.state)
            failures.remove(message.position)
            return answer
        } catch {
            if let error = error.errno, Errno(rawValue: error).isShortage {
                references[message.position].questionFailed()
            }
            // Once, and not at each look.
            if failures.insert(message.position).inserted { Output.complaint(error.description) }
            return failed(message.position, error)
        }
    }
}

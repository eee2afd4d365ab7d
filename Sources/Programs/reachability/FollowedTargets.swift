// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// The states of targets, brought up to date on the main thread after what the engine reports on its own.
struct FollowedTargets {
    /// What the engine reports about the target at a position.
    struct Message: Sendable {
        let position: Int
        let state: ObservedState
        let time: WallTime
    }

    private let references: [ReachabilityRef]
    private let messages: MessageQueue<Message>
    private var subscriptions: [CancellationToken] = []
    /// Nil while nothing is known, as of a name that is being resolved.
    private(set) var states: [WatchedState?]
    /// The positions of targets about which the kernel could not be asked when they were looked up last.
    private(set) var failures: Set<Int> = []

    init(_ references: [ReachabilityRef], _ messages: MessageQueue<Message>) {
        (self.references, self.messages) = (references, messages)
        states = Array(repeating: nil, count: references.count)
    }

    /// Begins to follow, until the program ends.
    mutating func begin() throws(ReachabilityError) {
        for (position, reference) in references.enumerated() {
            subscriptions.append(
                // The gateway is not part of what the engine compares, so every look counts.
                try reference.observe(everyLook: true) { [messages] state in
                    messages.append(Message(position: position, state: state, time: .now))
                })
        }
    }

    /// Updates the states from all messages that have come. Returns the positions of those that changed, in the order of their
    /// first messages.
    ///
    /// - Parameter failed: called if the kernel could not be asked; returns the answer to show. With nil the last one stays.
    mutating func update(failed: (Message, ReachabilityError) -> Explanation?) -> [Int] {
        var latest: [Int: Message] = [:]
        var order: [Int] = []
        var causes: [Int: ChangeKinds] = [:]
        for message in messages.removeAll() {
            causes[message.position, default: []].formUnion(message.state.causes)
            if latest.updateValue(message, forKey: message.position) == nil { order.append(message.position) }
        }
        return order.filter { position in
            guard let message = latest[position], let answer = answer(message, failed) else { return false }
            let causes = causes[position] ?? []
            // The engine repeats its first looks without any announcement. If this lookup is ahead of such a look, the change
            // is about to be announced, and the next message has the cause.
            if causes.isEmpty, let known = states[position]?.answer.flags, known != answer.flags,
                known == message.state.observation.flags
            {
                return false
            }
            return WatchedState.update(&states[position], answer, causes, at: message.time)
        }
    }

    /// The engine reports that something changed. The state is looked up here, so that flags, gateway and reason belong
    /// together. A change after this lookup causes another message.
    private mutating func answer(
        _ message: Message, _ failed: (Message, ReachabilityError) -> Explanation?
    ) -> Explanation? {
        do throws(ReachabilityError) {
            let answer = try references[message.position].explanation(after: message.state)
            failures.remove(message.position)
            return answer
        } catch {
            failures.insert(message.position)
            return failed(message, error)
        }
    }
}

/// Where targets on the command line come from.
enum TargetSource: Equatable, Sendable {
    case word(String)
    /// The path of a list; `-` is standard input.
    case list(String)
}

/// Lists of targets: one on a line. Empty lines and what follows `#` do not count.
enum TargetList {
    /// Reads the targets of a list.
    static func targets(in text: String) -> [(line: Int, target: String)] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated().compactMap {
            position, line in
            let target = line.prefix { $0 != "#" }.trimmingSpaces
            return target.isEmpty ? nil : (position + 1, target)
        }
    }

    /// More is no list of targets.
    private static let limit = 16 << 20

    /// The targets of all sources, in order, or what is wrong with them: a sentence for each mistake, which names the file
    /// and the line.
    static func expand(_ sources: [TargetSource], for verb: Verb) -> (words: [TargetWord], complaints: [String]) {
        var words: [TargetWord] = []
        var complaints: [String] = []
        var known: Set<String> = []
        func add(_ text: String, _ place: String) {
            do throws(ReachabilityError) {
                words.append(try TargetWord(text, for: verb))
            } catch {
                let complaint = place + error.description
                if known.insert(complaint).inserted { complaints.append(complaint) }
            }
        }
        for source in sources {
            switch source {
            case .word(let text): add(text, "")
            case .list(let path):
                let name = path == "-" ? "standard input" : path
                do throws(Errno) {
                    let bytes =
                        path == "-"
                        ? try Files.contentsOfStandardInput(limit: limit) : try Files.contents(of: path, limit: limit)
                    let found = targets(in: String(decoding: bytes, as: UTF8.self))
                    if found.isEmpty { complaints.append("there is no target in '\(name)'") }
                    for (line, target) in found { add(target, "\(name):\(line): ") }
                } catch {
                    let error = error == .fileTooLarge ? "it has more than 16 MiB" : "\(error)"
                    complaints.append("cannot read the targets in '\(name)': \(error)")
                }
            }
        }
        return (words, complaints)
    }
}

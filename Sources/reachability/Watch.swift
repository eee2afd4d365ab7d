// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// `reachability watch`: how each target stands, and then every change, until somebody ends it.
struct Watch {
    let arguments: Arguments
    let references: [(text: String, reference: ReachabilityRef)]

    private struct Message: Sendable {
        let position: Int
        let sighting: ObservedState
        let time: WallTime
    }

    func run() -> ExitStatus {
        let isTable = !arguments.isJSON && StandardStream.output.hasMovableCursor
        let inbox: Inbox<Message>
        let loop: MainLoop
        do throws(Errno) {
            inbox = try Inbox()
            loop = try MainLoop(arrival: inbox.rawDescriptor) {
                // What the terminal has shown of Ctrl-C goes; the table stays to be read.
                if isTable { try? StandardStream.output.write(ControlSequence.clearLine) }
            }
        } catch {
            Output.complaint("cannot wait for changes: \(error)")
            return .undetermined
        }
        loop.watchOutput()
        var view: any WatchView =
            isTable
            ? TableView(targets: references.map(\.text), areNames: references.map(\.reference.isName))
            : LineView(isJSON: arguments.isJSON, targets: references.map(\.text))
        var subscriptions: [CancellationToken] = []
        do throws(ReachabilityError) {
            for (position, (_, reference)) in references.enumerated() {
                subscriptions.append(
                    try reference.observe { sighting in
                        inbox.deliver(Message(position: position, sighting: sighting, time: .now))
                    })
            }
        } catch {
            Output.complaint(error.description)
            return .undetermined
        }
        var states: [WatchedState?] = Array(repeating: nil, count: references.count)
        // Addresses are known at once; names may take their time, and somebody may be looking.
        if references.allSatisfy(\.reference.isName) { loop.print(view.drawnAnew(states)) }
        while true {
            for event in loop.next() {
                switch event {
                case .messages: loop.print(view.text(for: news(in: inbox.take(), &states), states))
                case .windowChanged: loop.print(view.drawnAgain(states))
                case .resumed: loop.print(view.drawnAnew(states))
                case .time: break
                }
            }
        }
    }

    /// The positions at which something is new, in the order in which that became known.
    private func news(in messages: [Message], _ states: inout [WatchedState?]) -> [Int] {
        var latest: [Int: Message] = [:]
        var order: [Int] = []
        for message in messages {
            if latest.updateValue(message, forKey: message.position) == nil { order.append(message.position) }
        }
        return order.filter { position in
            guard let message = latest[position] else { return false }
            // The engine says that something has changed; how things stand now is asked here, so that flags, gateway
            // and reason are of one moment. Whatever changes after this is announced again.
            let (text, reference) = references[position]
            let answer: Explanation
            do throws(ReachabilityError) {
                answer = try reference.explanation(after: message.sighting)
            } catch {
                Output.complaint(error.description)
                answer = Explanation(
                    target: text, flags: message.sighting.observation.flags, lookupMethod: .netlink,
                    reason: error.description, steps: [])
            }
            return WatchedState.update(&states[position], answer, at: message.time)
        }
    }
}

/// How a watched target stands.
struct WatchedState {
    private(set) var answer: Explanation
    private(set) var since: WallTime
    /// How often it has changed since it was first known.
    private(set) var changes = 0

    /// Takes a new answer; false where nobody could see a difference. A gateway that merely has another address is
    /// none, as in callbacks.
    static func update(_ state: inout WatchedState?, _ answer: Explanation, at time: WallTime) -> Bool {
        guard var known = state else {
            state = WatchedState(answer: answer, since: time)
            return true
        }
        let isChange = known.answer.flags != answer.flags || known.answer.interface != answer.interface
        known.answer = answer
        if isChange {
            known.since = time
            known.changes += 1
        }
        state = known
        return isChange
    }
}

/// What a watch looks like. Each function returns what is to be printed.
protocol WatchView {
    /// After something has become new at these positions.
    mutating func text(for news: [Int], _ states: [WatchedState?]) -> String
    /// In place of what was drawn last, which may look different by now.
    mutating func drawnAgain(_ states: [WatchedState?]) -> String
    /// Below whatever is on the screen.
    mutating func drawnAnew(_ states: [WatchedState?]) -> String
}

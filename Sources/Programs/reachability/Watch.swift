// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// `reachability watch`: the state of each target, and then each change, until the program is ended.
struct Watch {
    let arguments: Arguments
    let references: [NamedReference]

    func run() -> ExitStatus {
        let isTable = !arguments.isJSON && StandardStream.output.hasMovableCursor
        let messages: MessageQueue<FollowedTargets.Message>
        let loop: MainLoop
        do throws(Errno) {
            messages = try MessageQueue()
            loop = try MainLoop(messages: messages.rawDescriptor) {
                // Erases the ^C that the terminal shows. The table stays.
                if isTable { try? StandardStream.output.write(ControlSequence.clearLine) }
            }
        } catch {
            Output.complaint("cannot wait for changes: \(error)")
            return .undetermined
        }
        loop.watchOutput()
        var view: any WatchView =
            isTable
            ? TableView(
                targets: references.map(\.text), areNames: references.map(\.reference.isName),
                form: Table.Form(paint: Paint(arguments.color), hasCauses: arguments.isExplaining))
            : LineView(
                isJSON: arguments.isJSON, isExplaining: arguments.isExplaining, paint: Paint(arguments.color),
                targets: references.map(\.text))
        var rechecking = Rechecking(arguments.options)
        var followed = FollowedTargets(references.map(\.reference), messages)
        do throws(ReachabilityError) {
            try followed.begin()
        } catch {
            Output.complaint(error.description)
            return .undetermined
        }
        // Names take time to resolve, so a table of nothing else is drawn before the first is known.
        if references.allSatisfy(\.reference.isName) { loop.print(view.drawnBelow(followed.states)) }
        while true {
            for event in loop.next() {
                switch event {
                case .messages:
                    rechecking.tell()
                    loop.print(view.text(for: followed.update(failed: failure), followed.states))
                case .windowChanged: loop.print(view.redrawn(followed.states))
                case .resumed: loop.print(view.drawnBelow(followed.states))
                case .lookAgain: rechecking.lookAgain()
                case .time, .file, .room: break
                }
            }
        }
    }

    private func failure(_ message: FollowedTargets.Message, _ error: ReachabilityError) -> Explanation {
        Output.complaint(error.description)
        return Explanation(
            target: references[message.position].text, flags: message.state.observation.flags, lookupMethod: .netlink,
            reason: error.description, code: "error", words: "error", isUndetermined: true, steps: [])
    }
}

/// The state of a watched target.
struct WatchedState {
    /// What the last change was.
    enum Change {
        case first
        case flags
        /// Packets leave elsewhere: by another interface, or to another gateway.
        case way
    }

    private(set) var answer: Explanation
    private(set) var since: WallTime
    /// When the state was first known.
    let began: WallTime
    private(set) var change = Change.first
    /// What made the program look when it found the change.
    private(set) var causes: ChangeKinds
    /// The number of changes since the state was first known.
    private(set) var changes = 0

    /// Stores a new answer. Returns whether the flags, the interface or the gateway differ.
    static func update(
        _ state: inout WatchedState?, _ answer: Explanation, _ causes: ChangeKinds, at time: WallTime
    ) -> Bool {
        guard var known = state else {
            state = WatchedState(answer: answer, since: time, causes: [])
            return true
        }
        let hasOtherFlags = known.answer.flags != answer.flags
        let isElsewhere = known.answer.interface != answer.interface || known.answer.gateway != answer.gateway
        let isChange = hasOtherFlags || isElsewhere && !answer.flags.isEmpty
        known.answer = answer
        if isChange {
            known.since = time
            known.change = hasOtherFlags ? .flags : .way
            known.causes = causes
            known.changes += 1
        }
        state = known
        return isChange
    }

    private init(answer: Explanation, since: WallTime, causes: ChangeKinds) {
        (self.answer, self.since, self.causes) = (answer, since, causes)
        began = since
    }

    /// Where packets go, in words.
    var way: String {
        let gateway = answer.gateway.map { "via \($0)" } ?? "no gateway"
        return ((answer.interface.map { ["by \($0)"] } ?? []) + [gateway]).joined(separator: ", ")
    }
}

/// How a watch is printed. Each function returns the text to print.
protocol WatchView {
    /// After a change at these positions.
    mutating func text(for changed: [Int], _ states: [WatchedState?]) -> String
    /// In place of what was printed last.
    mutating func redrawn(_ states: [WatchedState?]) -> String
    /// Below everything on the screen.
    mutating func drawnBelow(_ states: [WatchedState?]) -> String
}

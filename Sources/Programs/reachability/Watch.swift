// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// `reachability watch`: the state of each target, and then each change, until the program is ended.
struct Watch {
    let arguments: Arguments
    let references: [NamedReference]

    func run() throws(ReachabilityError) -> Never {
        let paint = Paint(arguments.color)
        let isTable = !arguments.isJSON && StandardStream.output.hasMovableCursor
        let loop = try MainLoop<FollowedTargets.Message> {
            // Erases the ^C that the terminal shows. The table stays.
            if isTable { try? StandardStream.output.write(ControlSequence.clearLine) }
        }
        loop.watchOutput()
        // Elsewhere there is a line for each change.
        var table =
            isTable
            ? TableView(
                targets: references.map(\.text), areNames: references.map(\.reference.isName),
                form: Table.Form(paint: paint, hasCauses: arguments.isExplaining)) : nil
        var rechecking = Rechecking(arguments.options)
        var followed = FollowedTargets(references.map(\.reference), loop.messages)
        try followed.begin()
        // Names take time to resolve, so a table of nothing else is drawn before the first is known.
        if references.allSatisfy(\.reference.isName) { loop.print(table?.drawnBelow(followed.states) ?? "") }
        while true {
            for event in loop.next() {
                switch event {
                case .messages:
                    rechecking.tell()
                    let changed = followed.update(failed: failure)
                    loop.print(table?.text(for: changed, followed.states) ?? lines(changed, followed.states, paint))
                case .windowChanged: loop.print(table?.redrawn(followed.states) ?? "")
                case .resumed: loop.print(table?.drawnBelow(followed.states) ?? "")
                case .lookAgain: rechecking.lookAgain()
                case .time, .file, .room: break
                }
            }
        }
    }

    /// A line with the time for each change: for files, pipes and other programs.
    private func lines(_ changed: [Int], _ states: [WatchedState?], _ paint: Paint) -> String {
        changed.compactMap { position in
            states[position].map { line(references[position].text, $0, paint) + "\n" }
        }.joined()
    }

    private func line(_ target: String, _ state: WatchedState, _ paint: Paint) -> String {
        let time = Timestamp.rfc3339(state.since)
        let causes = arguments.isExplaining ? state.causes.words : nil
        if arguments.isJSON { return JSONText(target: target, state.answer, time: time, after: causes).text }
        var line = "\(time) \(target.printable): \(paint(StateText(state.answer)))"
        if state.hasOnlyMoved { line += " (\(state.way))".printable }
        if let causes, !causes.isEmpty { line += ", after: \(causes.joined(separator: ", "))" }
        return line
    }

    private func failure(_ message: FollowedTargets.Message, _ error: ReachabilityError) -> Explanation {
        Explanation(
            target: references[message.position].text, flags: message.state.observation.flags, lookupMethod: .netlink,
            reason: error.description, code: "error", words: "error", isUndetermined: true, steps: [])
    }
}

/// The state of a watched target.
struct WatchedState {
    private(set) var answer: Explanation
    private(set) var since: WallTime
    /// When the state was first known.
    let began: WallTime
    /// Whether the last change left the flags as they were: packets leave by another interface, or to another gateway.
    private(set) var hasOnlyMoved = false
    /// What made the program look when it found the change.
    private(set) var causes: ChangeKinds
    /// The number of changes since the state was first known.
    private(set) var changes = 0

    /// Stores a new answer. Returns whether the flags, the interface or the gateway differ.
    static func update(
        _ state: inout WatchedState?, _ answer: Explanation, _ causes: ChangeKinds, at time: WallTime
    ) -> Bool {
        guard var known = state else {
            state = WatchedState(answer: answer, since: time, began: time, causes: [])
            return true
        }
        let hasOtherFlags = known.answer.flags != answer.flags
        let isElsewhere = known.answer.interface != answer.interface || known.answer.gateway != answer.gateway
        let isChange = hasOtherFlags || isElsewhere && !answer.flags.isEmpty
        known.answer = answer
        if isChange {
            known.since = time
            known.hasOnlyMoved = !hasOtherFlags
            known.causes = causes
            known.changes += 1
        }
        state = known
        return isChange
    }

    /// Where packets go, in words.
    var way: String {
        let gateway = answer.gateway.map { "via \($0)" } ?? "no gateway"
        return ((answer.interface.map { ["by \($0)"] } ?? []) + [gateway]).joined(separator: ", ")
    }
}

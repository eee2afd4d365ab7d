// SPDX-License-Identifier: Apache-2.0

import ReachabilityCommandLine
import ReachabilityKit
import ReachabilityLinuxSystem

/// `reachability watch`: the state of each target, and then each change, until the program is ended.
struct Watch {
    let arguments: Arguments
    let references: [NamedReference]

    func run() throws(ReachabilityError) -> Never {
        let paint = Paint(arguments.color)
        let isTable = !arguments.isJSON && StandardStream.output.hasMovableCursor
        let loop = try MainLoop<FollowedTargets.Message> {
            // Erases the ^C that the terminal shows. The table stays. It may be half drawn.
            if isTable { StandardStream.output.offer(ControlSequence.showCursor + ControlSequence.clearLine) }
        }
        loop.watchOutput()
        // Elsewhere there is a line for each change.
        var table =
            isTable
            ? TableView(
                targets: references.map(\.text), areNames: references.map(\.reference.isName),
                form: Table.Form(paint: paint, hasCauses: arguments.isExplaining)) : nil
        var lines = DueLines()
        var followed = FollowedTargets(references.map(\.reference), loop.messages)
        try followed.begin()
        // Names take time to resolve, so a table of nothing else is drawn before the first is known.
        if references.allSatisfy(\.reference.isName) { loop.print(table?.drawnBelow(followed.states) ?? "") }
        while true {
            for event in loop.next() {
                switch event {
                case .messages:
                    // While the reader takes nothing, changes replace each other.
                    loop.print {
                        let changed = followed.update { Explanation(references[$0].text, $1) }
                        if table != nil { return changed.isEmpty ? nil : table?.text(for: changed, followed.states) }
                        for position in changed { lines.add(position, followed.states[position]?.causes ?? []) }
                        return text(&lines, followed.states, paint)
                    }
                case .windowChanged: loop.print(table?.redrawn(followed.states) ?? "")
                case .resumed: loop.print(table?.drawnBelow(followed.states) ?? "")
                case .time, .file, .room: break
                }
            }
        }
    }

    /// Lines that are due, as far as a pipe that has room takes them at once; nil if there is none.
    private func text(_ lines: inout DueLines, _ states: [WatchedState?], _ paint: Paint) -> String? {
        var text = ""
        while text.utf8.count < 2048, let due = lines.next(states) { text += line(due, paint) + "\n" }
        return text.isEmpty ? nil : text
    }

    /// A line with the time: for files, pipes and other programs.
    private func line(_ due: DueLines.Line, _ paint: Paint) -> String {
        let (target, state) = (references[due.position].text, due.state)
        let time = Timestamp.rfc3339(state.since)
        let causes = arguments.isExplaining ? due.causes.words : nil
        if arguments.isJSON { return JSONText(target: target, state.answer, time: time, after: causes).text }
        var line = "\(time) \(target.printable): \(paint(StateText(state.answer)))"
        if due.hasSameFlags { line += " (\(state.way))".printable }
        if let causes, !causes.isEmpty { line += ", after: \(causes.joined(separator: ", "))" }
        return line
    }
}

/// The targets of which a line is due, in the order in which that became so. Each is there once: its line has the newest state.
struct DueLines {
    struct Line {
        let position: Int
        let state: WatchedState
        /// What made the program look when it found the changes since the line before.
        let causes: ChangeKinds
        /// Whether the flags are those of the line before: packets leave by another interface, or to another gateway.
        let hasSameFlags: Bool
    }

    private var positions: ArraySlice<Int> = []
    private var causes: [Int: ChangeKinds] = [:]
    private var told: [Int: ReachabilityFlags] = [:]

    mutating func add(_ position: Int, _ causes: ChangeKinds) {
        if self.causes[position] == nil { positions.append(position) }
        self.causes[position, default: []].formUnion(causes)
    }

    mutating func next(_ states: [WatchedState?]) -> Line? {
        guard let position = positions.popFirst(), let state = states[position] else { return nil }
        let flags = state.answer.flags
        let hasSameFlags = told.updateValue(flags, forKey: position) == flags && !flags.isEmpty
        return Line(
            position: position, state: state, causes: causes.removeValue(forKey: position) ?? [],
            hasSameFlags: hasSameFlags)
    }
}

/// The state of a watched target.
struct WatchedState {
    private(set) var answer: Explanation
    private(set) var since: WallTime
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

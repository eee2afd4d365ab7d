// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// What has to be evaluated, and who waits for that.
struct DueWatch {
    let watch: Watch
    /// A subscriber that has not been told any answer of this watch; nil if the watch is due for all of its subscribers.
    var newcomer: (any Subscriber)?
    /// Whether the evaluation was put off, because a change was announced between the questions.
    var wasPutOff = false

    init(_ watch: Watch, for newcomer: (any Subscriber)? = nil) { (self.watch, self.newcomer) = (watch, newcomer) }

    /// Whether anybody still waits for it.
    var isWanted: Bool { newcomer.map(watch.subscribers.contains) ?? !watch.subscribers.isEmpty }
}

/// An evaluation of what is due together, while it is under way. It is made in turns, so that timers and descriptors of the loop
/// do not wait long.
struct Evaluation {
    /// The longest time that a turn takes of a processor, but for one batch of questions or subscribers. Half of it is for questions.
    static var turnLimit: Duration { .milliseconds(5) }
    /// So many entries or subscribers are worked on before the time is looked at.
    static var batchLength: Int { 64 }

    var due: Agenda<DueWatch>.Due
    private let number: UInt32
    let proof: Proof
    /// What is asked about, in this order. Groups that have to be judged are added behind their targets.
    private var entries: [DueWatch]
    private var position = 0
    /// To be asked about anew in the next turn.
    private var putOff: [DueWatch] = []
    /// The subscribers that have to be told, and were not yet.
    var untold: ArraySlice<Notice> = []
    /// Whether the path has to be read, and who waits for it.
    var path: [DueWatch] = []
    /// What was asked about, and may have changed afterwards without a further announcement.
    var unproved: [DueWatch] = []
    var hasFoundChange = false
    /// The processor's time that it took, without what was done between the turns.
    var took = Duration.zero

    /// A subscriber that has to be told the answer in a watch.
    typealias Notice = (subscriber: any Subscriber, watch: Watch)

    init(_ due: Agenda<DueWatch>.Due, number: UInt32, _ proof: Proof) {
        entries = due.entries
        var due = due
        due.entries = []
        (self.due, self.number, self.proof) = (due, number, proof)
    }

    var areQuestionsLeft: Bool { position < entries.count || !putOff.isEmpty }
    var isAtEnd: Bool { !areQuestionsLeft && untold.isEmpty && path.isEmpty }

    /// What is asked with one request, and what is judged after it.
    struct Batch {
        var targets: [WatchedTarget] = []
        var due: [DueWatch] = []
    }

    /// Removes and returns what is asked next. A target is asked about once in a turn, and a group with all of its targets.
    ///
    /// - Parameter path: is read by itself, after others were told.
    mutating func nextBatch(inTurn turn: UInt32, path: PathWatcher) -> Batch {
        var batch = Batch()
        if !putOff.isEmpty {
            entries.replaceSubrange(..<position, with: putOff)
            (position, putOff) = (0, [])
        }
        let end = min(position + Self.batchLength, entries.count)
        while position < end {
            let next = entries[position]
            let members = next.watch.group?.members ?? []
            let isFull = batch.targets.count + max(1, members.count) > NetlinkRequester.routesInDatagram
            if isFull, !batch.due.isEmpty { break }
            position += 1
            guard next.isWanted else { continue }
            if next.watch === path {
                self.path.append(next)
                continue
            }
            if let target = next.watch as? WatchedTarget {
                // A question for a new subscriber has no consequence for groups.
                if next.newcomer == nil { addGroups(of: target) { $0.isToJudge || $0.tellsEveryEvaluation } }
                if target.mark(turn) { batch.targets.append(target) }
            } else {
                _ = next.watch.mark(number)
                for member in members where member.mark(turn) { batch.targets.append(member) }
            }
            batch.due.append(next)
        }
        return batch
    }

    /// Has those of a target's groups evaluated that are chosen, each once.
    mutating func addGroups(of target: WatchedTarget, where isChosen: (WatchGroup) -> Bool) {
        target.subscribers.forEach { subscriber in
            guard let group = subscriber.group, isChosen(group), group.mark(number) else { return }
            entries.append(DueWatch(group))
        }
    }

    /// Puts a group off to the next turn.
    mutating func putOff(_ group: DueWatch) {
        var group = group
        group.wasPutOff = true
        putOff.append(group)
    }

    /// Ends the questions, because the kernel could not be asked. Returns the entries, also those of `batch`, that have to be evaluated
    /// again: those with a new subscriber, and groups, because no announcement concerns a group without members.
    mutating func endEarly(_ batch: [DueWatch]) -> [DueWatch] {
        defer { (position, entries, putOff) = (0, [], []) }
        return (batch + putOff + entries[position...]).filter {
            ($0.newcomer != nil || $0.watch.group != nil) && $0.isWanted
        }
    }

    /// Removes and returns the subscribers that are told next.
    mutating func nextUntold() -> ArraySlice<Notice> {
        defer { untold = untold.dropFirst(Self.batchLength) }
        return untold.prefix(Self.batchLength)
    }

    /// What it proves about the targets that it finds an answer for.
    enum Proof {
        /// The kernel had made all announced changes before it. The answers are proved.
        case given
        /// No change is under way. Answers that were proved are proved.
        case kept
        /// A change may be announced that is not made yet.
        case lost

        func holds(after before: Bool) -> Bool {
            switch self {
            case .given: true
            case .kept: before
            case .lost: false
            }
        }
    }
}

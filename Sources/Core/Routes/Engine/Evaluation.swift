// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// Something to evaluate, and the subscriber that waits for it.
struct DueWatch {
    let watch: Watch
    /// A subscriber that has not been notified of any answer of this watch; nil if the watch is due for all of its subscribers.
    var newcomer: (any Subscriber)?
    /// Whether the evaluation was put off because a change was announced between the requests to the kernel.
    var wasPutOff = false

    init(_ watch: Watch, for newcomer: (any Subscriber)? = nil) { (self.watch, self.newcomer) = (watch, newcomer) }

    /// Whether any subscriber still waits for it.
    var isWanted: Bool { newcomer.map(watch.subscribers.contains) ?? !watch.subscribers.isEmpty }
}

/// An evaluation of what is due together, while it is under way. It runs in time slices ("turns"), so that timers and descriptors
/// of the loop do not have to wait long.
struct Evaluation {
    /// The processor time after which a time slice ends, with the current batch of requests or subscribers. Half of it is for
    /// requests.
    static var turnLimit: Duration { .milliseconds(5) }
    /// The number of entries or subscribers that are processed between two readings of the clock.
    static var batchLength: Int { 64 }

    var due: Agenda<DueWatch>.Due
    private let number: UInt32
    let proof: Proof
    /// The entries to ask the kernel about, in this order. Groups that have to be evaluated are added after their targets.
    private var entries: [DueWatch]
    private var position = 0
    /// The entries to ask about again in the next time slice.
    private var putOff: [DueWatch] = []
    /// The subscribers that still have to be notified.
    var untold: ArraySlice<Notice> = []
    /// The entries that need the path to be read; empty if it does not have to be.
    var path: [DueWatch] = []
    /// The entries whose answers may have changed since, without a further announcement.
    var unproved: [DueWatch] = []
    var hasFoundChange = false
    /// The processor time that it took, without the work between its time slices.
    var took = Duration.zero

    /// A subscriber that has to be notified of the answer in a watch.
    typealias Notice = (subscriber: any Subscriber, watch: Watch)

    init(_ due: Agenda<DueWatch>.Due, number: UInt32, _ proof: Proof) {
        entries = due.entries
        var due = due
        due.entries = []
        (self.due, self.number, self.proof) = (due, number, proof)
    }

    var areQuestionsLeft: Bool { position < entries.count || !putOff.isEmpty }
    var isAtEnd: Bool { !areQuestionsLeft && untold.isEmpty && path.isEmpty }

    /// The targets that one request asks about, and the entries that are evaluated after it.
    struct Batch {
        var targets: [WatchedTarget] = []
        var due: [DueWatch] = []
    }

    /// Removes and returns the next batch. In one time slice, the kernel is asked about a target once, and about all targets of a
    /// group.
    ///
    /// - Parameter path: the path watcher, which is read separately, after others have been notified.
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
                // A request for a new subscriber has no consequences for groups.
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

    /// Adds the chosen ones of a target's groups, each once.
    mutating func addGroups(of target: WatchedTarget, where isChosen: (WatchGroup) -> Bool) {
        target.subscribers.forEach { subscriber in
            guard let group = subscriber.group, isChosen(group), group.mark(number) else { return }
            entries.append(DueWatch(group))
        }
    }

    /// Puts a group off to the next time slice.
    mutating func putOff(_ group: DueWatch) {
        var group = group
        group.wasPutOff = true
        putOff.append(group)
    }

    /// Ends the requests, because the kernel could not be asked. Returns the entries, including those of `batch`, that have to be
    /// evaluated again: those with a new subscriber, and groups, because no announcement concerns a group without members.
    mutating func endEarly(_ batch: [DueWatch]) -> [DueWatch] {
        defer { (position, entries, putOff) = (0, [], []) }
        return (batch + putOff + entries[position...]).filter {
            ($0.newcomer != nil || $0.watch.group != nil) && $0.isWanted
        }
    }

    /// Removes and returns the next subscribers to notify.
    mutating func nextUntold() -> ArraySlice<Notice> {
        defer { untold = untold.dropFirst(Self.batchLength) }
        return untold.prefix(Self.batchLength)
    }

    /// Whether the answers of the evaluation are proved to be up to date.
    enum Proof {
        /// Yes: the kernel had made all announced changes before it was asked.
        case given
        /// As before: no change is under way, so answers that were proved stay proved.
        case kept
        /// No: a change may be announced that the kernel has not made yet.
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

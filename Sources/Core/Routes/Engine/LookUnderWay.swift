// SPDX-License-Identifier: Apache-2.0

/// A look while it is done: at so many targets, or telling so many subscribers, at a time that no timer waits long for it.
struct LookUnderWay {
    /// So many lookups take a few milliseconds.
    static let sliceLength = 1000

    let look: LookSchedule.Look
    let causes: ChangeKinds
    let proof: LookProof
    let targets: [WatchedTarget]
    private(set) var position = 0
    /// The subscribers of the targets looked up last that were not told yet.
    var untold: ArraySlice<WatchedTarget.Notice> = []
    var hasFoundChange = false
    /// The processor's time that it took, without what was done between the slices.
    var took = Duration.zero

    var isAtStart: Bool { position == 0 }
    var isAtEnd: Bool { position == targets.count && untold.isEmpty }

    /// Removes and returns the targets of the next slice that are still watched.
    mutating func nextTargets() -> [WatchedTarget] {
        let end = min(position + Self.sliceLength, targets.count)
        defer { position = end }
        return targets[position..<end].filter { !$0.subscribers.isEmpty }
    }

    /// Removes and returns those who are told next.
    mutating func nextUntold() -> ArraySlice<WatchedTarget.Notice> {
        defer { untold = untold.dropFirst(Self.sliceLength) }
        return untold.prefix(Self.sliceLength)
    }

    /// Leaves out the targets that are left.
    mutating func endEarly() { position = targets.count }
}

/// What a look proves about the targets that it finds an answer for.
enum LookProof {
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

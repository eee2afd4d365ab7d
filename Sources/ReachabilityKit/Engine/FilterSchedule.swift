// SPDX-License-Identifier: Apache-2.0

/// When the kernel's filter for announcements is built anew.
///
/// Few watches: at every batch of new ones. Many: the filter is taken away, and built when the crowd has stopped coming,
/// since building it looks at every watched address. A filter is attached only while it knows every watched address.
struct FilterSchedule {
    /// What is to be done, now that something has happened.
    enum Step: Hashable {
        case nothing
        /// Build a filter for all that is watched, and attach it.
        case restrict
        /// Take the filter away, and say when `quietTime` has passed.
        case openAndWait
        /// Say when `quietTime` has passed once more.
        case wait
    }

    private enum State {
        /// Every announcement comes through, until a watch is added.
        case open
        /// Every announcement comes through, until none was added for a while. The time is running.
        case openForCrowd(grew: Bool)
        /// The filter attached knows every watched address.
        case restricted
    }

    /// Up to this many, building takes less than a millisecond.
    static let fewWatches = 2_000
    /// How long no watch must have been added before a large filter is built.
    static let quietTime: Duration = .milliseconds(100)

    private let few: Int
    private var state = State.open

    init(few: Int = Self.fewWatches) {
        self.few = few
    }

    /// Watches were added.
    mutating func watchesWereAdded(total: Int) -> Step {
        switch state {
        case .openForCrowd:
            state = .openForCrowd(grew: true)
            return .nothing
        case .open, .restricted:
            state = total <= few ? .restricted : .openForCrowd(grew: false)
            return total <= few ? .restrict : .openAndWait
        }
    }

    /// The time asked for has passed.
    mutating func quietTimePassed() -> Step {
        guard case .openForCrowd(let grew) = state else { return .nothing }
        state = grew ? .openForCrowd(grew: false) : .restricted
        return grew ? .wait : .restrict
    }

    /// The feed is another one, which has no filter.
    mutating func feedWasReplaced() -> Step {
        if case .restricted = state { .restrict } else { .nothing }
    }

    /// The filter was refused, and there is none now.
    mutating func wasRefused() {
        if case .restricted = state { state = .open }
    }
}

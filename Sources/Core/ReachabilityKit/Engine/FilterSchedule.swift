// SPDX-License-Identifier: Apache-2.0

/// Decides when the kernel's filter for announcements is built.
///
/// With few watches it is built whenever some were added. With many it is taken away first, and built when none was added
/// for a while, because building it takes time for each watched address. An attached filter knows every watched address.
struct FilterSchedule {
    /// What the caller has to do now.
    enum Step: Hashable {
        case nothing
        /// Build a filter for all watched addresses, and attach it.
        case restrict
        /// Take the filter away, and call `quietTimePassed` after `quietTime`.
        case openAndWait
        /// Call `quietTimePassed` after another `quietTime`.
        case wait
    }

    private enum State {
        /// Every announcement comes through, until a watch is added.
        case open
        /// Every announcement comes through while many watches are being added. The quiet time is running.
        case openWhileGrowing(grew: Bool)
        /// The attached filter knows every watched address.
        case restricted
    }

    /// Up to this many watches, building the filter takes less than a millisecond.
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
        case .openWhileGrowing:
            state = .openWhileGrowing(grew: true)
            return .nothing
        case .open, .restricted:
            state = total <= few ? .restricted : .openWhileGrowing(grew: false)
            return total <= few ? .restrict : .openAndWait
        }
    }

    /// The quiet time has passed.
    mutating func quietTimePassed() -> Step {
        guard case .openWhileGrowing(let grew) = state else { return .nothing }
        state = grew ? .openWhileGrowing(grew: false) : .restricted
        return grew ? .wait : .restrict
    }

    /// The feed was replaced by one without a filter.
    mutating func feedWasReplaced() -> Step {
        if case .restricted = state { .restrict } else { .nothing }
    }

    /// The kernel refused the filter, and none is attached now.
    mutating func wasRefused() {
        if case .restricted = state { state = .open }
    }
}

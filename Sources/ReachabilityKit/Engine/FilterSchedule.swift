// SPDX-License-Identifier: Apache-2.0

/// When the kernel's filter for announcements is built anew.
///
/// Few watches: at every batch of new ones. Many: the filter is opened, and built when the crowd has stopped coming,
/// since building it looks at every watched address.
struct FilterSchedule {
    enum Step: Hashable {
        case rebuild
        case openThenRebuildLater
        case stayOpen
    }

    /// Up to this many, building takes less than a millisecond.
    static let fewWatches = 2_000
    /// How long nobody must have come before a large filter is built.
    static let quietTime: Duration = .milliseconds(100)

    private(set) var isRestrictive = false
    private var isWaiting = false
    private var watchedAtLastCheck = 0

    /// Watches were added.
    mutating func step(watched: Int) -> Step {
        if watched <= Self.fewWatches {
            isRestrictive = true
            return .rebuild
        }
        if isWaiting { return .stayOpen }
        isWaiting = true
        isRestrictive = false
        watchedAtLastCheck = watched
        return .openThenRebuildLater
    }

    /// Whether it is time to build a large filter: nobody came since the last time this was asked.
    mutating func isQuiet(watched: Int) -> Bool {
        guard watched == watchedAtLastCheck else {
            watchedAtLastCheck = watched
            return false
        }
        isWaiting = false
        isRestrictive = true
        return true
    }

    mutating func failed() {
        isRestrictive = false
    }
}

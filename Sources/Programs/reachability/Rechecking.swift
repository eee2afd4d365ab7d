// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// Looking again where the kernel does not announce all changes, for the verbs that follow changes.
struct Rechecking {
    private let source: PathSource?
    private var isTold = false

    init(_ options: ReachabilityOptions) {
        source = try? PathSource(options)
    }

    /// Has everything looked at again that is watched.
    func lookAgain() { source?.recheck() }

    /// Says once on standard error that there are no announcements. To be called after the first answer.
    mutating func tell() {
        guard !isTold, let source, let method = source.statistics.lookupMethod else { return }
        isTold = true
        guard method != .netlink else { return }
        let seconds = source.recheckInterval / .seconds(1)
        Output.complaint(
            "the kernel announces no changes to this program (\(method.rawValue)), which looks again every \(seconds) s; "
                + "--recheck and SIGUSR1 change that")
    }
}

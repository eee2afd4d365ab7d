// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// Prints a line with the time for each change: for files, pipes and other programs.
struct LineView: WatchView {
    let isJSON: Bool
    let targets: [String]

    func text(for changed: [Int], _ states: [WatchedState?]) -> String {
        changed.compactMap { position in
            states[position].map { line(targets[position], $0) + "\n" }
        }.joined()
    }

    func redrawn(_ states: [WatchedState?]) -> String { "" }

    func drawnBelow(_ states: [WatchedState?]) -> String { "" }

    private func line(_ target: String, _ state: WatchedState) -> String {
        let time = Timestamp.rfc3339(state.since)
        guard isJSON else { return "\(time) \(target): \(state.answer.flags)".printable }
        return JSONText(target: target, state.answer, time: time).text
    }
}

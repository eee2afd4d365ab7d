// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// Prints a line with the time for each change: for files, pipes and other programs.
struct LineView: WatchView {
    let isJSON: Bool
    /// Whether to say what made the program look.
    let isExplaining: Bool
    let paint: Paint
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
        let causes = isExplaining ? state.causes.words : nil
        if isJSON { return JSONText(target: target, state.answer, time: time, after: causes).text }
        var line = "\(time) \(target.printable): \(paint(StateText(state.answer)))"
        if state.change == .way { line += " (\(state.way))".printable }
        if let causes, !causes.isEmpty { line += ", after: \(causes.joined(separator: ", "))" }
        return line
    }
}

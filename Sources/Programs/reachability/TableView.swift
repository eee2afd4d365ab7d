// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// The control sequences in use (ECMA-48). Every terminal has them whose TERM is not "dumb".
enum ControlSequence {
    static let clearLine = "\r\u{1B}[K"
    static let clearToEndOfLine = "\u{1B}[K"
    static let clearToEndOfScreen = "\u{1B}[J"
    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"
    static func up(_ lines: Int) -> String { lines > 0 ? "\u{1B}[\(lines)A" : "" }
}

/// A table on a terminal, redrawn in place at each change.
///
/// The cursor stays below the table. It is hidden and shown again within one write, so a program that is killed leaves
/// the terminal in order.
struct TableView: WatchView {
    let targets: [String]
    /// Whether each target is a name, which takes time to resolve.
    let areNames: [Bool]
    private let form: Table.Form
    /// The lines on the screen.
    private var shown: [Table.Line] = []

    init(targets: [String], areNames: [Bool], form: Table.Form) {
        self.targets = targets
        self.areNames = areNames
        self.form = form
    }

    mutating func text(for changed: [Int], _ states: [WatchedState?]) -> String {
        // The first table is drawn when all addresses are known, which are looked up at the same time.
        let isPartial = shown.isEmpty && zip(states, areNames).contains { $0 == nil && !$1 }
        return changed.isEmpty || isPartial ? "" : draw(states)
    }

    mutating func redrawn(_ states: [WatchedState?]) -> String { draw(states) }

    mutating func drawnBelow(_ states: [WatchedState?]) -> String {
        shown = []
        return draw(states)
    }

    private mutating func draw(_ states: [WatchedState?]) -> String {
        let size = StandardStream.output.terminalSize
        // A terminal that was made narrower has wrapped the old lines.
        let height = shown.reduce(0) { $0 + max(1, ($1.width + size.columns - 1) / size.columns) }
        let lines = Table.lines(
            rows: zip(targets, states).map { Table.Row(target: $0, state: $1, form: form) }, size: size, form: form)
        let text = lines.map { $0.text + ControlSequence.clearToEndOfLine + "\r\n" }.joined()
        shown = lines
        return ControlSequence.hideCursor + "\r" + ControlSequence.up(min(height, size.rows - 1)) + text
            + ControlSequence.clearToEndOfScreen + ControlSequence.showCursor
    }
}

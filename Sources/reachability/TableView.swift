// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// The few control sequences that are used (ECMA-48, and so every terminal that calls itself anything but dumb).
enum ControlSequence {
    static let clearLine = "\r\u{1B}[K"
    static let clearToEndOfLine = "\u{1B}[K"
    static let clearToEndOfScreen = "\u{1B}[J"
    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"
    static func up(_ lines: Int) -> String { lines > 0 ? "\u{1B}[\(lines)A" : "" }
}

/// A table on a terminal, drawn again where it stands whenever something in it changes.
///
/// The cursor rests below it and is out of sight only while a picture is being drawn, within one write: a program that
/// is stopped or killed leaves nothing to be put in order.
struct TableView: WatchView {
    let targets: [String]
    var size: () -> TerminalSize = { StandardStream.output.terminalSize }
    /// The lines on the screen now, and how wide it was then.
    private var shown: [String] = []

    init(targets: [String], size: @escaping () -> TerminalSize = { StandardStream.output.terminalSize }) {
        self.targets = targets
        self.size = size
    }

    var opening: String { "" }

    mutating func text(for news: [Int], _ states: [WatchedState?]) -> String {
        news.isEmpty ? "" : draw(states)
    }

    mutating func redrawn(_ states: [WatchedState?]) -> String { draw(states) }

    private mutating func draw(_ states: [WatchedState?]) -> String {
        let size = size()
        // A terminal that has become narrower has broken the old lines.
        let height = shown.reduce(0) { $0 + max(1, ($1.count + size.columns - 1) / size.columns) }
        let lines = Table.lines(rows: zip(targets, states).map(Table.Row.init), size: size)
        let picture = lines.map { $0 + ControlSequence.clearToEndOfLine + "\r\n" }.joined()
        shown = lines
        return ControlSequence.hideCursor + "\r" + ControlSequence.up(min(height, size.rows - 1)) + picture
            + ControlSequence.clearToEndOfScreen + ControlSequence.showCursor
    }
}

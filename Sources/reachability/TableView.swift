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
    /// Which of them are names, that may take their time.
    let areNames: [Bool]
    /// The lines on the screen now, and how wide it was then.
    private var shown: [String] = []

    init(targets: [String], areNames: [Bool]) {
        self.targets = targets
        self.areNames = areNames
    }

    mutating func text(for news: [Int], _ states: [WatchedState?]) -> String {
        // The first picture comes when every address is known, all of which are asked about at once.
        let isPartial = shown.isEmpty && zip(states, areNames).contains { $0 == nil && !$1 }
        return news.isEmpty || isPartial ? "" : draw(states)
    }

    mutating func drawnAgain(_ states: [WatchedState?]) -> String { draw(states) }

    mutating func drawnAnew(_ states: [WatchedState?]) -> String {
        shown = []
        return draw(states)
    }

    private mutating func draw(_ states: [WatchedState?]) -> String {
        let size = StandardStream.output.terminalSize
        // A terminal that has become narrower has broken the old lines.
        let height = shown.reduce(0) { $0 + max(1, ($1.count + size.columns - 1) / size.columns) }
        let lines = Table.lines(rows: zip(targets, states).map(Table.Row.init), size: size)
        let picture = lines.map { $0 + ControlSequence.clearToEndOfLine + "\r\n" }.joined()
        shown = lines
        return ControlSequence.hideCursor + "\r" + ControlSequence.up(min(height, size.rows - 1)) + picture
            + ControlSequence.clearToEndOfScreen + ControlSequence.showCursor
    }
}

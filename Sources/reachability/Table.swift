// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// Rows of text in columns that fit a terminal. Pure.
enum Table {
    struct Row: Equatable {
        var cells: [String]

        init(cells: [String]) {
            self.cells = cells
        }

        init(target: String, state: WatchedState?) {
            guard let state else {
                cells = [target, "(being resolved)", "", "", "", ""]
                return
            }
            let answer = state.answer
            cells = [
                target, "\(answer.flags)", answer.interface ?? "-", answer.gateway ?? "-", Timestamp.local(state.since),
                "\(state.changes)",
            ]
        }
    }

    private static let titles = Row(cells: ["TARGET", "STATE", "INTERFACE", "GATEWAY", "SINCE", "CHANGES"])
    /// The columns that may be shortened, and their least widths. The widest is shortened first.
    private static let shrinking = [(column: 0, least: 16), (column: 1, least: 13)]
    private static let gap = 2

    /// The lines of the table. The last row of the screen stays free for the cursor. A last line counts the targets
    /// that do not fit.
    static func lines(rows: [Row], size: TerminalSize) -> [String] {
        let most = max(1, size.rows - 2)
        let rows = rows.map { Row(cells: $0.cells.map(\.printable)) }
        var shown = rows
        var rest: String?
        if rows.count > most {
            shown = Array(rows.prefix(max(0, most - 1)))
            rest = "and \(rows.count - shown.count) more; make the window taller to see them"
        }
        let widths = widths(of: [titles] + shown, columns: size.columns)
        let lines = ([titles] + shown).map { line($0, widths, size.columns) }
        return lines + (rest.map { [fitted($0, size.columns)] } ?? [])
    }

    private static func widths(of rows: [Row], columns: Int) -> [Int] {
        var widths = titles.cells.indices.map { column in rows.map { $0.cells[column].count }.max() ?? 0 }
        var excess = widths.reduce(0, +) + gap * (widths.count - 1) - columns
        while excess > 0 {
            let widest = shrinking.filter { widths[$0.column] > $0.least }.max { widths[$0.column] < widths[$1.column] }
            guard let widest else { break }
            widths[widest.column] -= 1
            excess -= 1
        }
        return widths
    }

    private static func line(_ row: Row, _ widths: [Int], _ columns: Int) -> String {
        var line = ""
        for (cell, width) in zip(row.cells, widths) {
            let text = fitted(cell, width)
            line += text + String(repeating: " ", count: width - text.count + gap)
        }
        while line.last == " " { line.removeLast() }
        return fitted(line, columns)
    }

    /// The text; if it is too long, its beginning and an ellipsis.
    static func fitted(_ text: String, _ width: Int) -> String {
        text.count <= width ? text : String(text.prefix(max(0, width - 1))) + (width > 0 ? "…" : "")
    }
}

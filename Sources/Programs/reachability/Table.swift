// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// Rows of text in columns that fit a terminal. Pure.
enum Table {
    /// What a table shows beside the states.
    struct Form: Sendable {
        var paint: Paint
        /// Whether a column says what made the program look.
        var hasCauses = false
    }

    struct Row: Equatable {
        var cells: [String]
        /// The kind of the state, for its color; nil if it is not known.
        var kind: StateText.Kind?

        init(cells: [String], kind: StateText.Kind? = nil) {
            self.cells = cells
            self.kind = kind
        }

        init(target: String, state: WatchedState?, form: Form) {
            guard let state else {
                self.init(cells: [target, "(being resolved)", "", "", "", "", ""] + (form.hasCauses ? [""] : []))
                return
            }
            let answer = state.answer
            self.init(
                cells: [
                    target, "\(answer.flags)", answer.interface ?? "-", answer.gateway ?? "-",
                    Timestamp.local(state.since), "\(state.changes)",
                ] + (form.hasCauses ? [state.causes.words.joined(separator: ",")] : []) + [answer.reasonWords],
                kind: StateText(answer).kind)
        }
    }

    /// A line as it is printed, and its width on the screen.
    struct Line: Equatable {
        let text: String
        let width: Int
    }

    private static func titles(_ form: Form) -> Row {
        Row(
            cells: ["TARGET", "STATE", "INTERFACE", "GATEWAY", "SINCE", "CHANGES"]
                + (form.hasCauses ? ["AFTER"] : []) + ["REASON"])
    }

    private static let stateColumn = 1
    /// The columns that may be shortened, and their least widths. The widest is shortened first. The last column is cut
    /// where the screen ends.
    private static let shrinking = [(column: 0, least: 16), (column: stateColumn, least: 13)]
    private static let gap = 2

    /// The lines of the table. The last row of the screen stays free for the cursor. A last line counts the targets
    /// that do not fit.
    static func lines(rows: [Row], size: TerminalSize, form: Form) -> [Line] {
        let most = max(1, size.rows - 2)
        let rows = rows.map { Row(cells: $0.cells.map(\.printable), kind: $0.kind) }
        var shown = rows
        var rest: String?
        if rows.count > most {
            shown = Array(rows.prefix(max(0, most - 1)))
            rest = "and \(rows.count - shown.count) more; make the window taller to see them"
        }
        let all = [titles(form)] + shown
        let widths = widths(of: all, columns: size.columns)
        let lines = all.map { line($0, widths, size.columns, form.paint) }
        return lines + (rest.map { [plain(fitted($0, size.columns))] } ?? [])
    }

    private static func widths(of rows: [Row], columns: Int) -> [Int] {
        var widths = rows[0].cells.indices.map { column in rows.map { $0.cells[column].count }.max() ?? 0 }
        // The reason, which is last, takes what is left.
        var excess = widths.dropLast().reduce(0, +) + gap * (widths.count - 2) - columns
        while excess > 0 {
            let widest = shrinking.filter { widths[$0.column] > $0.least }.max { widths[$0.column] < widths[$1.column] }
            guard let widest else { break }
            widths[widest.column] -= 1
            excess -= 1
        }
        return widths
    }

    private static func line(_ row: Row, _ widths: [Int], _ columns: Int, _ paint: Paint) -> Line {
        var (text, used) = ("", 0)
        for (position, (cell, width)) in zip(row.cells, widths).enumerated() where used < columns {
            let shown = fitted(cell, min(width, columns - used))
            let isColored = position == stateColumn && row.kind != nil
            text += isColored ? paint(shown, row.kind ?? .reachable) : shown
            used += shown.count
            let isLast = row.cells[(position + 1)...].allSatisfy(\.isEmpty)
            if isLast { break }
            let space = min(width - shown.count + gap, columns - used)
            text += String(repeating: " ", count: space)
            used += space
        }
        while text.last == " " {
            text.removeLast()
            used -= 1
        }
        return Line(text: text, width: used)
    }

    private static func plain(_ text: String) -> Line { Line(text: text, width: text.count) }

    /// The text; if it is too long, its beginning and an ellipsis.
    static func fitted(_ text: String, _ width: Int) -> String {
        text.count <= width ? text : String(text.prefix(max(0, width - 1))) + (width > 0 ? "…" : "")
    }
}

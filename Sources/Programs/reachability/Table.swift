// SPDX-License-Identifier: Apache-2.0

import ReachabilityCommandLine
import ReachabilityKit
import ReachabilityLinuxSystem

/// Rows of text in columns that fit a terminal. Pure.
enum Table {
    /// What a table shows beside the states.
    struct Form: Sendable {
        var paint: Paint
        /// Whether a column says what caused the evaluation.
        var hasCauses = false
    }

    struct Row {
        var cells: [String]
        /// The kind of the state, for its color; nil if it is not known.
        var kind: StateText.Kind?
    }

    /// A line as it is printed, and its width on the screen.
    struct Line: Equatable {
        let text: String
        let width: Int
    }

    static func row(target: String, state: WatchedState?, form: Form) -> Row {
        guard let state else {
            return Row(cells: [target, "(being resolved)", "", "", "", "", ""] + (form.hasCauses ? [""] : []))
        }
        let answer = state.answer
        return Row(
            cells: [
                target, answer.isError ? "Unknown" : "\(answer.flags)", answer.interface ?? "-", answer.gateway ?? "-",
                Timestamp.local(state.since, today: .now), "\(state.changes)",
            ] + (form.hasCauses ? [state.causes.words.joined(separator: ",")] : []) + [answer.reasonWords],
            kind: StateText(answer).kind)
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
        let fitting = rows.count > most ? rows.prefix(most - 1) : rows[...]
        let shown = fitting.map { Row(cells: $0.cells.map(\.printable), kind: $0.kind) }
        let all = [titles(form)] + shown
        let widths = widths(of: all, columns: size.columns)
        var lines = all.map { line($0, widths, size.columns, form.paint) }
        if shown.count < rows.count {
            let rest = "and \(rows.count - shown.count) more; make the window taller to see them"
            let text = fitted(rest, size.columns)
            lines.append(Line(text: text, width: text.count))
        }
        return lines
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
            let shown = fitted(cell, min(width, columns - used), isList: position == stateColumn)
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

    /// The text; if it is too long, its beginning and an ellipsis. A list, such as "Reachable,Local Address", is cut after a comma.
    static func fitted(_ text: String, _ width: Int, isList: Bool = false) -> String {
        guard text.count > width else { return text }
        let beginning = text.prefix(max(0, width - 1))
        let items = isList ? beginning.lastIndex(of: ",").map { beginning[...$0] } : nil
        return (items ?? beginning) + (width > 0 ? "…" : "")
    }
}

/// The control sequences in use (ECMA-48). Every terminal has them whose TERM is not "dumb".
enum ControlSequence {
    static let clearLine = "\r\u{1B}[K"
    static let clearToEndOfLine = "\u{1B}[K"
    static let clearToEndOfScreen = "\u{1B}[J"
    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"
    static func up(_ lines: Int) -> String { lines > 0 ? "\u{1B}[\(lines)A" : "" }
}

/// A table on a terminal, redrawn in place at each change. Each function returns the text to print.
///
/// The cursor stays below the table. It is hidden and shown again within one text, and shown when a signal ends the program, so
/// that the terminal is left in order.
struct TableView {
    let targets: [String]
    /// Whether each target is a name, which takes time to resolve.
    let areNames: [Bool]
    let form: Table.Form
    /// The lines on the screen.
    private(set) var shown: [Table.Line] = []

    /// The text to print after the states at these positions have changed.
    mutating func text(for changed: [Int], _ states: [WatchedState?]) -> String {
        // The first table is drawn when all addresses are known, which are looked up at the same time.
        let isPartial = shown.isEmpty && zip(states, areNames).contains { $0 == nil && !$1 }
        return changed.isEmpty || isPartial ? "" : redrawn(states)
    }

    /// A new table, below everything on the screen.
    mutating func drawnBelow(_ states: [WatchedState?]) -> String {
        shown = []
        return redrawn(states)
    }

    /// The table again, in place of the one that was printed last.
    mutating func redrawn(_ states: [WatchedState?]) -> String {
        let size = StandardStream.output.terminalSize
        // A terminal that was made narrower has wrapped the old lines.
        let height = shown.reduce(0) { $0 + max(1, ($1.width + size.columns - 1) / size.columns) }
        let lines = Table.lines(
            rows: zip(targets, states).map { Table.row(target: $0, state: $1, form: form) }, size: size, form: form)
        let text = lines.map { $0.text + ControlSequence.clearToEndOfLine + "\r\n" }.joined()
        shown = lines
        return ControlSequence.hideCursor + "\r" + ControlSequence.up(min(height, size.rows - 1)) + text
            + ControlSequence.clearToEndOfScreen + ControlSequence.showCursor
    }
}

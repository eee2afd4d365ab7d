// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The settings of a run.
struct Stage {
    /// Whether to measure also the sizes that take minutes.
    var isFull = false
    /// The installed form of the command line program, if there is one.
    var staticProgram: String?
}

/// A measurement and the name that selects it.
struct Measurement: Sendable {
    let name: String
    let body: @Sendable (Stage) throws -> [Row]
}

/// Collects rows and prints them.
struct Report {
    private var rows: [Row] = []
    private var failures: [(name: String, reason: String)] = []

    mutating func run(_ measurement: Measurement, _ stage: Stage) {
        complain("\(measurement.name) …")
        do {
            rows += try measurement.body(stage)
        } catch {
            failures.append((measurement.name, "\(error)"))
        }
    }

    /// The rows that miss their targets by more than their tolerance, and what could not be measured.
    var failing: Set<String> {
        Set(rows.filter { !$0.isWithin($0.tolerance) }.map(\.name) + failures.map(\.name))
    }

    func printTable() {
        let table = [Row.heading] + rows.map(\.columns)
        let widths = Row.heading.indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        for line in table {
            let cells = line.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }
            print(cells.joined(separator: "  "))
        }
        for failure in failures { print("not measured: \(failure.name): \(failure.reason)") }
    }

    func write(to path: String) {
        let machine = "\"processors\": \(sysconf(Int32(_SC_NPROCESSORS_ONLN)))"
        let lines = rows.map { "    \($0.json)" }.joined(separator: ",\n")
        let document = "{\n  \(machine),\n  \"rows\": [\n\(lines)\n  ]\n}\n"
        guard let file = unsafe fopen(path, "w") else {
            complain("cannot write \(path)")
            return
        }
        unsafe fputs(document, file)
        unsafe fclose(file)
    }
}

/// Writes a line about the progress.
func complain(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe Glibc.write(2, bytes, bytes.count)
}

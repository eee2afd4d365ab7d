// SPDX-License-Identifier: Apache-2.0

import CLimits
import Glibc

/// benchmarks [--full] [--json PATH] [NAME...]: measures what is named, or everything, and reports.
/// benchmarks --check [NAME...]: measures a few things and ends with 1 if one of them is far off.
let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "--child" {
    exit(runChild(arguments.dropFirst().joined(separator: " ")))
}

var stage = Stage()
var names: [String] = []
var path: String?
var isCheck = false
var rest = arguments[...]
while let argument = rest.popFirst() {
    switch argument {
    case "--full": stage.isFull = true
    case "--check": isCheck = true
    case "--json": path = rest.popFirst()
    case "--static": stage.staticProgram = rest.popFirst()
    default: names.append(argument)
    }
}
let unknown = names.filter { name in !measurements.contains { $0.name == name } }
guard unknown.isEmpty else {
    print("no such measurement: \(unknown.joined(separator: " ")); there are:")
    for measurement in measurements { print("  \(measurement.name)") }
    exit(64)
}

// A high priority, if allowed, so that other processes disturb the measurements less.
limits_come_first()
if isCheck {
    let chosen = names.isEmpty ? Check.names : Set(names)
    exit(Check.passes(measurements.filter { chosen.contains($0.name) }, stage) ? 0 : 1)
}
var report = Report()
for measurement in measurements where names.isEmpty || names.contains(measurement.name) {
    report.run(measurement, stage)
}
report.printTable()
if let path { report.write(to: path) }

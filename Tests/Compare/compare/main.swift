// SPDX-License-Identifier: Apache-2.0

import CLimits
import Glibc
import TestTopology

/// compare [--quick] --glib PROGRAM DOCUMENT: plays the scenarios, compares this package and GLib with the kernel,
/// measures both, and writes the results. Ends with 1 if this package was wrong.
let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "--watch" {
    try OwnWatcher(Array(arguments.dropFirst())).serve()
    exit(0)
}
let isQuick = arguments.contains("--quick")
let rest = arguments.filter { $0 != "--quick" }
guard rest.count == 3, rest[0] == "--glib" else {
    print("usage: compare [--quick] --glib PROGRAM DOCUMENT")
    exit(64)
}

// A high priority, if allowed, so that other processes disturb the measurements less. Children inherit it.
limits_come_first()
do {
    var comparison = Comparison(machine: try Machine(), isQuick: isQuick)
    try comparison.play(Scenario.all, glib: rest[1])
    try comparison.measure(glib: rest[1])
    try comparison.document.write(to: rest[2])
    print(comparison.summary)
    exit(comparison.isRight ? 0 : 1)
} catch {
    complain("\(error)")
    exit(70)
}

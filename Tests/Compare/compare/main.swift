// SPDX-License-Identifier: Apache-2.0

import CLimits
import Glibc
import TestTopology

/// compare [--quick] --glib PROGRAM DOCUMENT: plays the scenarios to this package, GLib and the kernel, measures the first
/// two, and writes the results. The exit status is 1 if this package was wrong.
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

// A high priority keeps other load from disturbing the measurements. Only root gets it. Children inherit it.
limits_come_first()
do {
    var comparison = Comparison(machine: try Machine(), isQuick: isQuick)
    try comparison.play(Scenario.all, glib: rest[1])
    try comparison.measure(glib: rest[1])
    try comparison.document.write(to: rest[2])
    print(comparison.summary)
    exit(comparison.isRight ? 0 : 1)
} catch {
    report("\(error)")
    exit(70)
}

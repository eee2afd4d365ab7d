// SPDX-License-Identifier: Apache-2.0

import CLimits
import Glibc
import TestTopology

/// compare [--quick] --glib PROGRAM DOCUMENT: plays the scenarios before this package, GLib and the kernel, measures
/// them, and writes what was seen. Ends with 1 where this package was wrong.
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

// Whoever else is on this machine is to disturb as little as can be; root may ask for that. Children inherit it.
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

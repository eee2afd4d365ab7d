// SPDX-License-Identifier: Apache-2.0

import CLimits
import Glibc
import TestScenes
import TestTopology

/// compare [--quick] (--glib VERSION PROGRAM | --module VERSION PROGRAM)... DOCUMENT: plays the scenarios to this package,
/// versions of GLib, some of them with this package's module, and the kernel, measures all but the kernel, and writes the
/// results. The exit status is 1 if this package was wrong, itself or as a module.
let arguments = Array(CommandLine.arguments.dropFirst())
if let mode = arguments.first, ["--watch", "--watch-on-loop"].contains(mode) {
    try OwnWatcher(.init(text: arguments[1]), isOnLoop: mode == "--watch-on-loop").serve()
    exit(0)
}
let isQuick = arguments.contains("--quick")
var rest = arguments.filter { $0 != "--quick" }
var versions: [GLib] = []
while rest.count > 3, ["--glib", "--module"].contains(rest[0]) {
    versions.append(GLib(version: rest[1], program: rest[2], hasModule: rest[0] == "--module"))
    rest.removeFirst(3)
}
guard rest.count == 1, !versions.isEmpty else {
    print("usage: compare [--quick] (--glib VERSION PROGRAM | --module VERSION PROGRAM)... DOCUMENT")
    exit(64)
}

// A high priority keeps other load from disturbing the measurements. Only root gets it. Children inherit it.
limits_come_first()
do {
    var comparison = Comparison(machine: try Computer(), versions: versions, isQuick: isQuick)
    try comparison.play(Scenario.file.get().scenes)
    try comparison.measure()
    try write(comparison.document, to: rest[0])
    print(comparison.summary)
    exit(comparison.isRight ? 0 : 1)
} catch {
    report("\(error)")
    exit(70)
}

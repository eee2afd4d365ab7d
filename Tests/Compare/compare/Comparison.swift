// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestTopology

/// All results of one run.
struct Comparison {
    let machine: Machine
    /// Leaves out what takes long: only up to 1,000 routes.
    let isQuick: Bool
    var outcomes: [Outcome] = []
    /// Scenarios that this kernel cannot play, and what is missing.
    var notPlayed: [(name: String, reason: String)] = []
    var costs: [Cost] = []
    var latencies: (package: [Double], glib: [Double]) = ([], [])
    var storms: [Storm] = []
    /// The load average when the measurements began (proc_loadavg(5)).
    var load = ""

    init(machine: Machine, isQuick: Bool) {
        self.machine = machine
        self.isQuick = isQuick
    }

    var isRight: Bool { outcomes.allSatisfy(\.isRight) }

    var summary: String {
        let (own, glib) = (outcomes.count(where: \.isRight), outcomes.count(where: \.isRightOfGLib))
        return "\(outcomes.count) scenarios: this package is right in \(own), GLib \(machine.glib) in \(glib)"
    }

    mutating func play(_ scenarios: [Scenario], glib program: String) throws {
        for scenario in scenarios {
            complain(scenario.name)
            do {
                outcomes.append(try scenario.play(glib: program))
            } catch let error as TopologyError {
                guard case .command(let command, _, let complaints) = error, complaints.contains("Unknown device type")
                else {
                    throw error
                }
                notPlayed.append((scenario.name, "this kernel refuses `\(command)`"))
            }
        }
    }

    mutating func measure(glib program: String) throws {
        load = try Machine.load()
        for count in isQuick ? [10, 1_000] : [10, 1_000, 100_000, 1_000_000] {
            complain("beside \(count) routes")
            costs += try measureCosts(routes: count, glib: program)
        }
        complain("from change to telling")
        let glib = Watcher.Kind.glib(program: program)
        latencies = (try measureLatency(.package), try measureLatency(glib))
        complain("storms")
        storms = [
            try measureStorm("nobody watches", nil, isStopped: false),
            try measureStorm("this package, running", .package, isStopped: false),
            try measureStorm("GLib, running", glib, isStopped: false),
            try measureStorm("this package, stopped meanwhile", .package, isStopped: true),
            try measureStorm("GLib, stopped meanwhile", glib, isStopped: true),
        ]
    }
}

/// Writes a line about the progress.
func complain(_ line: String) {
    let bytes = Array((line + " …\n").utf8)
    _ = unsafe write(2, bytes, bytes.count)
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestScenes

/// The results of one run.
struct Comparison {
    let machine: Computer
    let versions: [GLib]
    /// Leaves out what takes long: measures with 1,000 routes at most.
    let isQuick: Bool
    var outcomes: [Outcome] = []
    /// Scenarios that this machine cannot play, and why.
    var notPlayed: [(name: String, reason: String)] = []
    var costs: [Cost] = []
    /// Of this package, with a queue and on a loop, then of each version of GLib.
    var latencies: [Latencies] = []
    var storms: [Storm] = []
    /// The load average when the measurements began (proc_loadavg(5)).
    var load = ""

    init(machine: Computer, versions: [GLib], isQuick: Bool) {
        self.machine = machine
        self.versions = versions
        self.isQuick = isQuick
    }

    /// Whether this package was right everywhere, also as a module of GLib.
    var isRight: Bool {
        outcomes.allSatisfy { outcome in
            outcome.isRight && versions.indices.allSatisfy { !versions[$0].hasModule || outcome.isRightOfGLib($0) }
        }
    }

    var summary: String {
        let others = versions.indices.map { ", \(versions[$0].name) in \(rightOfGLib($0))" }.joined()
        return "\(outcomes.count) scenarios: this package is right in \(outcomes.count(where: \.isRight))\(others)"
    }

    /// In how many scenarios a version of GLib was right.
    func rightOfGLib(_ number: Int) -> Int { outcomes.count { $0.isRightOfGLib(number) } }

    /// The watchers of all versions of GLib.
    private var others: [Watcher.Kind] { versions.map(Watcher.Kind.glib) }

    mutating func play(_ scenes: [Scene]) throws {
        for scene in scenes {
            report(scene.name)
            let missing = scene.needs.filter { !$0.isMet }.map(\.name)
            if missing.isEmpty {
                outcomes.append(try Scenario(scene).play(others))
            } else {
                notPlayed.append((scene.name, "needs \(missing.joined(separator: ", "))"))
            }
        }
    }

    mutating func measure() throws {
        load = try Computer.load()
        for count in isQuick ? [10, 1_000] : [10, 1_000, 100_000, 1_000_000] {
            report("beside \(count) routes")
            costs += try measureCosts(routes: count, others)
        }
        report("from a change to the callback")
        latencies = try ([.package, .packageOnLoop] + others).map(measureLatency)
        report("storms")
        storms = [try measureStorm("no watcher", nil, isStopped: false)]
        for isStopped in [false, true] {
            for kind in [.package, .packageOnLoop] + others {
                let name = "\(kind.name), \(isStopped ? "stopped meanwhile" : "running")"
                storms.append(try measureStorm(name, kind, isStopped: isStopped))
            }
        }
    }
}

/// A version of GLib, and the program that watches with it.
struct GLib: Sendable {
    let version: String
    let program: String
    /// Whether the program is run with this package's GIO module.
    let hasModule: Bool

    var name: String { "GLib \(version)\(hasModule ? " with the module" : "")" }
    /// The type of the object that `g_network_monitor_get_default` has to return.
    var monitor: String { hasModule ? "ReachabilityMonitor" : "GNetworkMonitorNetlink" }
}

/// Prints a line of progress to standard error.
func report(_ line: String) {
    let bytes = Array((line + " …\n").utf8)
    _ = unsafe write(2, bytes, bytes.count)
}

// SPDX-License-Identifier: Apache-2.0

import CLimits
import Glibc
import TestScenes
import TestTopology

/// Nanoseconds from the send of a change of the default route until the watcher reports it.
struct Latencies {
    var deleted: [Double] = []
    var added: [Double] = []
}

/// Measures a hundred deletions and a hundred additions.
func measureLatency(_ kind: Watcher.Kind) throws -> Latencies {
    let network = try WatchedNetwork(Scenario.office)
    let watcher = try network.start(kind, of: .init(text: Scenario.farHost))
    try watcher.say("open")
    try network.settle(watcher, kind)
    let thing = kind.thing
    let changer = try Changer(in: network.topology)
    let add = Change.route(.add, "0.0.0.0/0", via: "10.0.0.254")
    let delete = Change.route(.delete, "0.0.0.0/0")
    func time(_ change: Change) throws -> Double {
        // Separates the changes: this package and GLib both merge changes that come close together.
        limits_pause(4)
        try watcher.say("ask")
        let before = watcher.count(of: thing)
        let start = nanoseconds(CLOCK_MONOTONIC)
        try changer.apply(change)
        guard try watcher.waitUntilTold(of: thing, moreThan: before) else {
            throw Watcher.Failure(description: "a change was not reported")
        }
        return Double(watcher.told[thing]![before]) - Double(start)
    }
    var latencies = Latencies()
    for _ in 0..<100 {
        latencies.deleted.append(try time(delete))
        latencies.added.append(try time(add))
    }
    return latencies
}

/// The effect of a storm of unrelated routes on a watcher.
struct Storm {
    let name: String
    var isWatched = true
    /// Whether it reports that the default route has gone afterwards, and answers correctly then.
    var tells: Bool
    var answersRightly: Bool
    /// Its processor time in the storm, in nanoseconds, and how often it was woken.
    var processorTime: Double
    var wakeUps: Int
    /// Nanoseconds that one of the storm's changes took the program that made it.
    var change: Double
}

/// Adds and deletes 100,000 routes as fast as the kernel allows, while a watcher runs or is stopped.
func measureStorm(_ name: String, _ kind: Watcher.Kind?, isStopped: Bool) throws -> Storm {
    let network = try WatchedNetwork(Scenario.office + [.ip("-6 route del default")])
    let watcher = try kind.map { try network.start($0, of: .init(text: Scenario.farHost)) }
    if let watcher, let kind {
        try watcher.say("open")
        try network.settle(watcher, kind)
    }
    let before = try watcher?.say("spent")
    if isStopped { try watcher?.stop() }
    let times = try network.topology.run {
        try [Int32(1), 0].map { try checked(limits_change_routes($0, 0x1400_0000, 24, 100_000, 0x0A00_00FE)) }
    }
    if isStopped { watcher?.goOn() }
    let change = (times[0] + times[1]) / 2
    guard let watcher, let kind, let before else {
        return Storm(
            name: name, isWatched: false, tells: false, answersRightly: false, processorTime: 0, wakeUps: 0,
            change: change)
    }
    try network.settle(watcher, kind)
    let spent = zip(try watcher.say("spent"), before).map { (Double($0) ?? 0) - (Double($1) ?? 0) }
    let told = watcher.count(of: kind.thing)
    try network.topology.ip("route del default")
    let tells = try watcher.waitUntilTold(of: kind.thing, moreThan: told)
    try network.settle(watcher, kind)
    let answers = try [watcher.say("ask"), watcher.say("available")]
    return Storm(
        name: name, tells: tells, answersRightly: answers == [["no"], ["no"]], processorTime: spent[1],
        wakeUps: Int(spent[2]), change: change)
}

extension Watcher.Kind {
    /// What it reports when the default route changes.
    fileprivate var thing: String {
        switch self {
        case .package, .packageOnLoop: "target"
        case .glib: "network"
        }
    }
}

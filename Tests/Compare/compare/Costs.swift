// SPDX-License-Identifier: Apache-2.0

import CLimits
import Glibc
import TestTopology

/// What watching and asking cost in a network with this many routes.
struct Cost {
    var routes: Int
    /// Whether there is also a default route in both families.
    var hasDefault: Bool
    /// Nanoseconds and bytes, from nothing to the first answer.
    var package: Opening
    var glib: Opening
    /// Nanoseconds for one question: a repeated one and a first one to this package, and one to GLib and to the program
    /// `ip`.
    var repeated: Double
    var first: Double
    var canReach: Double
    var program: Double

    struct Opening {
        var time: Double
        var memory: Double
    }
}

/// Measures with the given numbers of routes, with and without default routes.
func measureCosts(routes count: Int, glib program: String) throws -> [Cost] {
    let network = try WatchedNetwork()
    // /24s from 20.0.0.0 on. The addresses asked about are inside them.
    _ = try network.topology.run { try checked(limits_change_routes(1, 0x1400_0000, 24, Int32(count), 0x0A00_00FE)) }
    return try [true, false].map { hasDefault in
        if !hasDefault {
            for command in Scenario.withoutDefault { try network.perform(command, about: Scenario.farHost) }
        }
        let other = Watcher.Kind.glib(program: program)
        let package = try network.start(.package, of: "20.0.7.1")
        let glib = try network.start(other, of: "20.0.7.1")
        let openings = try (opening(.package, in: network), opening(other, in: network))
        try package.say("open")
        try glib.say("open")
        return Cost(
            routes: count, hasDefault: hasDefault, package: openings.0, glib: openings.1,
            repeated: try cost(package, about: 0, of: count), first: try costOfNew(package, of: count),
            canReach: try cost(glib, about: 200, of: count),
            program: try network.topology.run { try costOfProgram() })
    }
}

/// The medians of several processes that start to watch.
private func opening(_ kind: Watcher.Kind, in network: WatchedNetwork) throws -> Cost.Opening {
    let answers = try (0..<5).map { _ in try network.start(kind, of: "20.0.7.1").say("open").map { Double($0) ?? 0 } }
    return Cost.Opening(time: answers.map { $0[2] }.median, memory: answers.map { $0[3] }.median)
}

/// One question, in batches of a few milliseconds, the median.
private func cost(_ watcher: Watcher, about addresses: Int, of networks: Int) throws -> Double {
    func ask(_ count: Int) throws -> Double {
        Double(try watcher.say("cost \(count) \(addresses) \(networks)")[1]) ?? .nan
    }
    let single = try ask(20)
    let batch = Int(min(10_000, max(1, 2_000_000 / single)))
    return try (0..<21).map { _ in try ask(batch) }.median
}

/// The cost of a first question to this package, about each of 200 addresses.
private func costOfNew(_ watcher: Watcher, of networks: Int) throws -> Double {
    try (0..<51).map { _ in Double(try watcher.say("cost 200 200 \(networks)")[1]) ?? .nan }.median
}

private func costOfProgram() throws -> Double {
    try (0..<51).map { _ in
        let start = nanoseconds(CLOCK_MONOTONIC)
        try CallingThread.execute(["ip", "route", "get", "20.0.7.1"])
        return Double(nanoseconds(CLOCK_MONOTONIC) - start)
    }.median
}

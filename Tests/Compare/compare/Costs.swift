// SPDX-License-Identifier: Apache-2.0

import CLimits
import Glibc
import TestScenes
import TestTopology

/// The cost of watching and asking in a network with many routes.
struct Cost {
    var routes: Int
    /// Whether there are default routes of both families as well.
    var hasDefault: Bool
    /// Nanoseconds and bytes, from nothing to the first answer.
    var package: Opening
    /// Of each version of GLib.
    var glib: [Opening]
    /// Nanoseconds for one question: to this package about a known address and about a new one, to each GLib, and to the
    /// program `ip`.
    var repeated: Double
    var first: Double
    var canReach: [Double]
    var program: Double

    struct Opening {
        var time: Double
        var memory: Double
    }
}

/// Measures in a network with `count` routes, with and without default routes.
func measureCosts(routes count: Int, _ others: [Watcher.Kind]) throws -> [Cost] {
    let network = try WatchedNetwork(Scenario.office)
    // Networks of /24 from 20.0.0.0 on, which contain the addresses asked about.
    _ = try network.topology.run { try checked(limits_change_routes(1, 0x1400_0000, 24, Int32(count), 0x0A00_00FE)) }
    return try [true, false].map { hasDefault in
        if !hasDefault {
            for change in Scenario.withoutDefault { try network.stage.make(change) }
        }
        let openings = try (opening(.package, in: network), others.map { try opening($0, in: network) })
        let package = try network.start(.package, of: .init(text: "20.0.7.1"))
        try package.say("open")
        return Cost(
            routes: count, hasDefault: hasDefault, package: openings.0, glib: openings.1,
            repeated: try cost(package, about: 0, of: count), first: try costOfNew(package, of: count),
            canReach: try others.map { other in
                let glib = try network.start(other, of: .init(text: "20.0.7.1"))
                try glib.say("open")
                return try cost(glib, about: 200, of: count)
            },
            program: try network.topology.run { try costOfProgram() })
    }
}

/// The medians over several processes that start to watch.
private func opening(_ kind: Watcher.Kind, in network: WatchedNetwork) throws -> Cost.Opening {
    let answers = try (0..<5).map { _ in
        try network.start(kind, of: .init(text: "20.0.7.1")).say("open").map { Double($0) ?? 0 }
    }
    return Cost.Opening(time: answers.map { $0[2] }.median, memory: answers.map { $0[3] }.median)
}

/// The cost of one question: the median of batches of a few milliseconds.
private func cost(_ watcher: Watcher, about addresses: Int, of networks: Int) throws -> Double {
    func ask(_ count: Int) throws -> Double {
        Double(try watcher.say("cost \(count) \(addresses) \(networks)")[1]) ?? .nan
    }
    let single = try ask(20)
    let batch = Int(min(10_000, max(1, 2_000_000 / single)))
    return try (0..<21).map { _ in try ask(batch) }.median
}

/// The cost of a question to this package about an address that is new to it.
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

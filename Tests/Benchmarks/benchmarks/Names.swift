// SPDX-License-Identifier: Apache-2.0

import CLimits
import CNameLimits
import ReachabilityKit
import TestTopology

/// Names, with a server on loopback that answers at once. The C program asks for their addresses, and the kernel for the route to one
/// address of each.
func measureNames(_ stage: Stage) throws -> [Row] {
    let topology = try Machine.office()
    let port = topology.run { names_start_server() }
    try checked(port)
    defer { names_stop_server() }
    var options = ReachabilityOptions()
    options.nameServers = ["127.0.0.1:\(port)"]
    var number: Int32 = 0

    func references(_ count: Int32) throws -> [ReachabilityRef] {
        defer { number += count }
        return try topology.run {
            try (number..<number + count).map { try ReachabilityRef(hostname: "n\($0).example", options: options) }
        }
    }

    let cached = try references(1)[0]
    let address = try topology.reference("20.1.2.3")
    let repeated = try topology.compareRepeated(cached, against: address)
    let distinct = try topology.run {
        try inTurns(51) {
            let fresh = try references(20)
            return try duration { for reference in fresh { try expectReachable(reference.getFlags()) } } / 20
        } against: {
            try checked(names_resolve(port, 1_000_000, 20)) + checked(limits_ipv4_lookup(20))
        }
    }
    let together = try topology.run {
        try inTurns(9) {
            let fresh = try references(1_000)
            return duration { askTogether(fresh) } / 1_000
        } against: {
            try checked(names_resolve_at_once(port, 1_000_000, 1_000)) + checked(limits_ipv4_lookup(1_000))
        }
    }
    return [
        // Two system calls in the place of one, and a clock: have the files changed, and has the route?
        Row("cached name; limit: cached address", .nanoseconds, repeated, ratio: 3.5),
        // What is added cannot go: five system calls, which look for changed files, prove the route to the server and wait on a loop
        // that others share, and the network namespace of the socket.
        Row("distinct names, one after the other", .microseconds, distinct, per: 1000, ratio: 1.5, tolerance: 4),
        // Each has a task, which another thread resumes.
        Row("1,000 names at once, each", .microseconds, together, per: 1000, ratio: 3, tolerance: 4),
    ]
}

/// A name while no server answers: the result must come when the time is up, and not later.
func measureSilentServer(_ stage: Stage) throws -> [Row] {
    let topology = try Machine.office()
    let port = topology.run { names_open_silent_port() }
    try checked(port)
    let timeout = 1.0
    var options = ReachabilityOptions()
    options.nameServers = ["127.0.0.1:\(port)"]
    options.resolutionTimeout = .seconds(timeout)
    let time = try topology.run {
        let references = try (0..<5).map { try ReachabilityRef(hostname: "silent\($0).example", options: options) }
        return try duration {
            for reference in references {
                guard try reference.getFlags() == [] else { throw MeasuringFailure("a silent server has answered") }
            }
        } / Double(references.count)
    }
    return [
        Row(
            name: "a name and a silent server; limit: the second it was given", unit: .milliseconds, ours: time / 1e6,
            limit: timeout * 1e3, target: .ratio(1.05))
    ]
}

private func expectReachable(_ flags: ReachabilityFlags) throws {
    guard flags.contains(.reachable) else { throw MeasuringFailure("a name was not resolved") }
}

/// Asks for all flags at once, in one task each, and waits for the last.
private func askTogether(_ references: [ReachabilityRef]) {
    let outstanding = Shared(references.count)
    for reference in references {
        Task {
            let flags = try? await reference.flags()
            if flags?.contains(.reachable) != true { complain("a name was not resolved") }
            outstanding.withLock { $0 -= 1 }
        }
    }
    while outstanding.withLock({ $0 }) > 0 { pause(milliseconds: 1) }
}

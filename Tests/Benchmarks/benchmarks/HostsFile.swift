// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import TestTopology

/// A hosts file as ad blockers write it: 90,000 lines in 2.5 MB. It is read whole, once for all references.
func measureHostsFile(_ stage: Stage) throws -> [Row] {
    let topology = try Machine.withLongHostsFile()
    let (listed, address) = try topology.run {
        (try ReachabilityRef(hostname: lastName), try ReachabilityRef(address: "127.0.0.1"))
    }
    let repeated = try topology.compareRepeated(listed, against: address)
    return [
        Row(
            name: "a hosts file of 90,000 lines: the first answer", unit: .milliseconds,
            ours: try CallingThread.measureChild("hosts-first") / 1e6),
        Row(
            name: "the same: memory", unit: .megabytes, ours: try CallingThread.measureChild("hosts-memory") / 1e6,
            target: .most(10)),
        Row("the same, unchanged: a name in it; limit: cached address", .nanoseconds, repeated, ratio: 3.5),
    ]
}

/// The nanoseconds until a name in the file is answered for.
func firstAnswerFromHostsFile() throws -> Double {
    try answerFromHostsFile { try duration($0) }
}

/// The bytes that the file takes from then on.
func memoryOfHostsFile() throws -> Double {
    try answerFromHostsFile { ask in
        let before = residentMemory()
        try ask()
        return residentMemory() - before
    }
}

private func answerFromHostsFile(_ measure: (() throws -> Void) throws -> Double) throws -> Double {
    let topology = try Machine.withLongHostsFile()
    return try topology.run {
        // The engine's sockets and all else are there already.
        _ = try ReachabilityRef(address: "127.0.0.1").getFlags()
        var reference: ReachabilityRef?
        let figure = try measure {
            let listed = try ReachabilityRef(hostname: lastName)
            guard try listed.getFlags().contains(.reachable) else { throw MeasuringFailure("the name was not found") }
            reference = listed
        }
        return withExtendedLifetime(reference) { figure }
    }
}

private let lastName = "last.tracker.test"

extension Machine {
    /// The file is mounted for the topology's thread alone.
    fileprivate static func withLongHostsFile() throws -> Machine {
        let topology = try Machine(sysfs: true)
        let script = """
            mount -t tmpfs tmpfs /etc
            for number in $(seq 10000 99999); do echo "0.0.0.0 n$number.tracker.test"; done > /etc/hosts
            echo "127.0.0.1 \(lastName)" >> /etc/hosts
            """
        _ = try topology.run { try CallingThread.execute(["sh", "-ec", script]) }
        return topology
    }
}

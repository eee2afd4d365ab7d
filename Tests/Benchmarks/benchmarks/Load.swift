// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Network
import ReachabilityKit
import ReachabilityLinuxSystem
import Synchronization
import TestTopology

/// What is left for others while very many targets have to be looked at again and again: of the processor, and of the engine's
/// time for a wait that runs out. Looking takes a quarter of the processor, and what else the engine does a little more.
func measureBusy(_ stage: Stage) throws -> [Row] {
    try [10_000, 100_000].flatMap { count in
        let watches = try ManyWatches(count)
        watches.waitForQuiet()
        let changer = try Changer(in: watches.topology)
        let evaluations = watches.statistics.evaluations
        var changes = 0
        /// Makes changes until the engine has looked so often at all, and rests.
        func change(until looks: Int) throws -> (spent: Int, moment: ContinuousClock.Instant) {
            while watches.statistics.evaluations < evaluations + looks * count, changes < 1_000 {
                try changer.apply(.rule(changes.isMultiple(of: 2) ? .add : .delete, priority: 5000, table: 77))
                changes += 1
                pause(milliseconds: 50)
            }
            return (ProcessState.processorTime(of: "reachability"), .now)
        }
        let looks = 300_000 / count
        let waits = try waits(in: watches.topology)
        let begin = try change(until: 1)
        let end = try change(until: 1 + looks)
        let late = waits.end()
        let seconds = (end.moment - begin.moment) / .seconds(1)
        let spent = Double(end.spent - begin.spent) / 1e9
        return [
            Row(
                name: "a processor's time for \(count) watches and 20 changes of rules a second, in thousandths",
                unit: .count, ours: spent / seconds * 1000, target: .most(275)),
            Row(name: "waits of 100 ms that ended beside it", unit: .count, ours: Double(late.count)),
            Row(
                name: "the longest of them", unit: .milliseconds, ours: (late.max() ?? .infinity) / 1e6,
                target: .most(200)),
        ]
    }
}

/// Waits for what never comes, each for 100 ms, one after the other.
private final class Waits: Sendable {
    private let isOver = Atomic(false)
    private let took = Shared<[Double]>([])
    private let ended = DispatchSemaphore(value: 0)

    init(for reference: ReachabilityRef) {
        Task { [self] in
            while !isOver.load(ordering: .relaxed) {
                let begin = ContinuousClock.now
                _ = try? await reference.waitUntilReachable(timeout: .milliseconds(100))
                let time = (ContinuousClock.now - begin) / .nanoseconds(1)
                took.withLock { $0.append(time) }
            }
            ended.signal()
        }
    }

    /// The nanoseconds of each.
    func end() -> [Double] {
        isOver.store(true, ordering: .relaxed)
        // The last may wait for the engine for long.
        _ = ended.wait(timeout: .now() + 10)
        return took.withLock(\.self)
    }
}

private func waits(in topology: Machine) throws -> Waits {
    try topology.ip("route add unreachable 198.51.100.1")
    return Waits(for: try topology.reference("198.51.100.1"))
}

/// The engine's time for each connection that is opened, beside few and beside many others to the same address.
func measureConnections(_ stage: Stage) throws -> [Row] {
    let few = try CallingThread.measureChild("connections-few")
    let many = try CallingThread.measureChild("connections-many")
    return [
        Row(
            name: "the engine's time for each of 4,000 NWConnections; limit: of 500", unit: .microseconds,
            ours: many / 1000, limit: few / 1000, target: .ratio(1.5))
    ]
}

/// Nanoseconds for each of so many.
func engineTimeOfConnections(_ count: Int) throws -> Double {
    let topology = try Machine()
    try topology.ip("link set lo up")
    return try topology.run {
        let listener = try TCPListener()
        let queue = DispatchQueue(label: "connections")
        let ready = DispatchSemaphore(value: 0)
        let port = NWEndpoint.Port(rawValue: listener.port)!
        let connections = (0..<count).map { _ in
            let connection = NWConnection(host: "127.0.0.1", port: port, using: .tcp)
            connection.stateUpdateHandler = { if case .ready = $0 { ready.signal() } }
            return connection
        }
        for connection in connections {
            connection.start(queue: queue)
            ready.wait()
        }
        let time = ProcessState.processorTime(of: "reachability")
        for connection in connections { connection.cancel() }
        return Double(time) / Double(count)
    }
}

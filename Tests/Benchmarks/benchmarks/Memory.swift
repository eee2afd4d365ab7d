// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import ReachabilityLinuxSystem
import Synchronization
import TestTopology

/// The memory that watching takes. Each figure comes from its own process.
func measureMemory(_ stage: Stage) throws -> [Row] {
    let addresses = try CallingThread.measureChild("addresses")
    let bare = try CallingThread.measureChild("continuations")
    let waiters = try CallingThread.measureChild("waiters")
    let apart = try CallingThread.measureChild("waiters-apart")
    return [
        // Three objects for each: the client's reference, its registration, and what the engine knows of the target.
        Row(
            name: "100,000 addresses with a callback on one queue", unit: .megabytes, ours: addresses / 1e6, limit: nil,
            target: .most(45)),
        Row(name: "a bare suspended continuation", unit: .bytes, ours: bare, limit: nil, target: .none),
        Row(
            name: "a suspended waiter beyond that, all for one address", unit: .bytes, ours: waiters - bare, limit: nil,
            target: .most(400)),
        Row(
            name: "a suspended waiter beyond that, each for its own address", unit: .bytes, ours: apart - bare,
            limit: nil, target: .none),
    ]
}

/// The bytes that 100,000 watched addresses take together.
func memoryOfAddresses() throws -> Double {
    let count = 100_000
    let topology = try Machine.office()
    let queue = DispatchQueue(label: "callbacks")
    func watch(_ number: Int) throws -> ReachabilityRef {
        let address = IPAddress.v4(IPv4Address(rawValue: 0x1400_0001 + UInt32(number) * 160))
        let reference = try ReachabilityRef(target: Target(address), options: .init())
        reference.setCallback { _ in }
        try reference.setDispatchQueue(queue)
        return reference
    }
    return try topology.run {
        let first = try (0..<100).map(watch)
        pause(milliseconds: 300)
        let before = residentMemory()
        let references = try (100..<count + 100).map(watch)
        while references[0].statistics.evaluations < count { pause(milliseconds: 50) }
        // The filter is built when no watch was added for a while.
        pause(milliseconds: 1000)
        let after = residentMemory()
        for reference in first + references { try reference.setDispatchQueue(nil) }
        return after - before
    }
}

private let suspendedTasks = 20_000

/// What the tasks share with the code that started them.
final class Shared<Value>: Sendable {
    private let value: Mutex<Value>

    init(_ value: sending Value) {
        self.value = Mutex(value)
    }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { body(&$0) }
    }
}

/// The bytes of a task that only waits to be resumed.
func memoryOfContinuations() throws -> Double {
    let waiting = Shared<[CheckedContinuation<Void, Never>]>([])
    waiting.withLock { $0.reserveCapacity(suspendedTasks + 1000) }
    func suspend(_ count: Int) {
        let before = waiting.withLock { $0.count }
        for _ in 0..<count {
            Task { await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } } }
        }
        while waiting.withLock({ $0.count }) < before + count { pause(milliseconds: 10) }
    }
    suspend(1000)
    pause(milliseconds: 200)
    let before = residentMemory()
    suspend(suspendedTasks)
    pause(milliseconds: 200)
    return (residentMemory() - before) / Double(suspendedTasks)
}

/// The bytes of a task that waits for an address that is not reachable.
func memoryOfWaiters(onOneAddress: Bool) throws -> Double {
    let topology = try Machine()
    let references = try topology.run {
        try (0..<suspendedTasks + 1000).map { number in
            let address = IPAddress.v4(IPv4Address(rawValue: 0x1400_0001 + UInt32(onOneAddress ? 0 : number) * 160))
            return try ReachabilityRef(target: Target(address), options: .init())
        }
    }
    let begun = Shared(0)
    func suspend(_ range: Range<Int>) {
        for number in range {
            let reference = references[onOneAddress ? 0 : number]
            Task {
                begun.withLock { $0 += 1 }
                try await reference.waitUntilReachable()
            }
        }
        while begun.withLock({ $0 }) < range.upperBound { pause(milliseconds: 10) }
        pause(milliseconds: 1000)
    }
    suspend(0..<1000)
    let before = residentMemory()
    suspend(1000..<suspendedTasks + 1000)
    return (residentMemory() - before) / Double(suspendedTasks)
}

extension CallingThread {
    /// Runs this program again to make one measurement.
    static func measureChild(_ name: String) throws -> Double {
        let output = try execute(["/proc/self/exe", "--child", name])
        guard let value = Double(output.filter { !$0.isWhitespace }) else {
            throw MeasuringFailure("\(name): no figure in \"\(output)\"")
        }
        return value
    }
}

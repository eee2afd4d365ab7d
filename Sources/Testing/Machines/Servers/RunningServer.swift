// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// A server that is stopped together with its machine.
protocol RunningServer: AnyObject, Sendable {
    /// What it has received so far, for messages.
    var activity: [String] { get }
    func stop()
}

extension Machine {
    /// Makes a server on this machine, with the address if the machine does not have it yet. The server lives as long as the
    /// machine.
    func start<Server: RunningServer>(
        at text: String, _ what: String, _ make: (IPAddress) throws(Errno) -> Server
    ) throws(MachineError) -> Server {
        let address = try IPAddress(reading: text)
        if !address.isLoopback, try !addresses().contains(where: { $0.address.address == address }) {
            try Link(machine: self, name: "lo").address("\(text)/\(address.family.bitCount)")
        }
        let server = try MachineError.attempt(to: "start the \(what) at \(text) on \(name)") { () throws(Errno) in
            try run { () throws(Errno) in try make(address) }
        }
        belongings.withLock { belongings in
            belongings.servers.append(("\(what) at \(text)", server))
            if !belongings.hosts.contains(text) { belongings.hosts.append(text) }
        }
        return server
    }

    func addresses() throws(MachineError) -> [NetworkInventory.Address] {
        try ask(to: "list the addresses of \(name)") { (requester) throws(NetlinkError) in try requester.addresses() }
    }
}

extension Machine {
    /// Binds a new socket to an address, in the network of the calling thread.
    static func bind(_ type: __socket_type, to address: IPAddress, _ port: UInt16) throws(Errno) -> OwnedDescriptor {
        let opened = try InternetSocket.open(
            family: Int32(address.family.linuxValue), type: Int32(type.rawValue), protocol: 0)
        var yes: Int32 = 1
        if type == SOCK_STREAM { unsafe setsockopt(opened.rawValue, SOL_SOCKET, SO_REUSEADDR, &yes, 4) }
        try InternetSocket.bind(opened.rawValue, to: .init(address, port: port))
        return opened
    }
}

/// The values that a server has received, in order. Threads and tasks can wait for them.
package final class Received<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var nextNumber = 0
        /// Tasks that wait for the value at a position.
        var waiting: [(number: Int, place: Int, continuation: CheckedContinuation<Value, any Error>)] = []
    }

    private let state = ConditionLock(State())

    package var all: [Value] { state.withLock(\.values) }

    package func forget() { state.withLock { $0.values = [] } }

    func record(_ value: Value) {
        let ready = state.withLock { state in
            state.values.append(value)
            let ready = state.waiting.filter { $0.place < state.values.count }
            state.waiting.removeAll { $0.place < state.values.count }
            return ready.map { ($0.continuation, state.values[$0.place]) }
        }
        state.broadcast()
        for (continuation, value) in ready { continuation.resume(returning: value) }
    }

    /// Blocks until the values meet a condition.
    package func wait(for what: String, until condition: ([Value]) -> Bool) throws(MachineError) {
        state.wait(atMost: Machine.timeout) { !condition($0.values) }
        guard condition(all) else { throw .timedOut(waitingFor: what, last: "\(all)") }
    }

    /// Returns the value at a position, as soon as it has been received.
    func value(at place: Int) async throws -> Value {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Value? in
                    if place < state.values.count { return state.values[place] }
                    state.waiting.append((number, place, continuation))
                    return nil
                }
                if let known { continuation.resume(returning: known) }
                // The task may have been cancelled before it waited.
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: Int) {
        let cancelled = state.withLock { state in
            let found = state.waiting.first { $0.number == number }
            state.waiting.removeAll { $0.number == number }
            return found?.continuation
        }
        cancelled?.resume(throwing: CancellationError())
    }
}

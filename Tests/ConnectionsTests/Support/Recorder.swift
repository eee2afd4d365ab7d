// SPDX-License-Identifier: Apache-2.0

import Connections
import Dispatch
import LinuxSystem
import Synchronization

/// Collects what a client is told, and lets a test wait for it.
final class Recorder: Sendable {
    let queue: DispatchQueue
    private let lines = Mutex<[String]>([])
    private let taken = Mutex(0)
    private let arrivals = DispatchSemaphore(value: 0)

    init(queue: DispatchQueue = DispatchQueue(label: "client")) {
        self.queue = queue
    }

    /// - Parameter witness: held by a handler for as long as the connection holds that.
    func attach(to connection: Connection, holding witness: Witness? = nil) {
        connection.client.change(\.state) { [self, witness] state in
            withExtendedLifetime(witness) { record(Self.words(state)) }
        }
        connection.client.change(\.viability) { [self] isViable in record(isViable ? "viable" : "not viable") }
    }

    func record(_ line: String) {
        lines.withLock { $0.append(line) }
        arrivals.signal()
    }

    struct Impatience: Error, CustomStringConvertible {
        let seen: [String]
        var description: String { "nothing came after \(seen)" }
    }

    /// What comes next. Far longer than anything can take, so that the end of it means that it never comes.
    func next(patience: Int = 60) throws -> String {
        guard arrivals.wait(timeout: .now() + .seconds(patience)) == .success else {
            throw Impatience(seen: lines.withLock(\.self))
        }
        let position = taken.withLock { taken in
            defer { taken += 1 }
            return taken
        }
        return lines.withLock { $0[position] }
    }

    /// The next so many, in order.
    func next(_ count: Int) throws -> [String] {
        var found: [String] = []
        for _ in 0..<count { found.append(try next()) }
        return found
    }

    /// How many came that nobody has waited for.
    var untaken: Int { lines.withLock(\.count) - taken.withLock(\.self) }

    static func words(_ state: ConnectionMachine.State) -> String {
        switch state {
        case .setup: "setup"
        case .preparing: "preparing"
        case .waiting(let failure): "waiting: \(words(failure))"
        case .ready: "ready"
        case .failed(let failure): "failed: \(words(failure))"
        case .cancelled: "cancelled"
        }
    }

    static func words(_ failure: ConnectionFailure) -> String {
        switch failure {
        case .system(let error): error.description
        case .unresolved(let outcome): "\(outcome)"
        }
    }
}

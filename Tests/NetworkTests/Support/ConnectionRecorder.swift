// SPDX-License-Identifier: Apache-2.0

import Network
import Synchronization

/// Collects what a connection's handlers are told, and lets a test wait for it.
final class ConnectionRecorder: Sendable {
    let queue = DispatchQueue(label: "connection client")
    private let lines = Mutex<[String]>([])
    private let taken = Mutex(0)
    private let arrivals = DispatchSemaphore(value: 0)

    func attach(to connection: NWConnection) {
        connection.stateUpdateHandler = { [self] state in record("\(state)") }
        connection.viabilityUpdateHandler = { [self] isViable in record(isViable ? "viable" : "not viable") }
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
    func next() throws -> String {
        guard arrivals.wait(timeout: .now() + 60) == .success else {
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
}

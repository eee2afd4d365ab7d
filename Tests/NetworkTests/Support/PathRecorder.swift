// SPDX-License-Identifier: Apache-2.0

import Network
import Synchronization

/// Collects the updates of a monitor, and lets a test wait for one.
final class PathRecorder: Sendable {
    private struct Record {
        var paths: [NWPath] = []
        var taken = 0
    }

    private let record = Mutex(Record())
    private let arrivals = DispatchSemaphore(value: 0)
    let queue = DispatchQueue(label: "paths")

    /// Has a monitor tell this recorder.
    func watch(_ monitor: NWPathMonitor) {
        monitor.pathUpdateHandler = { [self] in take($0) }
    }

    func take(_ path: NWPath) {
        record.withLock { $0.paths.append(path) }
        arrivals.signal()
    }

    var all: [NWPath] { record.withLock { $0.paths } }

    struct Impatience: Error, CustomStringConvertible {
        let seen: [NWPath]
        var description: String { "no such update came, only \(seen)" }
    }

    /// Blocks until the next update has come, and returns it. Far longer than one can take, so that reaching the limit
    /// means that it never will.
    @discardableResult
    func next() throws -> NWPath {
        guard arrivals.wait(timeout: .now() + 30) == .success else { throw Impatience(seen: all) }
        return record.withLock { record in
            record.taken += 1
            return record.paths[record.taken - 1]
        }
    }

    /// Blocks until an update of which the condition holds. A change of several steps may be told in as many.
    @discardableResult
    func next(where condition: (NWPath) -> Bool) throws -> NWPath {
        while true {
            let path = try next()
            if condition(path) { return path }
        }
    }

    /// How many came that nobody has waited for.
    var untaken: Int { record.withLock { $0.paths.count - $0.taken } }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A downloaded file. It is removed with this object unless the caller has taken it (`release`). The result of an attempt may
/// come too late for the caller.
final class TemporaryFile: Sendable {
    private let location: URL
    private let isTaken = Mutex(false)

    init(moving file: URL) throws {
        location = FileManager.default.temporaryDirectory.appendingPathComponent("download-\(UUID().uuidString)")
        try FileManager.default.moveItem(at: file, to: location)
    }

    deinit {
        if !isTaken.withLock(\.self) { try? FileManager.default.removeItem(at: location) }
    }

    /// The file belongs to the caller from now on.
    func release() -> URL {
        isTaken.withLock { $0 = true }
        return location
    }
}

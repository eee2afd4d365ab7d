// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import LinuxSystem
import Synchronization

/// A thread that a test waits for.
package final class TestThread: Sendable {
    private let name: String
    private let ended = DispatchSemaphore(value: 0)
    private let error = Mutex<(any Error)?>(nil)

    package init(_ name: String, stackBytes: Int = 1 << 20, _ body: @escaping @Sendable () throws -> Void) throws(Errno)
    {
        self.name = name
        // The thread holds this object until it ends.
        try Thread.start(name: name, stackBytes: stackBytes) { [self] in
            do { try body() } catch { self.error.withLock { $0 = error } }
            ended.signal()
        }.detach()
    }

    /// Waits for its end, once, and throws what its body threw.
    ///
    /// - Parameter limit: in seconds; longer than usual for a thread that has much to do.
    package func join(within limit: Int = WaitLimit.seconds) throws {
        try ended.wait(for: "the thread \"\(name)\" to end", within: limit)
        if let error = error.withLock(\.self) { throw error }
    }
}

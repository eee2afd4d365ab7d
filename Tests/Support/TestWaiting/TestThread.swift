// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import ReachabilityLinuxSystem
import Synchronization

/// A thread that a test waits for.
package final class TestThread: Sendable {
    private let name: String
    private let ended = DispatchSemaphore(value: 0)
    private let error = Mutex<(any Error)?>(nil)
    /// Nil once it runs, so that what it holds is released before `join` returns, and not with the thread.
    private let body: Mutex<(@Sendable () throws -> Void)?>

    package init(_ name: String, stackBytes: Int = 1 << 20, _ body: @escaping @Sendable () throws -> Void) throws(Errno)
    {
        self.name = name
        self.body = Mutex(body)
        // The thread holds this object until it ends.
        try Thread.start(name: name, stackBytes: stackBytes) { [self] in
            run()
            ended.signal()
        }.detach()
    }

    @inline(never)
    private func run() {
        let body = self.body.withLock { $0.take() }
        do { try body?() } catch { self.error.withLock { $0 = error } }
    }

    /// Waits for its end, once, and throws what its body threw.
    ///
    /// - Parameter limit: in seconds; longer than usual for a thread that has much to do.
    package func join(within limit: Int = WaitLimit.seconds) throws {
        try ended.wait(for: "the thread \"\(name)\" to end", within: limit)
        if let error = error.withLock(\.self) { throw error }
    }
}

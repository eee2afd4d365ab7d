// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LinuxSystem
import Synchronization
import TestHosts

/// A loop whose clock the test holds.
final class HeldLoop: Sendable {
    let time = ManualTime()
    let loop: EventLoop
    private let fired = Mutex<[String]>([])

    init() throws {
        loop = try EventLoop(name: "held", time: time)
    }

    /// Runs `body` on the loop's thread and waits for it, and for the timers that are due then.
    func run(_ body: @escaping @Sendable (EventLoop) -> Void) throws {
        loop.enqueue { [loop] in body(loop) }
        let done = DispatchSemaphore(value: 0)
        loop.enqueue { [loop] in loop.schedule(at: loop.now()) { done.signal() } }
        // The kernel's timer goes by another clock, so the loop has to be woken to look at this one.
        try ProcessState.wait("the loop has done its work") {
            loop.enqueue {}
            return done.wait(timeout: .now()) == .success
        }
    }

    func note(_ word: String) { fired.withLock { $0.append(word) } }
    var words: [String] { fired.withLock { $0 } }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SystemConfiguration
import TestHosts
import TestWaiting
import Testing

/// A thread that runs its run loop until `stop`.
final class LoopThread: Sendable {
    struct Loop: @unchecked Sendable {
        let loop: CFRunLoop
    }

    private let held: Loop
    private let ended = DispatchSemaphore(value: 0)

    var loop: CFRunLoop { held.loop }

    init() throws {
        let started = ReceivedValues<Loop>()
        Thread.detachNewThread { [ended] in
            // A loop without a source would return at once.
            var context = CFRunLoopSourceContext()
            let source = CFRunLoopSourceCreate(nil, 0, &context)
            CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode)
            started.record(Loop(loop: CFRunLoopGetCurrent()))
            CFRunLoopRun()
            CFRunLoopRemoveSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode)
            ended.signal()
        }
        held = try started.next()
    }

    /// Blocks the loop until the semaphore is signalled. Returns when it is blocked.
    func hold() throws -> DispatchSemaphore {
        let holding = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        perform {
            holding.signal()
            try? release.wait(for: "the loop to be released")
        }
        try holding.wait(for: "the loop to be blocked")
        return release
    }

    /// Runs `body` on the loop's thread, after what is queued there.
    func perform(_ body: @escaping @Sendable () -> Void) {
        CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode, body)
        CFRunLoopWakeUp(loop)
    }

    /// Returns when the loop has made a whole pass.
    func pass() throws {
        let passed = DispatchSemaphore(value: 0)
        perform { [self] in perform { passed.signal() } }
        try passed.wait(for: "the loop to make a pass")
    }

    func stop() {
        let loop = held
        perform { CFRunLoopStop(loop.loop) }
        // Called in `defer`, where nothing can be thrown.
        do { try ended.wait(for: "the loop to end") } catch { Issue.record(error) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemConfiguration
import TestWaiting
import Testing

/// A thread that runs its run loop until it is told to stop.
final class LoopThread: Sendable {
    struct Loop: @unchecked Sendable {
        let loop: CFRunLoop
    }

    private let held: Loop
    private let ended = DispatchSemaphore(value: 0)

    var loop: CFRunLoop { held.loop }

    init() throws {
        let started = DispatchSemaphore(value: 0)
        let place = Mutex<Loop?>(nil)
        let ended = self.ended
        let box = Box(place: place)
        Thread.detachNewThread {
            // A loop without a source would return at once.
            var context = CFRunLoopSourceContext()
            let source = CFRunLoopSourceCreate(nil, 0, &context)
            CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode)
            box.place.withLock { $0 = Loop(loop: CFRunLoopGetCurrent()) }
            started.signal()
            CFRunLoopRun()
            CFRunLoopRemoveSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode)
            ended.signal()
        }
        try started.wait(for: "the loop to run")
        held = box.place.withLock { $0! }
    }

    private final class Box: Sendable {
        let place: Mutex<Loop?>
        init(place: consuming Mutex<Loop?>) { self.place = place }
    }

    /// Keeps the loop busy; returns when it is.
    func hold() throws -> DispatchSemaphore {
        let holding = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        perform {
            holding.signal()
            try? release.wait(for: "the loop to be let go")
        }
        try holding.wait(for: "the loop to be held up")
        return release
    }

    /// Runs on the loop's thread what was there before this call, and then `body`.
    func perform(_ body: @escaping @Sendable () -> Void) {
        CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode, body)
        CFRunLoopWakeUp(loop)
    }

    /// Returns when the loop has gone all the way round.
    func pass() throws {
        let passed = DispatchSemaphore(value: 0)
        perform { [self] in perform { passed.signal() } }
        try passed.wait(for: "the loop to go round")
    }

    func stop() {
        let loop = held
        perform { CFRunLoopStop(loop.loop) }
        // Called where a test ends, from which nothing can be thrown.
        do { try ended.wait(for: "the loop to end") } catch { Issue.record(error) }
    }
}

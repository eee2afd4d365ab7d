// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemConfiguration

/// A thread that runs its run loop until it is told to stop.
final class LoopThread: Sendable {
    struct Loop: @unchecked Sendable {
        let loop: CFRunLoop
    }

    private let held: Loop
    private let ended = DispatchSemaphore(value: 0)

    var loop: CFRunLoop { held.loop }

    init() {
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
        started.wait()
        held = box.place.withLock { $0! }
    }

    private final class Box: Sendable {
        let place: Mutex<Loop?>
        init(place: consuming Mutex<Loop?>) { self.place = place }
    }

    /// Keeps the loop busy; returns when it is.
    func hold() -> DispatchSemaphore {
        let holding = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        perform {
            holding.signal()
            release.wait()
        }
        holding.wait()
        return release
    }

    /// Runs on the loop's thread what was there before this call, and then `body`.
    func perform(_ body: @escaping @Sendable () -> Void) {
        CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode, body)
        CFRunLoopWakeUp(loop)
    }

    /// Returns when the loop has gone all the way round.
    func pass() {
        let passed = DispatchSemaphore(value: 0)
        perform { [self] in perform { passed.signal() } }
        passed.wait()
    }

    func stop() {
        let loop = held
        perform { CFRunLoopStop(loop.loop) }
        ended.wait()
    }
}

// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Fires when the lifetime of a route has ended on which an answer depends. Confined to the engine's thread.
final class ExpiryTimer {
    private let loop: EventLoop
    private let fire: () -> Void
    private var next: (moment: BootTime, timer: LoopTimer)?

    init(_ loop: EventLoop, fire: @escaping () -> Void) {
        self.loop = loop
        self.fire = fire
    }

    /// Remembers when a watch's answer ends.
    func note(_ timed: TimedVerdict, for watch: WatchedTarget) {
        watch.expiry = timed.lifetime.end(now: loop.now(), known: watch.expiry) ?? .distantFuture
        arm(for: watch.expiry)
    }

    /// Returns the watches whose answers have ended, each once, and arms the timer for the next of the others.
    func popExpired(of watches: some Collection<WatchedTarget>) -> [WatchedTarget] {
        let now = loop.now()
        var expired: [WatchedTarget] = []
        var earliest = BootTime.distantFuture
        for watch in watches {
            if watch.expiry <= now {
                watch.expiry = .distantFuture
                expired.append(watch)
            } else {
                earliest = min(earliest, watch.expiry)
            }
        }
        arm(for: earliest)
        return expired
    }

    /// Fires at this moment, or earlier if it was armed for an earlier one.
    func arm(for moment: BootTime) {
        guard moment < next?.moment ?? .distantFuture else { return }
        cancel()
        let timer = loop.schedule(at: moment) { [weak self] in
            self?.next = nil
            self?.fire()
        }
        next = (moment, timer)
    }

    func cancel() {
        if let next { loop.cancel(next.timer) }
        next = nil
    }
}

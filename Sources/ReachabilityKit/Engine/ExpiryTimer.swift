// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Fires when a route that a watch depends on has ended of itself. Touched on the engine's thread only.
final class ExpiryTimer {
    private let loop: EventLoop
    private let fire: () -> Void
    private var next: (moment: UInt64, token: EventLoop.TimerToken)?

    private static let nanosecondsPerTick = UInt64(1_000_000_000 / clockTicksPerSecond)

    init(_ loop: EventLoop, fire: @escaping () -> Void) {
        self.loop = loop
        self.fire = fire
    }

    /// Takes down when a watch's answer ends. The timer fires a little later than the kernel counts, so that the route is
    /// gone by then.
    func note(_ timed: TimedVerdict, for watch: WatchedTarget) {
        guard let ticks = timed.expiresInTicks else {
            guard watch.expiry != WatchedTarget.never else { return }
            // The last tick of a route's life reads as "for ever": what was about to end then ends all the same.
            let isEnding = watch.expiry <= loop.now().nanoseconds + 4 * Self.nanosecondsPerTick
            if !(timed.expiryIsUncertain && isEnding) { watch.expiry = WatchedTarget.never }
            return
        }
        watch.expiry = loop.now().nanoseconds + (UInt64(ticks) + 2) * Self.nanosecondsPerTick
        arm(for: watch.expiry)
    }

    /// The watches whose time is over, each once. The timer is armed for the next of the others.
    func takeEnded(of watches: some Collection<WatchedTarget>) -> [WatchedTarget] {
        next = nil
        let now = loop.now().nanoseconds
        var ended: [WatchedTarget] = []
        var nextMoment = WatchedTarget.never
        for watch in watches {
            if watch.expiry <= now {
                watch.expiry = WatchedTarget.never
                ended.append(watch)
            } else {
                nextMoment = min(nextMoment, watch.expiry)
            }
        }
        if nextMoment != WatchedTarget.never { arm(for: nextMoment) }
        return ended
    }

    private func arm(for moment: UInt64) {
        guard next.map({ moment < $0.moment }) ?? true else { return }
        if let next { loop.cancel(next.token) }
        let token = loop.schedule(at: BootTime(nanoseconds: moment)) { [weak self] in self?.fire() }
        next = (moment, token)
    }
}

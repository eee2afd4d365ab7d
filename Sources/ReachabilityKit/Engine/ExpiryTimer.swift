// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Fires when the lifetime of a route has ended on which an answer depends. Confined to the engine's thread.
final class ExpiryTimer {
    private let loop: EventLoop
    private let fire: () -> Void
    private var next: (moment: UInt64, timer: LoopTimer)?

    /// Stands for a route without a lifetime.
    static let never = UInt64.max
    private static let nanosecondsPerTick = UInt64(1_000_000_000 / clockTicksPerSecond)

    init(_ loop: EventLoop, fire: @escaping () -> Void) {
        self.loop = loop
        self.fire = fire
    }

    /// Remembers when a watch's answer ends.
    func note(_ timed: TimedVerdict, for watch: WatchedTarget) {
        watch.expiry = expiry(inTicks: timed.expiresInTicks, timed.expiryIsUncertain, before: watch.expiry)
        arm(for: watch.expiry)
    }

    /// The moment at which a route is gone, in nanoseconds since boot.
    ///
    /// - Parameters:
    ///   - ticks: the lifetime that the kernel told. Two ticks are added, as the kernel counts whole ones.
    ///   - isUncertain: whether no lifetime may also mean less than a tick. The last tick reads as "for ever".
    ///   - known: the moment known before. If it is about to come, it counts where the kernel's answer is uncertain.
    func expiry(inTicks ticks: UInt32?, _ isUncertain: Bool, before known: UInt64) -> UInt64 {
        let now = loop.now().nanoseconds
        if let ticks { return now + (UInt64(ticks) + 2) * Self.nanosecondsPerTick }
        return isUncertain && known <= now + 4 * Self.nanosecondsPerTick ? known : Self.never
    }

    /// Returns the watches whose answers have ended, each once, and arms the timer for the next of the others.
    func popExpired(of watches: some Collection<WatchedTarget>) -> [WatchedTarget] {
        let now = loop.now().nanoseconds
        var expired: [WatchedTarget] = []
        var earliest = Self.never
        for watch in watches {
            if watch.expiry <= now {
                watch.expiry = Self.never
                expired.append(watch)
            } else {
                earliest = min(earliest, watch.expiry)
            }
        }
        arm(for: earliest)
        return expired
    }

    /// Fires at this moment, or earlier if it was armed for an earlier one.
    func arm(for moment: UInt64) {
        guard moment < next?.moment ?? Self.never else { return }
        cancel()
        let timer = loop.schedule(at: BootTime(nanoseconds: moment)) { [weak self] in
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

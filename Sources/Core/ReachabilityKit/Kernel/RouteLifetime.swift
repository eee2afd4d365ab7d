// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import Netlink

/// When the kernel's answer ends without an announcement. Only an IPv6 route can (router advertisements, `ip -6 route …
/// expires`): it is gone at that moment, and announced half a minute later by the garbage collection.
///
/// The kernel counts whole clock ticks and rounds down (rt6_fill_node in net/ipv6/route.c). So a route that ends in n ticks
/// lives for at least n and for less than n + 1, and one in its last tick seems to have no lifetime at all.
package enum RouteLifetime: Hashable, Sendable {
    case endless
    case ends(inTicks: UInt32)
    /// The kernel tells no lifetime. The route may be in its last tick.
    case uncertain

    package init(_ route: RouteDecision) {
        self =
            switch (route.canExpire, route.expiresInTicks) {
            case (false, _): .endless
            case (true, let ticks?): .ends(inTicks: ticks)
            case (true, nil): .uncertain
            }
    }

    private static var tick: Duration { .nanoseconds(1_000_000_000 / clockTicksPerSecond) }

    // MARK: For kept answers, which must not be used too late

    /// The first moment at which the route may be gone; nil for never.
    ///
    /// - Parameters:
    ///   - askedAt: a moment before the kernel was asked.
    ///   - endlessSince: since when the kernel has told no lifetime, without a change in between.
    package func earliestEnd(askedAt: BootTime, endlessSince: BootTime?) -> BootTime? {
        switch self {
        case .endless: nil
        case .ends(let ticks): askedAt.advanced(by: Self.tick * Int(ticks))
        // No lifetime, told twice and more than a tick apart, means that there is none.
        case .uncertain:
            endlessSince.map { askedAt >= $0.advanced(by: Self.tick * 2) } == true ? nil : BootTime(nanoseconds: 0)
        }
    }

    // MARK: For the next look, which must not come too early

    /// A moment at which the route is surely gone; nil for none.
    ///
    /// - Parameters:
    ///   - now: the present moment.
    ///   - known: the moment that an earlier answer told. If it is about to come, it counts where the kernel's answer is
    ///     uncertain.
    package func end(now: BootTime, known: BootTime) -> BootTime? {
        switch self {
        case .endless: return nil
        // One tick for the rounding, and one for the time that the answer took.
        case .ends(let ticks): return now.advanced(by: Self.tick * (Int(ticks) + 2))
        case .uncertain:
            return known <= now.advanced(by: Self.tick * 4) ? known : nil
        }
    }
}

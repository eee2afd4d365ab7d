// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// What a client can see of a verdict. Subscribers are notified when this changes. The interface counts, as it does on
/// Apple's systems (configd-1405, SCNetworkReachability.c l.1713).
package struct Observation: Hashable, Sendable {
    package var flags: ReachabilityFlags
    package var interface: InterfaceIndex?

    package init(flags: ReachabilityFlags, interface: InterfaceIndex? = nil) {
        self.flags = flags
        self.interface = interface
    }

    package init(_ verdict: Verdict) {
        // If a target cannot be reached, the client does not see over which broken link.
        self.init(flags: verdict.flags, interface: verdict.flags.isEmpty ? nil : verdict.interface)
    }
}

/// Decides when a client is called back and with what, from the moment it is scheduled until it is unscheduled. Pure: each
/// event returns what has to be done, and the owner does it after releasing its lock.
package struct RegistrationState: Sendable {
    /// The newest observation; nil until a name has been resolved.
    private var observed: Observation?
    /// The observation that the client was last told or is taken to know; nil if it must get a first callback.
    private var told: Observation?
    /// A delivery waits on the client's queue. It will tell the newest observation.
    private var isDeliveryQueued = false
    private var hasEnded = false

    /// - Parameter known: what the client is taken to know (addresses), or nil if it must get a first callback (names).
    package init(known: Observation?) {
        observed = known
        told = known
    }

    /// Stores an observation. Returns whether a delivery has to be put on the client's queue.
    package mutating func record(_ observation: Observation) -> Bool {
        guard !hasEnded else { return false }
        observed = observation
        guard !isDeliveryQueued, observation != told else { return false }
        isDeliveryQueued = true
        return true
    }

    /// A queued delivery begins. Returns the newest observation; nil if the client was unscheduled meanwhile, or knows
    /// that observation because a burst of changes ended where it began.
    package mutating func beginDelivery() -> Observation? {
        isDeliveryQueued = false
        guard !hasEnded, let observed, observed != told else { return nil }
        told = observed
        return observed
    }

    /// After this, no delivery begins.
    package mutating func end() {
        hasEnded = true
    }
}

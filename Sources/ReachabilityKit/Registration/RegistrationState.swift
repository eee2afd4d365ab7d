// SPDX-License-Identifier: Apache-2.0

package import NetworkFacts

/// What a client can see of a verdict: a change is a change of this (Apple also counts the interface, configd-1405
/// SCNetworkReachability.c l.1713).
package struct Observation: Hashable, Sendable {
    package var flags: ReachabilityFlags
    package var interface: InterfaceIndex?

    package init(flags: ReachabilityFlags, interface: InterfaceIndex? = nil) {
        self.flags = flags
        self.interface = interface
    }

    package init(_ verdict: Verdict) {
        // Over which broken link a target cannot be reached is no news to a client.
        self.init(flags: verdict.flags, interface: verdict.flags.isEmpty ? nil : verdict.interface)
    }
}

/// When a client has to be told what, from the moment it is scheduled until it is unscheduled. Pure: each event
/// returns what is to be done, and the owner does it after it has let go of its lock.
package struct RegistrationState: Sendable {
    /// The newest that was observed; nil as long as a name has not been resolved.
    private var observed: Observation?
    /// The last the client was told, or can be taken to know; nil where it is owed a first callback whatever it says.
    private var told: Observation?
    /// A delivery is on its way to the client's queue; it will take the newest along.
    private var isDeliveryQueued = false
    private var hasEnded = false

    /// - Parameter known: what the client can be taken to know (addresses), or nil where it is owed a first callback
    ///   (names).
    package init(known: Observation?) {
        observed = known
        told = known
    }

    /// Takes what the engine found. True where a delivery has to be put on the client's queue.
    package mutating func observe(_ observation: Observation) -> Bool {
        guard !hasEnded else { return false }
        observed = observation
        guard !isDeliveryQueued, observation != told else { return false }
        isDeliveryQueued = true
        return true
    }

    /// A queued delivery's turn has come. Returns what to tell the client: the newest, or nothing where the client was
    /// unscheduled meanwhile or the burst ended where it began.
    package mutating func beginDelivery() -> Observation? {
        isDeliveryQueued = false
        guard !hasEnded, let observed, observed != told else { return nil }
        told = observed
        return observed
    }

    /// No delivery begins from now on.
    package mutating func end() {
        hasEnded = true
    }
}

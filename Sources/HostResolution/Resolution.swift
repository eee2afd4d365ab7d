// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import NetworkFacts

/// The finished answer for a name. A class, so that handing out a cached one costs one reference.
package final class Resolution: Sendable {
    package let name: HostName
    package let outcome: ResolutionOutcome
    package let v4: FamilyOutcome
    package let v6: FamilyOutcome
    /// Every address once: IPv6 before IPv4, then by value.
    package let addresses: [IPAddress]
    package let origin: ResolutionOrigin
    /// Until when it answers the same question again; its own moment where it must not be kept.
    package let expires: BootTime
    /// What was configured when it was made, among it the servers.
    package let configuration: ResolverConfiguration

    /// Answers with fewer seconds to live are kept this long: a name must not be asked for by every call.
    package static let leastTimeToLive: UInt32 = 1
    package static let greatestTimeToLive: UInt32 = 3600
    /// How long "no such name" and "no data" are kept.
    package static let negativeTimeToLive: UInt32 = 5

    /// An answer made of what became of each family.
    init(
        _ name: HostName, v4: FamilyOutcome, v6: FamilyOutcome, origin: ResolutionOrigin = .dns,
        outcome: ResolutionOutcome? = nil, made now: BootTime, configuration: ResolverConfiguration
    ) {
        self.name = name
        self.v4 = v4
        self.v6 = v6
        self.origin = origin
        self.configuration = configuration
        self.outcome = outcome ?? ResolutionOutcome(v4, v6)
        let found = v4.addresses + v6.addresses
        addresses = stableOrder(found.map(\.address))
        switch (self.outcome, origin) {
        case (_, .hostsFile), (_, .localhost), (.impossibleName, _): expires = .distantFuture
        case (.addresses, _):
            let seconds = found.compactMap(\.timeToLive).min() ?? Self.greatestTimeToLive
            expires = now.advanced(by: .seconds(min(max(seconds, Self.leastTimeToLive), Self.greatestTimeToLive)))
        case (.noSuchName, _), (.noData, _): expires = now.advanced(by: .seconds(Self.negativeTimeToLive))
        default: expires = now
        }
    }

    /// Whether asking again before it expires could not tell more. Of an answer that is not complete the addresses
    /// are good, but one family is missing: it serves only those to whom these addresses are enough.
    package var isComplete: Bool { v4.isConclusive && v6.isConclusive }

    /// Whether it still answers the question: it has not expired and no configuration file has changed since. One
    /// system call, no lock, no allocation.
    package func isFresh(at now: @autoclosure () -> BootTime) -> Bool {
        if expires != .distantFuture, now() >= expires { return false }
        return configuration.isCurrent
    }

    /// The servers that were configured.
    package var servers: [ServerAddress] { configuration.servers }
}

extension Resolution {
    func isUsable(at now: BootTime, _ enough: ([IPAddress]) -> Bool) -> Bool {
        now < expires && (isComplete || enough(addresses))
    }
}

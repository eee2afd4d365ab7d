// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import NetworkFacts

/// The finished answer for a name. A class, so that returning a cached one costs one reference.
package final class Resolution: Sendable {
    package let name: HostName
    package let outcome: ResolutionOutcome
    package let v4: FamilyOutcome
    package let v6: FamilyOutcome
    /// Every address once: IPv6 before IPv4, then by value.
    package let addresses: [IPAddress]
    package let origin: ResolutionOrigin
    /// When it stops being valid. The time it was made if it must not be kept.
    package let expires: BootTime
    /// The configuration when it was made, including the servers.
    package let configuration: ResolverConfiguration

    /// Answers with a shorter time to live are kept this long, so that not every call asks a server.
    package static let leastTimeToLive: UInt32 = 1
    package static let greatestTimeToLive: UInt32 = 3600
    /// How long "no such name" and "no data" are kept.
    package static let negativeTimeToLive: UInt32 = 5

    /// Makes an answer of each family's outcome.
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

    /// Whether both families have answered. The addresses of an incomplete answer are valid, but one family is missing:
    /// only a caller for whom these addresses are enough can use it.
    package var isComplete: Bool { v4.isConclusive && v6.isConclusive }

    /// Whether it is still valid: it has not expired, and no configuration file has changed since. Costs one system
    /// call, and takes no lock.
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

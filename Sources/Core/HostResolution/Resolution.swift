// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityResolverFiles

/// The finished answer for a name. A class, so that returning a cached one costs one reference.
package final class Resolution: Sendable {
    package let query: NameQuery
    package let outcome: ResolutionOutcome
    package let v4: FamilyOutcome
    package let v6: FamilyOutcome
    /// Every address once: IPv6 before IPv4, then by value.
    package let addresses: [IPAddress]
    package let origin: ResolutionOrigin
    /// When it stops being valid. The time it was made if it must not be kept.
    package let expires: BootTime
    /// The servers that were configured.
    package let servers: [ServerAddress]
    /// Which reading of the configuration files it is from. Not the files themselves: who keeps an answer would keep their contents
    /// and an inotify instance.
    let generation: UInt64
    /// Whether the configuration files had just changed. A server that was just started may not know its names yet.
    package let isSettling: Bool

    /// Answers with a shorter time to live are kept this long, so that not every call asks a server.
    package static let leastTimeToLive: UInt32 = 1
    package static let greatestTimeToLive: UInt32 = 3600
    /// How long "no such name" and "no data" are kept.
    package static let negativeTimeToLive: UInt32 = 5
    /// How long the answers of sources are kept that tell no time.
    package static let otherTimeToLive: UInt32 = 60
    /// For how long after a change of the configuration files "no such name" and "no data" are not kept (configd-453 asks again
    /// every 250 ms for this long).
    static let settlingTime: Duration = .milliseconds(2_500)

    /// Makes an answer of what was found.
    init(
        _ query: NameQuery, _ finding: Finding, made now: BootTime, configuration: ResolverConfiguration
    ) {
        self.query = query
        (v4, v6, origin) = (finding.v4, finding.v6, finding.origin)
        (servers, generation) = (configuration.servers, configuration.generation)
        isSettling = configuration.changed.map { now.duration(since: $0) < Self.settlingTime } ?? false
        outcome = finding.outcome ?? ResolutionOutcome(v4, v6)
        let found = v4.addresses + v6.addresses
        addresses = stableOrder(found.map(\.address))
        switch (outcome, origin) {
        case (.addresses, .hostsFile), (_, .localhost), (.impossibleName, _): expires = .distantFuture
        case (.addresses, _):
            let seconds = found.compactMap(\.timeToLive).min() ?? Self.greatestTimeToLive
            expires = now.advanced(by: .seconds(min(max(seconds, Self.leastTimeToLive), Self.greatestTimeToLive)))
        case (.noSuchName, _) where !isSettling, (.noData, _) where !isSettling:
            expires = now.advanced(by: .seconds(Self.negativeTimeToLive))
        default: expires = now
        }
    }

    /// Makes an answer that says why nothing could be asked.
    convenience init(
        _ query: NameQuery, couldNotAsk error: Errno, made now: BootTime, configuration: ResolverConfiguration
    ) {
        self.init(query, Finding(.couldNotAsk(error), .none), made: now, configuration: configuration)
    }

    /// Whether both families have answered. The addresses of an incomplete answer are valid, but one family is missing:
    /// only a caller for whom these addresses are enough can use it.
    package var isComplete: Bool {
        (v4.isConclusive || !query.wants(.v4)) && (v6.isConclusive || !query.wants(.v6))
    }
}

extension Resolution {
    func isUsable(at now: BootTime, _ enough: ([IPAddress]) -> Bool) -> Bool {
        now < expires && (isComplete || enough(addresses))
    }
}

/// An address and how long it may be used.
package struct TimedAddress: Hashable, Sendable {
    package let address: IPAddress
    /// In seconds, as the server said. Nil if nothing limits it.
    package let timeToLive: UInt32?

    package init(_ address: IPAddress, timeToLive: UInt32?) {
        self.address = address
        self.timeToLive = timeToLive
    }
}

/// A status of c-ares, in the words of c-ares.
package struct AresStatus: Hashable, Sendable, CustomStringConvertible {
    package let code: Int32

    package init(code: Int32) {
        self.code = code
    }
}

/// The outcome of one family's question.
package enum FamilyOutcome: Hashable, Sendable {
    case addresses([TimedAddress])
    /// The name does not exist (NXDOMAIN).
    case noSuchName
    /// The name exists, without addresses of this family.
    case noData
    /// The servers refused, failed, sent nonsense, or were silent in every attempt. If only some were silent, the status
    /// says so all the same.
    case failed(AresStatus)
    /// The question could not be sent, for lack of descriptors or memory.
    case couldNotAsk(Errno)
    /// No answer before the caller's deadline.
    case deadlinePassed
    /// The addresses of the other family were enough.
    case notAwaited
    case cancelled
    /// There was no server to ask.
    case notAsked

    package var addresses: [TimedAddress] {
        if case .addresses(let found) = self { found } else { [] }
    }

    /// Whether the servers have answered.
    var isConclusive: Bool {
        switch self {
        case .addresses, .noSuchName, .noData: true
        case .failed, .couldNotAsk, .deadlinePassed, .notAwaited, .cancelled, .notAsked: false
        }
    }
}

/// The outcome of a lookup.
package enum ResolutionOutcome: Hashable, Sendable {
    case addresses
    case noSuchName
    case noData
    case failed(AresStatus)
    /// The question could not be sent, for lack of descriptors or memory. That says nothing about the name.
    case couldNotAsk(Errno)
    case deadlinePassed
    case cancelled
    /// No configured server can be reached, so none was asked.
    case noServerReachable
    /// The caller's list of servers is empty.
    case noServerConfigured
    /// The name can never resolve. `HostName.problem` has the reason.
    case impossibleName
}

/// Where an answer came from.
package enum ResolutionOrigin: Hashable, Sendable {
    case hostsFile
    case localhost
    /// The name of this machine.
    case ownHostName
    case dns
    /// A source of nsswitch.conf that the C library asks.
    case module(String)
    /// No source was asked.
    case none
}

extension ResolutionOutcome {
    /// Combines both families: addresses first, then failures that may pass, then "no data" and "no such name".
    init(_ v4: FamilyOutcome, _ v6: FamilyOutcome) {
        let both = [v4, v6]
        if both.contains(where: { !$0.addresses.isEmpty }) {
            self = .addresses
        } else if both.contains(.cancelled) {
            self = .cancelled
        } else if let shortage = both.lazy.compactMap(\.shortage).first {
            self = .couldNotAsk(shortage)
        } else if let status = both.lazy.compactMap(\.status).first {
            self = .failed(status)
        } else if both.contains(.deadlinePassed) || both.contains(.notAwaited) {
            self = .deadlinePassed
        } else {
            // A name with one family's "no data" exists, whatever the other answer claims (RFC 4074 4.2).
            self = both.contains(.noData) ? .noData : .noSuchName
        }
    }
}

extension FamilyOutcome {
    var status: AresStatus? {
        if case .failed(let status) = self { status } else { nil }
    }

    fileprivate var shortage: Errno? {
        if case .couldNotAsk(let error) = self { error } else { nil }
    }
}

/// A limited number of answers until they expire. There is no timer: expired answers are removed when room is needed.
struct AnswerCache: Sendable {
    /// A program that uses more names than this looks some of them up again.
    static let capacity = 4096

    private var answers: [NameQuery: Resolution] = [:]

    subscript(query: NameQuery) -> Resolution? { answers[query] }

    mutating func store(_ resolution: Resolution, at now: BootTime) {
        guard resolution.expires > now else { return }
        if answers.count >= Self.capacity, answers[resolution.query] == nil { makeRoom(at: now) }
        answers[resolution.query] = resolution
    }

    mutating func removeAll() {
        answers.removeAll()
    }

    /// Removes the expired answers. If there are none, removes the eighth that expires first, so that this happens
    /// rarely.
    private mutating func makeRoom(at now: BootTime) {
        answers = answers.filter { $0.value.expires > now }
        guard answers.count >= Self.capacity else { return }
        let first = answers.values.sorted { $0.expires < $1.expires }.prefix(Self.capacity / 8)
        for resolution in first { answers[resolution.query] = nil }
    }
}

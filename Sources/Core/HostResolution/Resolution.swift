// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import NetworkFacts

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
    /// No server is configured: resolv.conf is missing, unreadable, or names none. libc and c-ares would ask 127.0.0.1
    /// then. We report it instead.
    case noServerConfigured
    /// The name can never resolve. `HostName.problem` has the reason.
    case impossibleName
}

/// Where an answer came from.
package enum ResolutionOrigin: String, Hashable, Sendable {
    case hostsFile = "hosts file"
    case localhost
    case dns = "DNS"
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
    fileprivate var status: AresStatus? {
        if case .failed(let status) = self { status } else { nil }
    }

    fileprivate var shortage: Errno? {
        if case .couldNotAsk(let error) = self { error } else { nil }
    }
}

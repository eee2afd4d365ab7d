// SPDX-License-Identifier: Apache-2.0

/// What is known of the way to a target: Apple's `SCNetworkReachabilityFlags`, bit for bit.
///
/// ```swift
/// let flags = try ReachabilityRef(hostname: "www.swift.org").getFlags()
/// if flags.isReachable { print("a packet could leave for it") }
/// ```
public struct ReachabilityFlags: OptionSet, Hashable, Sendable {
    /// The flags as Apple's C API passes them.
    public let rawValue: UInt32

    /// Makes a set of flags from the number Apple's C API uses.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The way leads over a link with a single peer that comes and goes: PPP, a VPN tunnel, a mobile network.
    public static let transientConnection = ReachabilityFlags(rawValue: 1 << 0)
    /// A packet to the target would leave this machine, or reach this machine itself.
    public static let reachable = ReachabilityFlags(rawValue: 1 << 1)
    /// The link waits for a connection to be made first, such as a dial or a login.
    public static let connectionRequired = ReachabilityFlags(rawValue: 1 << 2)
    /// Traffic to the target will make the connection that is required.
    public static let connectionOnTraffic = ReachabilityFlags(rawValue: 1 << 3)
    /// Somebody has to do something first. Nothing on Linux states this, so it is never set.
    public static let interventionRequired = ReachabilityFlags(rawValue: 1 << 4)
    /// Apple's stream API would make the connection. Nothing on Linux does, so it is never set.
    public static let connectionOnDemand = ReachabilityFlags(rawValue: 1 << 5)
    /// The target is an address of this machine.
    public static let isLocalAddress = ReachabilityFlags(rawValue: 1 << 16)
    /// No gateway lies between this machine and the target.
    public static let isDirect = ReachabilityFlags(rawValue: 1 << 17)
    /// The way leads over a mobile network.
    public static let isWWAN = ReachabilityFlags(rawValue: 1 << 18)

    /// The older name of ``connectionOnTraffic``.
    public static let connectionAutomatic = connectionOnTraffic

    /// "Reachable" as one word: reachable, and no connection has to be made first.
    public var isReachable: Bool { rank == .reachable }
}

extension ReachabilityFlags {
    /// By what addresses of one name are compared (configd's rank_reachability): nothing but these two bits counts.
    package enum Rank: Int, Comparable, Sendable {
        case none, connectionRequired, reachable

        package static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    package var rank: Rank {
        guard contains(.reachable) else { return .none }
        return contains(.connectionRequired) ? .connectionRequired : .reachable
    }
}

extension ReachabilityFlags: CustomStringConvertible {
    /// Apple's words in Apple's order, as `scutil -r` prints them.
    public var description: String {
        guard !isEmpty else { return "Not Reachable" }
        var words = Self.vocabulary.filter { contains($0.flag) }.map(\.word)
        let leftover = Self.vocabulary.reduce(self) { $0.subtracting($1.flag) }
        if !leftover.isEmpty {
            let digits = String(leftover.rawValue, radix: 16)
            words.append("0x" + String(repeating: "0", count: 8 - digits.count) + digits)
        }
        return words.joined(separator: ",")
    }

    /// The names of the members in this set, in the order of Apple's words.
    public var memberNames: [String] {
        Self.vocabulary.filter { contains($0.flag) }.map(\.member)
    }

    /// SCNetworkReachabilityLogging.h of configd-1405 fixes words and order.
    package static let vocabulary: [(flag: ReachabilityFlags, word: String, member: String)] = [
        (.reachable, "Reachable", "reachable"),
        (.transientConnection, "Transient Connection", "transientConnection"),
        (.connectionRequired, "Connection Required", "connectionRequired"),
        (.connectionOnTraffic, "Automatic Connection On Traffic", "connectionOnTraffic"),
        (.connectionOnDemand, "Automatic Connection On Demand", "connectionOnDemand"),
        (.interventionRequired, "Intervention Required", "interventionRequired"),
        (.isLocalAddress, "Local Address", "isLocalAddress"),
        (.isDirect, "Directly Reachable Address", "isDirect"),
        (.isWWAN, "WWAN", "isWWAN"),
    ]
}

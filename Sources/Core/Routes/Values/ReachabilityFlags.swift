// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// The state of the route to a target: Apple's `SCNetworkReachabilityFlags`, bit for bit.
///
/// ```swift
/// let flags = try ReachabilityRef(hostname: "www.swift.org").getFlags()
/// if flags.isReachable { print("a packet could leave for it") }
/// ```
public struct ReachabilityFlags: OptionSet, Hashable, Sendable {
    /// The number that Apple's C API uses.
    public let rawValue: UInt32

    /// Makes a set of flags from the number that Apple's C API uses.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The route leads over a link with a single peer: PPP, a VPN tunnel, or a mobile network.
    public static let transientConnection = ReachabilityFlags(rawValue: 1 << 0)
    /// A packet to the target would leave this machine, or reach this machine itself.
    public static let reachable = ReachabilityFlags(rawValue: 1 << 1)
    /// A connection has to be made first, such as a dial or a login.
    public static let connectionRequired = ReachabilityFlags(rawValue: 1 << 2)
    /// Traffic to the target makes the required connection.
    public static let connectionOnTraffic = ReachabilityFlags(rawValue: 1 << 3)
    /// The user has to do something first. The kernel has no such state, so this is never set.
    public static let interventionRequired = ReachabilityFlags(rawValue: 1 << 4)
    /// Apple's stream API would make the connection. Linux has nothing like it, so this is never set.
    public static let connectionOnDemand = ReachabilityFlags(rawValue: 1 << 5)
    /// The target is an address of this machine.
    public static let isLocalAddress = ReachabilityFlags(rawValue: 1 << 16)
    /// There is no gateway between this machine and the target.
    public static let isDirect = ReachabilityFlags(rawValue: 1 << 17)
    /// The route leads over a mobile network.
    public static let isWWAN = ReachabilityFlags(rawValue: 1 << 18)

    /// The older name of ``connectionOnTraffic``.
    public static let connectionAutomatic = connectionOnTraffic

    /// Whether the target is reachable without a connection having to be made first.
    public var isReachable: Bool { rank == .reachable }
    /// Whether a connection has to be made first, such as a dial or a login, after which the target is reachable.
    public var needsConnection: Bool { rank == .connectionRequired }
    /// Whether the target is an address of this machine.
    public var isLocalAddress: Bool { contains(.isLocalAddress) }
    /// Whether there is no gateway between this machine and the target.
    public var isDirect: Bool { contains(.isDirect) }
    /// Whether the route leads over a mobile network.
    public var isWWAN: Bool { contains(.isWWAN) }
}

extension ReachabilityFlags {
    /// The order in which the addresses of a name are compared (configd's rank_reachability). Only these two bits matter.
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
    /// Apple's words in Apple's order, as printed by `scutil -r`.
    public var description: String {
        guard !isEmpty else { return "Not Reachable" }
        var words = Self.vocabulary.filter { contains($0.flag) }.map(\.word)
        let leftover = Self.vocabulary.reduce(self) { $0.subtracting($1.flag) }
        if !leftover.isEmpty { words.append(leftover.hexadecimal) }
        return words.dropFirst().reduce(words[0]) { $0 + "," + $1 }
    }

    /// The flags as `0x%08x` prints them.
    package var hexadecimal: String { "0x" + String(rawValue, radix: 16).padded(to: 8) }

    /// The names of the members in this set, such as `isDirect`, in the order of Apple's words.
    public var memberNames: [String] {
        Self.vocabulary.filter { contains($0.flag) }.map(\.member)
    }

    /// The words and their order are those of SCNetworkReachabilityLogging.h in configd-1405.
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

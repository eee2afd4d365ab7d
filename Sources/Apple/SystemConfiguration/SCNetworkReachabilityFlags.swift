// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// The reachability of a target.
public struct SCNetworkReachabilityFlags: OptionSet, Sendable {
    /// The flags as one number.
    public let rawValue: UInt32

    /// Makes a set of flags from a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ flags: ReachabilityFlags) { self.init(rawValue: flags.rawValue) }

    /// The route leaves by a link with a single peer that comes and goes, such as PPP or a VPN tunnel.
    public static let transientConnection = SCNetworkReachabilityFlags(rawValue: 1 << 0)
    /// A packet to the target would leave this machine, or reach this machine itself.
    public static let reachable = SCNetworkReachabilityFlags(rawValue: 1 << 1)
    /// A connection has to be made first.
    public static let connectionRequired = SCNetworkReachabilityFlags(rawValue: 1 << 2)
    /// Traffic to the target makes the required connection.
    public static let connectionOnTraffic = SCNetworkReachabilityFlags(rawValue: 1 << 3)
    /// The older name of ``connectionOnTraffic``.
    public static let connectionAutomatic = SCNetworkReachabilityFlags(rawValue: 1 << 3)
    /// A person has to do something first. Never set on Linux.
    public static let interventionRequired = SCNetworkReachabilityFlags(rawValue: 1 << 4)
    /// Apple's stream API makes the required connection. Never set on Linux.
    public static let connectionOnDemand = SCNetworkReachabilityFlags(rawValue: 1 << 5)
    /// The target is an address of this machine.
    public static let isLocalAddress = SCNetworkReachabilityFlags(rawValue: 1 << 16)
    /// There is no gateway between this machine and the target.
    public static let isDirect = SCNetworkReachabilityFlags(rawValue: 1 << 17)
    /// The route leaves by a mobile network.
    public static let isWWAN = SCNetworkReachabilityFlags(rawValue: 1 << 18)
}

// The names of the flags in C (SCNetworkReachability.h, configd-1405).

/// ``SCNetworkReachabilityFlags/transientConnection``.
public let kSCNetworkReachabilityFlagsTransientConnection = SCNetworkReachabilityFlags.transientConnection

/// ``SCNetworkReachabilityFlags/reachable``.
public let kSCNetworkReachabilityFlagsReachable = SCNetworkReachabilityFlags.reachable

/// ``SCNetworkReachabilityFlags/connectionRequired``.
public let kSCNetworkReachabilityFlagsConnectionRequired = SCNetworkReachabilityFlags.connectionRequired

/// ``SCNetworkReachabilityFlags/connectionOnTraffic``.
public let kSCNetworkReachabilityFlagsConnectionOnTraffic = SCNetworkReachabilityFlags.connectionOnTraffic

/// ``SCNetworkReachabilityFlags/connectionAutomatic``.
public let kSCNetworkReachabilityFlagsConnectionAutomatic = SCNetworkReachabilityFlags.connectionAutomatic

/// ``SCNetworkReachabilityFlags/interventionRequired``.
public let kSCNetworkReachabilityFlagsInterventionRequired = SCNetworkReachabilityFlags.interventionRequired

/// ``SCNetworkReachabilityFlags/connectionOnDemand``.
public let kSCNetworkReachabilityFlagsConnectionOnDemand = SCNetworkReachabilityFlags.connectionOnDemand

/// ``SCNetworkReachabilityFlags/isLocalAddress``.
public let kSCNetworkReachabilityFlagsIsLocalAddress = SCNetworkReachabilityFlags.isLocalAddress

/// ``SCNetworkReachabilityFlags/isDirect``.
public let kSCNetworkReachabilityFlagsIsDirect = SCNetworkReachabilityFlags.isDirect

/// ``SCNetworkReachabilityFlags/isWWAN``.
public let kSCNetworkReachabilityFlagsIsWWAN = SCNetworkReachabilityFlags.isWWAN

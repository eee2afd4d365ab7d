// SPDX-License-Identifier: Apache-2.0

public import ReachabilityLinuxSystem
import ReachabilityReferences
import SystemConfigurationCore

/// The reachability of a target.
public struct SCNetworkReachabilityFlags: OptionSet, Sendable {
    /// The flags as one number.
    public let rawValue: UInt32

    /// Makes a set of flags from a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ flags: ReachabilityFlags) { self.init(rawValue: flags.rawValue) }

    /// The route leaves by a link with a single peer that may come and go, such as PPP or a VPN tunnel.
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
    /// Apple's stream API would make the required connection. Never set on Linux.
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

// The older names of SCNetwork.h (configd-1405), from before `SCNetworkReachabilityFlags`.

/// The flags of the older functions.
public typealias SCNetworkConnectionFlags = UInt32

/// The bit of ``SCNetworkReachabilityFlags/transientConnection``.
public let kSCNetworkFlagsTransientConnection: Int = 1 << 0
/// The bit of ``SCNetworkReachabilityFlags/reachable``.
public let kSCNetworkFlagsReachable: Int = 1 << 1
/// The bit of ``SCNetworkReachabilityFlags/connectionRequired``.
public let kSCNetworkFlagsConnectionRequired: Int = 1 << 2
/// The bit of ``SCNetworkReachabilityFlags/connectionAutomatic``.
public let kSCNetworkFlagsConnectionAutomatic: Int = 1 << 3
/// The bit of ``SCNetworkReachabilityFlags/interventionRequired``.
public let kSCNetworkFlagsInterventionRequired: Int = 1 << 4
/// The bit of ``SCNetworkReachabilityFlags/isLocalAddress``.
public let kSCNetworkFlagsIsLocalAddress: Int = 1 << 16
/// The bit of ``SCNetworkReachabilityFlags/isDirect``.
public let kSCNetworkFlagsIsDirect: Int = 1 << 17

/// Returns the present flags of an address. Makes a target for this one call.
///
/// - Parameters:
///   - address: a `sockaddr_in` or `sockaddr_in6`.
///   - addrlen: its length. An address that is too short for its family is refused.
///   - flags: set to the flags.
/// - Returns: false if the call failed; `SCError()` says why.
@discardableResult
public func SCNetworkCheckReachabilityByAddress(
    _ address: UnsafePointer<sockaddr>?, _ addrlen: socklen_t, _ flags: UnsafeMutablePointer<SCNetworkConnectionFlags>
) -> Bool {
    unsafe check(LegacyTarget.make(address: address, length: Int(clamping: addrlen)), flags)
}

/// Returns the present flags of a host name. Makes a target for this one call.
///
/// - Returns: false if the call failed; `SCError()` says why.
@discardableResult
public func SCNetworkCheckReachabilityByName(
    _ nodename: UnsafePointer<CChar>?, _ flags: UnsafeMutablePointer<SCNetworkConnectionFlags>
) -> Bool {
    unsafe check(LegacyTarget.make(name: nodename.map { unsafe String(cString: $0) }), flags)
}

private func check(_ target: LegacyTarget?, _ flags: UnsafeMutablePointer<SCNetworkConnectionFlags>) -> Bool {
    guard let present = target?.flags() else { return false }
    unsafe flags.pointee = present.rawValue
    return true
}

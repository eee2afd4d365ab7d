// SPDX-License-Identifier: Apache-2.0

public import LinuxSystem
import ReachabilityKit
import SystemConfigurationCore

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
/// - Returns: false on failure; `SCError()` says why.
@discardableResult
public func SCNetworkCheckReachabilityByAddress(
    _ address: UnsafePointer<sockaddr>?, _ addrlen: socklen_t, _ flags: UnsafeMutablePointer<SCNetworkConnectionFlags>
) -> Bool {
    unsafe check(LegacyTarget.make(address: address, length: Int(clamping: addrlen)), flags)
}

/// Returns the present flags of a host name. Makes a target for this one call.
///
/// - Returns: false on failure; `SCError()` says why.
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

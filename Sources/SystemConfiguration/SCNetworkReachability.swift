// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Glibc
import LegacyReachability

/// A target whose reachability can be asked for, by one of the functions that take it.
///
/// While it is scheduled it stays alive, whether anybody holds it or not. May be used from any thread, and says so,
/// which Apple's class does not: code that hands it to another thread compiles. A client that states the conformance
/// again is merely warned.
public final class SCNetworkReachability: Sendable {
    let base: LegacyTarget

    init(_ base: LegacyTarget) {
        self.base = base
        base.belong(to: self)
    }
}

extension SCNetworkReachability: Hashable {
    /// Equal is identical, as for Apple's class, which has no equality of its own (configd-1405 l.130).
    public static func == (left: SCNetworkReachability, right: SCNetworkReachability) -> Bool { left === right }

    /// The identity's hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Makes a target for an IPv4 or IPv6 address, which is copied. 0.0.0.0 and :: stand for the default path.
///
/// Linux's `sockaddr` holds no length, so the family decides how many bytes are read: 16, or 28 for IPv6.
///
/// - Parameters:
///   - allocator: ignored.
///   - address: the address.
/// - Returns: the target, or nil where the family is another one; `SCError()` is `kSCStatusInvalidArgument` then.
public func SCNetworkReachabilityCreateWithAddress(
    _ allocator: CFAllocator?, _ address: UnsafePointer<sockaddr>?
) -> SCNetworkReachability? {
    unsafe LegacyTarget.make(address: address).map(SCNetworkReachability.init)
}

/// Makes a target for what can be sent from a local address to a remote one.
///
/// - Parameters:
///   - allocator: ignored.
///   - localAddress: an address of this machine; nil for any.
///   - remoteAddress: the address to reach; nil for the local address by itself.
/// - Returns: the target, or nil where both are nil or one is of another family.
public func SCNetworkReachabilityCreateWithAddressPair(
    _ allocator: CFAllocator?, _ localAddress: UnsafePointer<sockaddr>?, _ remoteAddress: UnsafePointer<sockaddr>?
) -> SCNetworkReachability? {
    unsafe LegacyTarget.make(local: localAddress, remote: remoteAddress).map(SCNetworkReachability.init)
}

/// Makes a target for a host name, or for an address written as text.
///
/// - Parameters:
///   - allocator: ignored.
///   - nodename: the name. One that no host can have makes a target that is never reachable.
/// - Returns: the target, or nil where the name is nil or empty; `SCError()` is `kSCStatusInvalidArgument` then.
public func SCNetworkReachabilityCreateWithName(
    _ allocator: CFAllocator?, _ nodename: UnsafePointer<CChar>?
) -> SCNetworkReachability? {
    unsafe LegacyTarget.make(name: nodename.map { unsafe String(cString: $0) }).map(SCNetworkReachability.init)
}

/// A number that stands for the type. CoreFoundation on Linux registers no types of others, so it is a fixed one.
public func SCNetworkReachabilityGetTypeID() -> CFTypeID { 0x5343_4E52 }

/// Asks for the present flags.
///
/// A name that is not scheduled is resolved, for which the call may take up to five seconds.
///
/// - Parameters:
///   - target: whose flags.
///   - flags: where they are put. Zero is an answer: not reachable.
/// - Returns: false where the kernel could not be asked; `SCError()` says why.
@discardableResult
public func SCNetworkReachabilityGetFlags(
    _ target: SCNetworkReachability, _ flags: UnsafeMutablePointer<SCNetworkReachabilityFlags>
) -> Bool {
    guard let present = target.base.flags() else { return false }
    unsafe flags.pointee = SCNetworkReachabilityFlags(present)
    return true
}

/// The number of the interface the way to the target leads over, or -1 where the target is not reachable.
public func SCNetworkReachabilityGetInterfaceIndex(_ target: SCNetworkReachability) -> Int32 {
    target.base.interfaceIndex
}

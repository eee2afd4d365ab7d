// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Foundation
import SystemConfigurationCore

/// A target whose reachability the functions of this module return.
///
/// A scheduled target stays alive even if no reference to it is left. It may be used from any thread. Unlike Apple's
/// class it conforms to `Sendable`; a client that declares the conformance again gets a warning.
///
/// Two targets are equal only if they are the same object, as on Apple's systems (configd-1405 l.130).
public final class SCNetworkReachability: NSObject, Sendable {
    /// What CoreFoundation reads. It has to be the first property.
    private let header = registered.header
    private let target: LegacyTarget

    fileprivate static let registered = RegisteredType(
        "SCNetworkReachability", SCNetworkReachability.self, in: .linked)

    /// Nil, with a status, if this is an object of another class.
    var base: LegacyTarget? { isGenuine(self, Self.registered) ? target : nil }

    init(_ target: LegacyTarget) {
        self.target = target
        super.init()
        target.belong(to: self)
    }
}

/// Makes a target for an IPv4 or IPv6 address. 0.0.0.0 and :: stand for the default path.
///
/// Linux's `sockaddr` has no length, so the length is that of the family: 16 bytes, or 28 for IPv6.
///
/// - Parameters:
///   - allocator: ignored.
///   - address: the address. It is copied.
/// - Returns: the target. Nil for another family; then `SCError()` is `kSCStatusInvalidArgument`.
public func SCNetworkReachabilityCreateWithAddress(
    _ allocator: CFAllocator?, _ address: UnsafePointer<sockaddr>?
) -> SCNetworkReachability? {
    unsafe LegacyTarget.make(address: address).map(SCNetworkReachability.init)
}

/// Makes a target for packets from a local address to a remote one.
///
/// - Parameters:
///   - allocator: ignored.
///   - localAddress: an address of this machine; nil for any.
///   - remoteAddress: the address to reach; nil for the local address by itself.
/// - Returns: the target. Nil if both addresses are nil, or one is of another family.
public func SCNetworkReachabilityCreateWithAddressPair(
    _ allocator: CFAllocator?, _ localAddress: UnsafePointer<sockaddr>?, _ remoteAddress: UnsafePointer<sockaddr>?
) -> SCNetworkReachability? {
    unsafe LegacyTarget.make(local: localAddress, remote: remoteAddress).map(SCNetworkReachability.init)
}

/// Makes a target for a host name, or for an address written as text.
///
/// - Parameters:
///   - allocator: ignored.
///   - nodename: the name. A target with an impossible name is never reachable.
/// - Returns: the target. Nil if the name is nil or empty; then `SCError()` is `kSCStatusInvalidArgument`.
public func SCNetworkReachabilityCreateWithName(
    _ allocator: CFAllocator?, _ nodename: UnsafePointer<CChar>?
) -> SCNetworkReachability? {
    unsafe LegacyTarget.make(name: nodename.map { unsafe String(cString: $0) }).map(SCNetworkReachability.init)
}

/// What `CFGetTypeID` returns for a target.
public func SCNetworkReachabilityGetTypeID() -> CFTypeID { SCNetworkReachability.registered.number }

/// Returns the present flags.
///
/// A name that is not scheduled is resolved, which takes up to five seconds.
///
/// - Parameters:
///   - target: the target.
///   - flags: set to the flags. Zero means not reachable.
/// - Returns: false if the kernel could not be asked; `SCError()` says why.
@discardableResult
public func SCNetworkReachabilityGetFlags(
    _ target: SCNetworkReachability, _ flags: UnsafeMutablePointer<SCNetworkReachabilityFlags>
) -> Bool {
    guard let present = target.base?.flags() else { return false }
    unsafe flags.pointee = SCNetworkReachabilityFlags(present)
    return true
}

/// The number of the interface of the route, or -1 if the target is not reachable.
public func SCNetworkReachabilityGetInterfaceIndex(_ target: SCNetworkReachability) -> Int32 {
    target.base?.interfaceIndex ?? -1
}

// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Foundation
import ReachabilityLinuxSystem
import SystemConfigurationCore

// The functions of SCDynamicStoreKey.h (configd-1405). The domain is `kSCDynamicStoreDomainState` or another of these constants.
// The allocator is ignored.

/// The key `State:/Network/Global/ENTITY`.
public func SCDynamicStoreKeyCreateNetworkGlobalEntity(
    _ allocator: CFAllocator?, _ domain: CFString, _ entity: CFString
) -> CFString {
    StoreKey.global(String(describing: domain), String(describing: entity)) as NSString
}

/// The key `State:/Network/Interface`, whose value lists the interfaces.
public func SCDynamicStoreKeyCreateNetworkInterface(_ allocator: CFAllocator?, _ domain: CFString) -> CFString {
    StoreKey.interfaces(String(describing: domain)) as NSString
}

/// The key `State:/Network/Interface/IFNAME/ENTITY`. A name may be ``kSCCompAnyRegex``, for a pattern.
public func SCDynamicStoreKeyCreateNetworkInterfaceEntity(
    _ allocator: CFAllocator?, _ domain: CFString, _ ifname: CFString, _ entity: CFString?
) -> CFString {
    StoreKey.interface(
        String(describing: domain), String(describing: ifname), entity.map { String(describing: $0) }) as NSString
}

/// The key `State:/Network/Service/ID/ENTITY`. An identifier may be ``kSCCompAnyRegex``, for a pattern.
public func SCDynamicStoreKeyCreateNetworkServiceEntity(
    _ allocator: CFAllocator?, _ domain: CFString, _ serviceID: CFString, _ entity: CFString?
) -> CFString {
    StoreKey.service(
        String(describing: domain), String(describing: serviceID), entity.map { String(describing: $0) }) as NSString
}

/// The key of the computer's name: `Setup:/System`.
public func SCDynamicStoreKeyCreateComputerName(_ allocator: CFAllocator?) -> CFString {
    StoreKey.computerName as NSString
}

/// The key of the user at the console: `State:/Users/ConsoleUser`.
public func SCDynamicStoreKeyCreateConsoleUser(_ allocator: CFAllocator?) -> CFString {
    StoreKey.consoleUser as NSString
}

/// The key of the host names: `Setup:/Network/HostNames`.
public func SCDynamicStoreKeyCreateHostNames(_ allocator: CFAllocator?) -> CFString { StoreKey.hostNames as NSString }

/// The key of the location: `Setup:`. It has no value on Linux.
public func SCDynamicStoreKeyCreateLocation(_ allocator: CFAllocator?) -> CFString { StoreKey.location as NSString }

/// The key of the proxies: `State:/Network/Global/Proxies`.
public func SCDynamicStoreKeyCreateProxies(_ allocator: CFAllocator?) -> CFString { StoreKey.proxies as NSString }

/// Returns the name of this machine for people: PRETTY_HOSTNAME of machine-info(5), or the host name.
///
/// - Parameters:
///   - store: the session; nil for a temporary one.
///   - nameEncoding: set to UTF-8, unless it is nil.
/// - Returns: the name. Nil if the machine has none; `SCError()` is then `kSCStatusNoKey`.
public func SCDynamicStoreCopyComputerName(
    _ store: SCDynamicStore?, _ nameEncoding: UnsafeMutablePointer<CFStringEncoding>?
) -> CFString? {
    undisturbed {
        guard let name = session(store)?.computerName else { return nil }
        unsafe nameEncoding?.pointee = CFStringBuiltInEncodings.UTF8.rawValue
        return name as NSString
    }
}

/// Returns the host name up to its first dot, which is the machine's name in multicast DNS.
///
/// - Returns: the name. Nil if the machine has none; `SCError()` is then `kSCStatusNoKey`.
public func SCDynamicStoreCopyLocalHostName(_ store: SCDynamicStore?) -> CFString? {
    undisturbed { session(store)?.localHostName.map { $0 as NSString } }
}

/// Returns the user of the machine's first seat, according to systemd-logind.
///
/// - Parameters:
///   - store: the session; nil for a temporary one.
///   - uid: set to the user's number.
///   - gid: set to the user's group, if it is known.
/// - Returns: the user's name. Nil if nobody is logged in there, or without systemd-logind; `SCError()` is then `kSCStatusNoKey`.
public func SCDynamicStoreCopyConsoleUser(
    _ store: SCDynamicStore?, _ uid: UnsafeMutablePointer<uid_t>?, _ gid: UnsafeMutablePointer<gid_t>?
) -> CFString? {
    undisturbed {
        guard let user = session(store)?.consoleUser else { return nil }
        unsafe uid?.pointee = user.userID
        if let group = user.groupID { unsafe gid?.pointee = group }
        return user.name as NSString
    }
}

/// Would return the current location. Linux has none: the result is nil, and `SCError()` is `kSCStatusNoKey`.
public func SCDynamicStoreCopyLocation(_ store: SCDynamicStore?) -> CFString? {
    LegacyStatus.fail(.noKey)
}

/// Returns the proxies in the environment (`http_proxy` and so on), in Apple's dictionary, which is empty if there are none.
public func SCDynamicStoreCopyProxies(_ store: SCDynamicStore?) -> CFDictionary? {
    undisturbed { session(store)?.proxies.map(PropertyValue.dictionary) }
}

/// Would return the answer of a DHCP server. Linux does not keep it: the result is nil, and `SCError()` is `kSCStatusNoKey`.
public func SCDynamicStoreCopyDHCPInfo(_ store: SCDynamicStore?, _ serviceID: CFString?) -> CFDictionary? {
    LegacyStatus.fail(.noKey)
}

/// Returns an option of a DHCP server's answer; nil if it is missing.
public func DHCPInfoGetOptionData(_ info: CFDictionary, _ code: UInt8) -> CFData? {
    (info["Option_\(code)"] as? Data).map { $0 as NSData }
}

/// Returns the time at which the lease began; nil if it is missing.
public func DHCPInfoGetLeaseStartTime(_ info: CFDictionary) -> NSDate? {
    (info["LeaseStartTime"] as? Date).map { $0 as NSDate }
}

/// Returns the time at which the lease ends; nil if it is missing.
public func DHCPInfoGetLeaseExpirationTime(_ info: CFDictionary) -> NSDate? {
    (info["LeaseExpirationTime"] as? Date).map { $0 as NSDate }
}

// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Foundation
import SystemConfigurationCore

// The functions of SCDynamicStoreKey.h (configd-1405). The domain is `kSCDynamicStoreDomainState` or another of those. The
// allocator is ignored.

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

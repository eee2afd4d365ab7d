// SPDX-License-Identifier: Apache-2.0

import CSystemConfigurationHeaders
import SystemConfigurationCore

/// A key as an object that the caller releases.
private func returned(_ key: String) -> OpaquePointer? {
    guard let properties = LoadedProperties.shared else { return nil }
    return unsafe properties.returned(properties.object(.string(key)))
}

/// Reads parts of a key, and returns the key. A part that must be there is not null.
private func compose(
    _ parts: [OpaquePointer?], optional: OpaquePointer? = nil, _ key: ([String], String?) -> String
) -> OpaquePointer? {
    guard let properties = LoadedProperties.shared else { return nil }
    let texts = unsafe parts.compactMap { unsafe properties.string($0) }
    guard unsafe texts.count == parts.count else { return unsafe refused() }
    return unsafe returned(key(texts, properties.string(optional)))
}

/// Apple's function.
@_cdecl("SCDynamicStoreKeyCreateNetworkGlobalEntity")
public func SCDynamicStoreKeyCreateNetworkGlobalEntity(
    _ allocator: OpaquePointer?, _ domain: OpaquePointer?, _ entity: OpaquePointer?
) -> OpaquePointer? {
    unsafe compose([domain, entity]) { parts, _ in StoreKey.global(parts[0], parts[1]) }
}

/// Apple's function.
@_cdecl("SCDynamicStoreKeyCreateNetworkInterface")
public func SCDynamicStoreKeyCreateNetworkInterface(
    _ allocator: OpaquePointer?, _ domain: OpaquePointer?
) -> OpaquePointer? {
    unsafe compose([domain]) { parts, _ in StoreKey.interfaces(parts[0]) }
}

/// Apple's function.
@_cdecl("SCDynamicStoreKeyCreateNetworkInterfaceEntity")
public func SCDynamicStoreKeyCreateNetworkInterfaceEntity(
    _ allocator: OpaquePointer?, _ domain: OpaquePointer?, _ ifname: OpaquePointer?, _ entity: OpaquePointer?
) -> OpaquePointer? {
    unsafe compose([domain, ifname], optional: entity) { StoreKey.interface($0[0], $0[1], $1) }
}

/// Apple's function.
@_cdecl("SCDynamicStoreKeyCreateNetworkServiceEntity")
public func SCDynamicStoreKeyCreateNetworkServiceEntity(
    _ allocator: OpaquePointer?, _ domain: OpaquePointer?, _ serviceID: OpaquePointer?, _ entity: OpaquePointer?
) -> OpaquePointer? {
    unsafe compose([domain, serviceID], optional: entity) { StoreKey.service($0[0], $0[1], $1) }
}

/// Apple's function.
@_cdecl("SCDynamicStoreKeyCreateComputerName")
public func SCDynamicStoreKeyCreateComputerName(_ allocator: OpaquePointer?) -> OpaquePointer? {
    unsafe returned(StoreKey.computerName)
}

/// Apple's function.
@_cdecl("SCDynamicStoreKeyCreateConsoleUser")
public func SCDynamicStoreKeyCreateConsoleUser(_ allocator: OpaquePointer?) -> OpaquePointer? {
    unsafe returned(StoreKey.consoleUser)
}

/// Apple's function.
@_cdecl("SCDynamicStoreKeyCreateHostNames")
public func SCDynamicStoreKeyCreateHostNames(_ allocator: OpaquePointer?) -> OpaquePointer? {
    unsafe returned(StoreKey.hostNames)
}

/// Apple's function.
@_cdecl("SCDynamicStoreKeyCreateLocation")
public func SCDynamicStoreKeyCreateLocation(_ allocator: OpaquePointer?) -> OpaquePointer? {
    unsafe returned(StoreKey.location)
}

/// Apple's function.
@_cdecl("SCDynamicStoreKeyCreateProxies")
public func SCDynamicStoreKeyCreateProxies(_ allocator: OpaquePointer?) -> OpaquePointer? {
    unsafe returned(StoreKey.proxies)
}

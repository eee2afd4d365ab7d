// SPDX-License-Identifier: Apache-2.0

// The headers describe these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CSystemConfigurationHeaders
import SystemConfigurationCore

/// A key as an object that the caller releases.
private func returned(_ key: String) -> OpaquePointer? { unsafe returned(PropertyValue.string(key)) }

/// Reads parts of a key, and returns the key. A part that must be there is not null.
private func compose(
    _ parts: [OpaquePointer?], optional: OpaquePointer? = nil, _ key: ([String], String?) -> String
) -> OpaquePointer? {
    guard let foundation = LoadedFoundation.required else { return nil }
    let texts = unsafe parts.compactMap { unsafe foundation.text($0) }
    guard unsafe texts.count == parts.count else { return unsafe LegacyStatus.fail(.invalidArgument) }
    return unsafe returned(key(texts, foundation.text(optional)))
}

@_cdecl("SCDynamicStoreKeyCreateNetworkGlobalEntity")
public func SCDynamicStoreKeyCreateNetworkGlobalEntity(
    _ allocator: OpaquePointer?, _ domain: OpaquePointer?, _ entity: OpaquePointer?
) -> OpaquePointer? {
    unsafe compose([domain, entity]) { parts, _ in StoreKey.global(parts[0], parts[1]) }
}

@_cdecl("SCDynamicStoreKeyCreateNetworkInterface")
public func SCDynamicStoreKeyCreateNetworkInterface(
    _ allocator: OpaquePointer?, _ domain: OpaquePointer?
) -> OpaquePointer? {
    unsafe compose([domain]) { parts, _ in StoreKey.interfaces(parts[0]) }
}

@_cdecl("SCDynamicStoreKeyCreateNetworkInterfaceEntity")
public func SCDynamicStoreKeyCreateNetworkInterfaceEntity(
    _ allocator: OpaquePointer?, _ domain: OpaquePointer?, _ ifname: OpaquePointer?, _ entity: OpaquePointer?
) -> OpaquePointer? {
    unsafe compose([domain, ifname], optional: entity) { StoreKey.interface($0[0], $0[1], $1) }
}

@_cdecl("SCDynamicStoreKeyCreateNetworkServiceEntity")
public func SCDynamicStoreKeyCreateNetworkServiceEntity(
    _ allocator: OpaquePointer?, _ domain: OpaquePointer?, _ serviceID: OpaquePointer?, _ entity: OpaquePointer?
) -> OpaquePointer? {
    unsafe compose([domain, serviceID], optional: entity) { StoreKey.service($0[0], $0[1], $1) }
}

@_cdecl("SCDynamicStoreKeyCreateComputerName")
public func SCDynamicStoreKeyCreateComputerName(_ allocator: OpaquePointer?) -> OpaquePointer? {
    unsafe returned(StoreKey.computerName)
}

@_cdecl("SCDynamicStoreKeyCreateConsoleUser")
public func SCDynamicStoreKeyCreateConsoleUser(_ allocator: OpaquePointer?) -> OpaquePointer? {
    unsafe returned(StoreKey.consoleUser)
}

@_cdecl("SCDynamicStoreKeyCreateHostNames")
public func SCDynamicStoreKeyCreateHostNames(_ allocator: OpaquePointer?) -> OpaquePointer? {
    unsafe returned(StoreKey.hostNames)
}

@_cdecl("SCDynamicStoreKeyCreateLocation")
public func SCDynamicStoreKeyCreateLocation(_ allocator: OpaquePointer?) -> OpaquePointer? {
    unsafe returned(StoreKey.location)
}

@_cdecl("SCDynamicStoreKeyCreateProxies")
public func SCDynamicStoreKeyCreateProxies(_ allocator: OpaquePointer?) -> OpaquePointer? {
    unsafe returned(StoreKey.proxies)
}

private func returned(_ value: PropertyValue?) -> OpaquePointer? {
    guard let value, let foundation = LoadedFoundation.required else { return nil }
    return unsafe foundation.returned(foundation.object(value))
}

@_cdecl("SCDynamicStoreCopyComputerName")
public func SCDynamicStoreCopyComputerName(
    _ store: OpaquePointer?, _ nameEncoding: UnsafeMutablePointer<CFStringEncoding>?
) -> OpaquePointer? {
    guard let name = unsafe session(store)?.computerName else { return nil }
    unsafe nameEncoding?.pointee = 0x0800_0100
    return unsafe returned(.string(name))
}

@_cdecl("SCDynamicStoreCopyLocalHostName")
public func SCDynamicStoreCopyLocalHostName(_ store: OpaquePointer?) -> OpaquePointer? {
    unsafe returned(session(store)?.localHostName.map(PropertyValue.string))
}

@_cdecl("SCDynamicStoreCopyConsoleUser")
public func SCDynamicStoreCopyConsoleUser(
    _ store: OpaquePointer?, _ uid: UnsafeMutablePointer<UInt32>?, _ gid: UnsafeMutablePointer<UInt32>?
) -> OpaquePointer? {
    guard let user = unsafe session(store)?.consoleUser else { return nil }
    unsafe uid?.pointee = user.userID
    if let group = user.groupID { unsafe gid?.pointee = group }
    return unsafe returned(.string(user.name))
}

@_cdecl("SCDynamicStoreCopyLocation")
public func SCDynamicStoreCopyLocation(_ store: OpaquePointer?) -> OpaquePointer? { unsafe LegacyStatus.fail(.noKey) }

@_cdecl("SCDynamicStoreCopyProxies")
public func SCDynamicStoreCopyProxies(_ store: OpaquePointer?) -> OpaquePointer? {
    unsafe returned(session(store)?.proxies.map(PropertyValue.dictionary))
}

@_cdecl("SCDynamicStoreCopyDHCPInfo")
public func SCDynamicStoreCopyDHCPInfo(_ store: OpaquePointer?, _ serviceID: OpaquePointer?) -> OpaquePointer? {
    unsafe LegacyStatus.fail(.noKey)
}

@_cdecl("DHCPInfoGetOptionData")
public func DHCPInfoGetOptionData(_ info: OpaquePointer?, _ code: UInt8) -> OpaquePointer? {
    unsafe LegacyStatus.fail(.noKey)
}

@_cdecl("DHCPInfoGetLeaseStartTime")
public func DHCPInfoGetLeaseStartTime(_ info: OpaquePointer?) -> OpaquePointer? { unsafe LegacyStatus.fail(.noKey) }

@_cdecl("DHCPInfoGetLeaseExpirationTime")
public func DHCPInfoGetLeaseExpirationTime(_ info: OpaquePointer?) -> OpaquePointer? {
    unsafe LegacyStatus.fail(.noKey)
}

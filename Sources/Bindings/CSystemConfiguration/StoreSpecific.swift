// SPDX-License-Identifier: Apache-2.0

public import CSystemConfigurationHeaders
import SystemConfigurationCore

private func returned(_ value: PropertyValue?) -> OpaquePointer? {
    guard let value, let properties = LoadedProperties.shared else { return nil }
    return unsafe properties.returned(properties.object(value))
}

/// Returns null, after it has stored that there is no value.
private func absent() -> OpaquePointer? {
    LegacyStatus.last = .noKey
    return nil
}

/// Apple's function.
@_cdecl("SCDynamicStoreCopyComputerName")
public func SCDynamicStoreCopyComputerName(
    _ store: OpaquePointer?, _ nameEncoding: UnsafeMutablePointer<CFStringEncoding>?
) -> OpaquePointer? {
    guard let name = unsafe session(store)?.computerName else { return nil }
    unsafe nameEncoding?.pointee = 0x0800_0100
    return unsafe returned(.string(name))
}

/// Apple's function.
@_cdecl("SCDynamicStoreCopyLocalHostName")
public func SCDynamicStoreCopyLocalHostName(_ store: OpaquePointer?) -> OpaquePointer? {
    unsafe returned(session(store)?.localHostName.map(PropertyValue.string))
}

/// Apple's function.
@_cdecl("SCDynamicStoreCopyConsoleUser")
public func SCDynamicStoreCopyConsoleUser(
    _ store: OpaquePointer?, _ uid: UnsafeMutablePointer<UInt32>?, _ gid: UnsafeMutablePointer<UInt32>?
) -> OpaquePointer? {
    guard let user = unsafe session(store)?.consoleUser else { return nil }
    unsafe uid?.pointee = user.userID
    if let group = user.groupID { unsafe gid?.pointee = group }
    return unsafe returned(.string(user.name))
}

/// Apple's function.
@_cdecl("SCDynamicStoreCopyLocation")
public func SCDynamicStoreCopyLocation(_ store: OpaquePointer?) -> OpaquePointer? { unsafe absent() }

/// Apple's function.
@_cdecl("SCDynamicStoreCopyProxies")
public func SCDynamicStoreCopyProxies(_ store: OpaquePointer?) -> OpaquePointer? {
    unsafe returned(session(store)?.proxies.map(PropertyValue.dictionary))
}

/// Apple's function.
@_cdecl("SCDynamicStoreCopyDHCPInfo")
public func SCDynamicStoreCopyDHCPInfo(_ store: OpaquePointer?, _ serviceID: OpaquePointer?) -> OpaquePointer? {
    unsafe absent()
}

/// Apple's function.
@_cdecl("DHCPInfoGetOptionData")
public func DHCPInfoGetOptionData(_ info: OpaquePointer?, _ code: UInt8) -> OpaquePointer? { unsafe absent() }

/// Apple's function.
@_cdecl("DHCPInfoGetLeaseStartTime")
public func DHCPInfoGetLeaseStartTime(_ info: OpaquePointer?) -> OpaquePointer? { unsafe absent() }

/// Apple's function.
@_cdecl("DHCPInfoGetLeaseExpirationTime")
public func DHCPInfoGetLeaseExpirationTime(_ info: OpaquePointer?) -> OpaquePointer? { unsafe absent() }

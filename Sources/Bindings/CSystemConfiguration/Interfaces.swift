// SPDX-License-Identifier: Apache-2.0

// The headers describe these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CSystemConfigurationHeaders
import ReachabilityKit
import SystemConfigurationCore

/// An interface, and the objects that its functions have returned: these belong to the interface.
private final class InterfaceObject: ClientContent {
    let listed: ListedInterface
    let name: CoreObject?
    let type: CoreObject?
    let displayName: CoreObject?
    let hardwareAddress: CoreObject?
    let protocolTypes: CoreObject?

    init(_ listed: ListedInterface, _ foundation: LoadedFoundation) {
        self.listed = listed
        name = foundation.object(.string(listed.name))
        type = foundation.object(.string(listed.type))
        displayName = foundation.object(.string(listed.displayName))
        hardwareAddress = listed.hardwareAddress.flatMap { foundation.object(.string($0)) }
        protocolTypes = foundation.object(.strings(ListedInterface.protocolTypes))
    }

    func belong(to owner: AnyObject) {}

    /// Two interfaces are equal if they have the same name, type and address.
    static let type = ClientType(
        "SCNetworkInterface", substitute: 0x5343_4E49,
        equal: { unsafe object(of: OpaquePointer($0))?.listed == object(of: OpaquePointer($1))?.listed },
        hash: { UInt(bitPattern: unsafe object(of: OpaquePointer($0))?.listed.hashValue ?? 0) })
}

/// A property of an interface; null if it has none, or if the interface is null.
private func get(_ interface: OpaquePointer?, _ property: (InterfaceObject) -> CoreObject?) -> OpaquePointer? {
    guard let object = unsafe object(of: interface) else { return nil }
    return unsafe property(object).map { unsafe OpaquePointer($0.pointer) }
}

private func object(of interface: OpaquePointer?) -> InterfaceObject? {
    unsafe ClientObject.content(of: interface)
}

private func listed() -> [ListedInterface]? {
    LegacyStatus.record(otherwise: .failed) { () throws(ReachabilityError) in try ListedInterface.all() }
}

@_cdecl("SCNetworkInterfaceGetTypeID")
public func SCNetworkInterfaceGetTypeID() -> CFTypeID { ClientObject<InterfaceObject>.typeNumber }

@_cdecl("SCNetworkInterfaceCopyAll")
public func SCNetworkInterfaceCopyAll() -> OpaquePointer? {
    guard let foundation = LoadedFoundation.required, let listed = listed() else { return nil }
    let objects = listed.map { interface -> CoreObject? in
        let object = unsafe ClientObject.retained(InterfaceObject(interface, foundation))
        return unsafe CoreObject(object) { unsafe Unmanaged<AnyObject>.fromOpaque($0).release() }
    }
    return unsafe foundation.returned(foundation.array(objects))
}

@_cdecl("SCNetworkInterfaceGetBSDName")
public func SCNetworkInterfaceGetBSDName(_ interface: OpaquePointer?) -> OpaquePointer? {
    unsafe get(interface, \.name)
}

@_cdecl("SCNetworkInterfaceGetInterfaceType")
public func SCNetworkInterfaceGetInterfaceType(_ interface: OpaquePointer?) -> OpaquePointer? {
    unsafe get(interface, \.type)
}

@_cdecl("SCNetworkInterfaceGetLocalizedDisplayName")
public func SCNetworkInterfaceGetLocalizedDisplayName(_ interface: OpaquePointer?) -> OpaquePointer? {
    unsafe get(interface, \.displayName)
}

@_cdecl("SCNetworkInterfaceGetHardwareAddressString")
public func SCNetworkInterfaceGetHardwareAddressString(_ interface: OpaquePointer?) -> OpaquePointer? {
    unsafe get(interface, \.hardwareAddress)
}

@_cdecl("SCNetworkInterfaceGetSupportedProtocolTypes")
public func SCNetworkInterfaceGetSupportedProtocolTypes(_ interface: OpaquePointer?) -> OpaquePointer? {
    unsafe get(interface, \.protocolTypes)
}

@_cdecl("SCNetworkInterfaceCopyMTU")
public func SCNetworkInterfaceCopyMTU(
    _ interface: OpaquePointer?, _ mtu_cur: UnsafeMutablePointer<CInt>?, _ mtu_min: UnsafeMutablePointer<CInt>?,
    _ mtu_max: UnsafeMutablePointer<CInt>?
) -> Bool {
    guard let sizes = unsafe object(of: interface)?.listed.packetSizes() else { return false }
    unsafe mtu_cur?.pointee = sizes.largest
    unsafe mtu_min?.pointee = sizes.leastSetting
    unsafe mtu_max?.pointee = sizes.greatestSetting
    return true
}

@_cdecl("SCNetworkInterfaceGetInterface")
public func SCNetworkInterfaceGetInterface(_ interface: OpaquePointer?) -> OpaquePointer? {
    unsafe get(interface) { _ in nil }
}

@_cdecl("SCNetworkInterfaceForceConfigurationRefresh")
public func SCNetworkInterfaceForceConfigurationRefresh(_ interface: OpaquePointer?) -> Bool {
    refused()
}

@_cdecl("SCNetworkInterfaceRefreshConfiguration")
public func SCNetworkInterfaceRefreshConfiguration(_ ifName: OpaquePointer?) -> Bool {
    refused()
}

@_cdecl("CNCopySupportedInterfaces")
public func CNCopySupportedInterfaces() -> OpaquePointer? {
    guard let foundation = LoadedFoundation.required, let names = ListedInterface.namesOfWiFi() else { return nil }
    return unsafe foundation.returned(foundation.object(.strings(names)))
}

@_cdecl("CNCopyCurrentNetworkInfo")
public func CNCopyCurrentNetworkInfo(_ interfaceName: OpaquePointer?) -> OpaquePointer? {
    guard let foundation = LoadedFoundation.required else { return nil }
    guard let name = unsafe foundation.text(interfaceName) else { return unsafe LegacyStatus.fail(.invalidArgument) }
    let found = LegacyStatus.find { () throws(ReachabilityError) in try ListedInterface.network(ofInterface: name) }
    return unsafe foundation.returned(found.flatMap { foundation.object(.dictionary($0)) })
}

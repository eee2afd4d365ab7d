// SPDX-License-Identifier: Apache-2.0

// The headers describe these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CSystemConfigurationHeaders
import ReachabilityKit
import SystemConfigurationCore

// Each function reads its arguments, makes one call, and turns the result into objects of the CoreFoundation that the program
// has loaded.

/// The session of functions that need one. Nil, with a status, for null.
func requiredSession(_ store: OpaquePointer?) -> StoreSession? {
    unsafe ClientObject.content(of: store, otherwise: .noStoreSession)
}

/// The session of functions that make a temporary one for null.
func session(_ store: OpaquePointer?) -> StoreSession? {
    unsafe store == nil ? StoreSession() : ClientObject.content(of: store)
}

/// The result of functions that would change the system: they fail as for a process without privileges on Apple's systems.
func refused() -> Bool { LegacyStatus.fail(.accessError) }

@_cdecl("SCDynamicStoreCreate")
public func SCDynamicStoreCreate(
    _ allocator: OpaquePointer?, _ name: OpaquePointer?, _ callout: SCDynamicStoreCallBack?,
    _ context: UnsafeMutablePointer<SCDynamicStoreContext>?
) -> OpaquePointer? {
    unsafe SCDynamicStoreCreateWithOptions(allocator, name, nil, callout, context)
}

@_cdecl("SCDynamicStoreCreateWithOptions")
public func SCDynamicStoreCreateWithOptions(
    _ allocator: OpaquePointer?, _ name: OpaquePointer?, _ storeOptions: OpaquePointer?,
    _ callout: SCDynamicStoreCallBack?, _ context: UnsafeMutablePointer<SCDynamicStoreContext>?
) -> OpaquePointer? {
    if let options = unsafe storeOptions {
        guard let foundation = LoadedFoundation.required, unsafe foundation.isStoreOptions(options) else {
            return unsafe LegacyStatus.fail(.invalidArgument)
        }
    }
    let box = unsafe context.map {
        unsafe ContextBox(retaining: $0.pointee.info, retain: $0.pointee.retain, release: $0.pointee.release)
    }
    let deliver: StoreSession.Callout = { owner, keys in
        guard let array = LoadedFoundation.required?.object(.strings(keys)) else { return }
        let store = unsafe OpaquePointer(Unmanaged.passUnretained(owner).toOpaque())
        withExtendedLifetime(array) { unsafe callout?(store, OpaquePointer(array.pointer), box?.info) }
    }
    let session = StoreSession(context: box, callout: unsafe callout == nil ? nil : deliver)
    return unsafe OpaquePointer(ClientObject.retained(session))
}

@_cdecl("SCDynamicStoreGetTypeID")
public func SCDynamicStoreGetTypeID() -> CFTypeID { ClientObject<StoreSession>.typeNumber }

@_cdecl("SCDynamicStoreCopyKeyList")
public func SCDynamicStoreCopyKeyList(_ store: OpaquePointer?, _ pattern: OpaquePointer?) -> OpaquePointer? {
    guard let foundation = LoadedFoundation.required else { return nil }
    guard let pattern = unsafe foundation.text(pattern) else { return unsafe LegacyStatus.fail(.invalidArgument) }
    return unsafe session(store)?.keys(matching: pattern).flatMap {
        unsafe foundation.returned(foundation.object(.strings($0)))
    }
}

@_cdecl("SCDynamicStoreCopyValue")
public func SCDynamicStoreCopyValue(_ store: OpaquePointer?, _ key: OpaquePointer?) -> OpaquePointer? {
    guard let foundation = LoadedFoundation.required else { return nil }
    guard let key = unsafe foundation.text(key) else { return unsafe LegacyStatus.fail(.invalidArgument) }
    return unsafe session(store)?.value(of: key).flatMap { unsafe foundation.returned(foundation.object($0)) }
}

@_cdecl("SCDynamicStoreCopyMultiple")
public func SCDynamicStoreCopyMultiple(
    _ store: OpaquePointer?, _ keys: OpaquePointer?, _ patterns: OpaquePointer?
) -> OpaquePointer? {
    guard let foundation = LoadedFoundation.required else { return nil }
    guard let keys = unsafe foundation.strings(keys), let patterns = unsafe foundation.strings(patterns) else {
        return unsafe LegacyStatus.fail(.invalidArgument)
    }
    return unsafe session(store)?.values(of: keys, matching: patterns).flatMap {
        unsafe foundation.returned(foundation.object(.dictionary($0)))
    }
}

@_cdecl("SCDynamicStoreSetNotificationKeys")
public func SCDynamicStoreSetNotificationKeys(
    _ store: OpaquePointer?, _ keys: OpaquePointer?, _ patterns: OpaquePointer?
) -> Bool {
    guard let session = unsafe requiredSession(store), let foundation = LoadedFoundation.required else { return false }
    guard let keys = unsafe foundation.strings(keys), let patterns = unsafe foundation.strings(patterns) else {
        return LegacyStatus.fail(.invalidArgument)
    }
    return session.watch(keys, patterns: patterns)
}

@_cdecl("SCDynamicStoreCopyNotifiedKeys")
public func SCDynamicStoreCopyNotifiedKeys(_ store: OpaquePointer?) -> OpaquePointer? {
    guard let session = unsafe requiredSession(store), let foundation = LoadedFoundation.required else { return nil }
    return unsafe foundation.returned(foundation.object(.strings(session.takeChangedKeys())))
}

@_cdecl("SCDynamicStoreCreateRunLoopSource")
public func SCDynamicStoreCreateRunLoopSource(
    _ allocator: OpaquePointer?, _ store: OpaquePointer?, _ order: CFIndex
) -> OpaquePointer? {
    guard let session = unsafe requiredSession(store), let foundation = LoadedFoundation.required else { return nil }
    guard let system = LoadedRunLoops.shared else { return unsafe LegacyStatus.fail(.invalidArgument) }
    return unsafe foundation.returned(session.runLoopSource(order: order, of: system))
}

@_cdecl("SCDynamicStoreSetDispatchQueue")
public func SCDynamicStoreSetDispatchQueue(_ store: OpaquePointer?, _ queue: OpaquePointer?) -> Bool {
    guard let session = unsafe requiredSession(store) else { return false }
    return unsafe schedule(on: queue, session.setQueue)
}

// Nothing can be written.

@_cdecl("SCDynamicStoreAddValue")
public func SCDynamicStoreAddValue(_ store: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?) -> Bool {
    refused()
}

@_cdecl("SCDynamicStoreAddTemporaryValue")
public func SCDynamicStoreAddTemporaryValue(
    _ store: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?
) -> Bool { refused() }

@_cdecl("SCDynamicStoreSetValue")
public func SCDynamicStoreSetValue(_ store: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?) -> Bool {
    refused()
}

@_cdecl("SCDynamicStoreSetMultiple")
public func SCDynamicStoreSetMultiple(
    _ store: OpaquePointer?, _ keysToSet: OpaquePointer?, _ keysToRemove: OpaquePointer?,
    _ keysToNotify: OpaquePointer?
) -> Bool { refused() }

@_cdecl("SCDynamicStoreRemoveValue")
public func SCDynamicStoreRemoveValue(_ store: OpaquePointer?, _ key: OpaquePointer?) -> Bool { refused() }

@_cdecl("SCDynamicStoreNotifyValue")
public func SCDynamicStoreNotifyValue(_ store: OpaquePointer?, _ key: OpaquePointer?) -> Bool { refused() }

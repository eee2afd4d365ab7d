// SPDX-License-Identifier: Apache-2.0

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

/// Returns nil, after it has stored that an argument is invalid.
func refused() -> OpaquePointer? {
    LegacyStatus.last = .invalidArgument
    return nil
}

/// Apple's function.
@_cdecl("SCDynamicStoreCreate")
public func SCDynamicStoreCreate(
    _ allocator: OpaquePointer?, _ name: OpaquePointer?, _ callout: SCDynamicStoreCallBack?,
    _ context: UnsafeMutablePointer<SCDynamicStoreContext>?
) -> OpaquePointer? {
    unsafe SCDynamicStoreCreateWithOptions(allocator, name, nil, callout, context)
}

/// Apple's function.
@_cdecl("SCDynamicStoreCreateWithOptions")
public func SCDynamicStoreCreateWithOptions(
    _ allocator: OpaquePointer?, _ name: OpaquePointer?, _ storeOptions: OpaquePointer?,
    _ callout: SCDynamicStoreCallBack?, _ context: UnsafeMutablePointer<SCDynamicStoreContext>?
) -> OpaquePointer? {
    if let options = unsafe storeOptions {
        guard let reader = unsafe DictionaryReader(UnsafeRawPointer(options)), reader.boolean("UseSessionKeys") != nil
        else { return unsafe refused() }
    }
    let box = unsafe context.map {
        unsafe ContextBox(retaining: $0.pointee.info, retain: $0.pointee.retain, release: $0.pointee.release)
    }
    let session: StoreSession
    if let callout = unsafe callout {
        let client = unsafe StoreCallout(run: callout)
        session = StoreSession(context: box) { owner, keys in
            guard let properties = LoadedProperties.shared,
                let array = properties.object(.strings(keys))
            else { return }
            let store = unsafe OpaquePointer(Unmanaged.passUnretained(owner).toOpaque())
            withExtendedLifetime(array) { unsafe client.run(store, OpaquePointer(array.pointer), box?.info) }
        }
    } else {
        session = StoreSession(context: box)
    }
    return unsafe OpaquePointer(ClientObject.retained(session))
}

/// A client's function. The client allows it to run where it is scheduled.
@safe
private struct StoreCallout: @unchecked Sendable {
    let run: SCDynamicStoreCallBack
}

/// Apple's function.
@_cdecl("SCDynamicStoreGetTypeID")
public func SCDynamicStoreGetTypeID() -> CFTypeID { ClientObject<StoreSession>.typeNumber }

/// Apple's function.
@_cdecl("SCDynamicStoreCopyKeyList")
public func SCDynamicStoreCopyKeyList(_ store: OpaquePointer?, _ pattern: OpaquePointer?) -> OpaquePointer? {
    guard let properties = LoadedProperties.shared else { return nil }
    guard let pattern = unsafe properties.string(pattern) else { return unsafe refused() }
    return unsafe session(store)?.keys(matching: pattern).flatMap {
        unsafe properties.returned(properties.object(.strings($0)))
    }
}

/// Apple's function.
@_cdecl("SCDynamicStoreCopyValue")
public func SCDynamicStoreCopyValue(_ store: OpaquePointer?, _ key: OpaquePointer?) -> OpaquePointer? {
    guard let properties = LoadedProperties.shared else { return nil }
    guard let key = unsafe properties.string(key) else { return unsafe refused() }
    return unsafe session(store)?.value(of: key).flatMap { unsafe properties.returned(properties.object($0)) }
}

/// Apple's function.
@_cdecl("SCDynamicStoreCopyMultiple")
public func SCDynamicStoreCopyMultiple(
    _ store: OpaquePointer?, _ keys: OpaquePointer?, _ patterns: OpaquePointer?
) -> OpaquePointer? {
    guard let properties = LoadedProperties.shared else { return nil }
    guard let keys = unsafe properties.strings(keys), let patterns = unsafe properties.strings(patterns) else {
        return unsafe refused()
    }
    return unsafe session(store)?.values(of: keys, matching: patterns).flatMap {
        unsafe properties.returned(properties.object(.dictionary($0)))
    }
}

/// Apple's function.
@_cdecl("SCDynamicStoreSetNotificationKeys")
public func SCDynamicStoreSetNotificationKeys(
    _ store: OpaquePointer?, _ keys: OpaquePointer?, _ patterns: OpaquePointer?
) -> Bool {
    guard let session = unsafe requiredSession(store), let properties = LoadedProperties.shared else { return false }
    guard let keys = unsafe properties.strings(keys), let patterns = unsafe properties.strings(patterns) else {
        LegacyStatus.last = .invalidArgument
        return false
    }
    return session.watch(keys, patterns: patterns)
}

/// Apple's function.
@_cdecl("SCDynamicStoreCopyNotifiedKeys")
public func SCDynamicStoreCopyNotifiedKeys(_ store: OpaquePointer?) -> OpaquePointer? {
    guard let session = unsafe requiredSession(store), let properties = LoadedProperties.shared else { return nil }
    return unsafe properties.returned(properties.object(.strings(session.takeChangedKeys())))
}

/// Apple's function, on the CoreFoundation of the program.
@_cdecl("SCDynamicStoreCreateRunLoopSource")
public func SCDynamicStoreCreateRunLoopSource(
    _ allocator: OpaquePointer?, _ store: OpaquePointer?, _ order: CFIndex
) -> OpaquePointer? {
    guard let session = unsafe requiredSession(store), let properties = LoadedProperties.shared else { return nil }
    guard let system = LoadedRunLoops.shared else { return unsafe refused() }
    return unsafe properties.returned(session.runLoopSource(order: order, of: system))
}

/// Apple's function, on the libdispatch of the program.
@_cdecl("SCDynamicStoreSetDispatchQueue")
public func SCDynamicStoreSetDispatchQueue(_ store: OpaquePointer?, _ queue: OpaquePointer?) -> Bool {
    guard let session = unsafe requiredSession(store) else { return false }
    guard let queue = unsafe queue else { return session.setQueue(nil) }
    guard let loaded = unsafe LoadedQueue(UnsafeMutableRawPointer(queue)) else {
        LegacyStatus.last = .invalidArgument
        return false
    }
    return session.setQueue(.target(loaded))
}

// Nothing can be written, as by a process without privileges on Apple's systems.

/// Apple's function. It is refused.
@_cdecl("SCDynamicStoreAddValue")
public func SCDynamicStoreAddValue(_ store: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Apple's function. It is refused.
@_cdecl("SCDynamicStoreAddTemporaryValue")
public func SCDynamicStoreAddTemporaryValue(
    _ store: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?
) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Apple's function. It is refused.
@_cdecl("SCDynamicStoreSetValue")
public func SCDynamicStoreSetValue(_ store: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Apple's function. It is refused.
@_cdecl("SCDynamicStoreSetMultiple")
public func SCDynamicStoreSetMultiple(
    _ store: OpaquePointer?, _ keysToSet: OpaquePointer?, _ keysToRemove: OpaquePointer?,
    _ keysToNotify: OpaquePointer?
) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Apple's function. It is refused.
@_cdecl("SCDynamicStoreRemoveValue")
public func SCDynamicStoreRemoveValue(_ store: OpaquePointer?, _ key: OpaquePointer?) -> Bool {
    StoreSession.refuse(.accessError)
}

/// Apple's function. It is refused.
@_cdecl("SCDynamicStoreNotifyValue")
public func SCDynamicStoreNotifyValue(_ store: OpaquePointer?, _ key: OpaquePointer?) -> Bool {
    StoreSession.refuse(.accessError)
}

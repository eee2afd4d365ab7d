// SPDX-License-Identifier: Apache-2.0

// The headers describe these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CSystemConfigurationHeaders
import ReachabilityKit
import SystemConfigurationCore

extension PreferencesSession: ClientContent {
    static let type = ClientType("SCPreferences", substitute: 0x5343_5052)
}

/// What a session has read. The objects that functions return belong to it.
private final class PreferencesTree {
    let root: CoreObject
    let signature: CoreObject

    init?(_ value: PropertyValue?, _ signature: [UInt8]) {
        guard let foundation = LoadedFoundation.required, let signature = foundation.object(.data(signature)) else {
            return nil
        }
        let list =
            switch value {
            case .data(let bytes): foundation.list(in: bytes)
            case let value?: foundation.object(value)
            case nil: nil as CoreObject?
            }
        guard let root = list ?? foundation.object([:]) else { return nil }
        (self.root, self.signature) = (root, signature)
    }
}

private func preferences(_ prefs: OpaquePointer?) -> PreferencesSession? {
    unsafe ClientObject.content(of: prefs, otherwise: .noPreferencesSession)
}

private func tree(_ prefs: OpaquePointer?) -> PreferencesTree? { unsafe preferences(prefs)?.tree(PreferencesTree.init) }

@_cdecl("SCPreferencesGetTypeID")
public func SCPreferencesGetTypeID() -> CFTypeID { ClientObject<PreferencesSession>.typeNumber }

@_cdecl("SCPreferencesCreate")
public func SCPreferencesCreate(
    _ allocator: OpaquePointer?, _ name: OpaquePointer?, _ prefsID: OpaquePointer?
) -> OpaquePointer? {
    guard let foundation = LoadedFoundation.required else { return nil }
    let identifier = unsafe foundation.text(prefsID)
    guard unsafe prefsID == nil || identifier != nil else { return unsafe LegacyStatus.fail(.invalidArgument) }
    return unsafe PreferencesOrigin(identifier: identifier).map {
        unsafe OpaquePointer(ClientObject.retained(PreferencesSession($0)))
    }
}

@_cdecl("SCPreferencesCopyKeyList")
public func SCPreferencesCopyKeyList(_ prefs: OpaquePointer?) -> OpaquePointer? {
    guard let tree = unsafe tree(prefs), let foundation = LoadedFoundation.required else { return nil }
    return unsafe foundation.returned(foundation.keys(of: tree.root))
}

@_cdecl("SCPreferencesGetValue")
public func SCPreferencesGetValue(_ prefs: OpaquePointer?, _ key: OpaquePointer?) -> OpaquePointer? {
    guard let tree = unsafe tree(prefs), let foundation = LoadedFoundation.required else { return nil }
    guard let key = unsafe foundation.text(key) else { return unsafe LegacyStatus.fail(.invalidArgument) }
    return unsafe foundation.member(key, of: tree.root.pointer).map(OpaquePointer.init) ?? LegacyStatus.fail(.noKey)
}

@_cdecl("SCPreferencesPathGetValue")
public func SCPreferencesPathGetValue(_ prefs: OpaquePointer?, _ path: OpaquePointer?) -> OpaquePointer? {
    guard let tree = unsafe tree(prefs), let foundation = LoadedFoundation.required else { return nil }
    guard let path = unsafe foundation.text(path) else { return unsafe LegacyStatus.fail(.invalidArgument) }
    let found = unsafe PreferencesSession.find(
        path, in: tree.root.pointer, member: { unsafe foundation.member($1, of: $0) },
        text: { unsafe foundation.text(OpaquePointer($0)) })
    guard let found = unsafe found else { return nil }
    return unsafe foundation.has(found, "CFDictionary") ? OpaquePointer(found) : LegacyStatus.fail(.noKey)
}

@_cdecl("SCPreferencesGetSignature")
public func SCPreferencesGetSignature(_ prefs: OpaquePointer?) -> OpaquePointer? {
    unsafe tree(prefs).map { unsafe OpaquePointer($0.signature.pointer) }
}

@_cdecl("SCPreferencesSynchronize")
public func SCPreferencesSynchronize(_ prefs: OpaquePointer?) { unsafe preferences(prefs)?.synchronize() }

@_cdecl("SCPreferencesSetCallback")
public func SCPreferencesSetCallback(
    _ prefs: OpaquePointer?, _ callout: SCPreferencesCallBack?, _ context: UnsafeMutablePointer<SCPreferencesContext>?
) -> Bool {
    guard let session = unsafe preferences(prefs) else { return false }
    let box = unsafe context.map {
        unsafe ContextBox(retaining: $0.pointee.info, retain: $0.pointee.retain, release: $0.pointee.release)
    }
    session.setCallback { owner in
        // kSCPreferencesNotificationCommit and kSCPreferencesNotificationApply
        unsafe callout?(OpaquePointer(Unmanaged.passUnretained(owner).toOpaque()), 3, box?.info)
    }
    return true
}

@_cdecl("SCPreferencesScheduleWithRunLoop")
public func SCPreferencesScheduleWithRunLoop(
    _ prefs: OpaquePointer?, _ runLoop: OpaquePointer?, _ runLoopMode: OpaquePointer?
) -> Bool {
    guard let session = unsafe preferences(prefs), let system = LoadedRunLoops.shared else { return false }
    return unsafe session.schedule(in: system.pair(runLoop, runLoopMode), of: system)
}

@_cdecl("SCPreferencesUnscheduleFromRunLoop")
public func SCPreferencesUnscheduleFromRunLoop(
    _ prefs: OpaquePointer?, _ runLoop: OpaquePointer?, _ runLoopMode: OpaquePointer?
) -> Bool {
    guard let session = unsafe preferences(prefs), let system = LoadedRunLoops.shared else { return false }
    return unsafe session.unschedule(from: system.pair(runLoop, runLoopMode), of: system)
}

@_cdecl("SCPreferencesSetDispatchQueue")
public func SCPreferencesSetDispatchQueue(_ prefs: OpaquePointer?, _ queue: OpaquePointer?) -> Bool {
    guard let session = unsafe preferences(prefs) else { return false }
    return unsafe schedule(on: queue, session.setQueue)
}

// Preferences cannot be locked or written, as by a process without privileges on Apple's systems.

@_cdecl("SCPreferencesLock")
public func SCPreferencesLock(_ prefs: OpaquePointer?, _ wait: Bool) -> Bool { refused() }

@_cdecl("SCPreferencesUnlock")
public func SCPreferencesUnlock(_ prefs: OpaquePointer?) -> Bool { refused() }

@_cdecl("SCPreferencesCommitChanges")
public func SCPreferencesCommitChanges(_ prefs: OpaquePointer?) -> Bool { refused() }

@_cdecl("SCPreferencesApplyChanges")
public func SCPreferencesApplyChanges(_ prefs: OpaquePointer?) -> Bool { refused() }

@_cdecl("SCPreferencesAddValue")
public func SCPreferencesAddValue(
    _ prefs: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?
) -> Bool { refused() }

@_cdecl("SCPreferencesSetValue")
public func SCPreferencesSetValue(
    _ prefs: OpaquePointer?, _ key: OpaquePointer?, _ value: OpaquePointer?
) -> Bool { refused() }

@_cdecl("SCPreferencesRemoveValue")
public func SCPreferencesRemoveValue(_ prefs: OpaquePointer?, _ key: OpaquePointer?) -> Bool { refused() }

@_cdecl("SCPreferencesPathSetValue")
public func SCPreferencesPathSetValue(
    _ prefs: OpaquePointer?, _ path: OpaquePointer?, _ value: OpaquePointer?
) -> Bool { refused() }

@_cdecl("SCPreferencesPathSetLink")
public func SCPreferencesPathSetLink(
    _ prefs: OpaquePointer?, _ path: OpaquePointer?, _ link: OpaquePointer?
) -> Bool { refused() }

@_cdecl("SCPreferencesPathRemoveValue")
public func SCPreferencesPathRemoveValue(_ prefs: OpaquePointer?, _ path: OpaquePointer?) -> Bool { refused() }

@_cdecl("SCPreferencesPathCreateUniqueChild")
public func SCPreferencesPathCreateUniqueChild(_ prefs: OpaquePointer?, _ prefix: OpaquePointer?) -> OpaquePointer? {
    unsafe refused() ? prefix : nil
}

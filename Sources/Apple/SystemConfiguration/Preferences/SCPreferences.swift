// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Dispatch
public import Foundation
import ReachabilityKit
import SystemConfigurationCore

/// A session with the preferences of this machine, or with a property list. They can be read and watched, not written.
///
/// The preferences of this machine are those that would lead to its present state: a set, and a service for each interface.
/// A session belongs to the network namespace of the thread that made it. It may be used from any thread.
public final class SCPreferences: NSObject, Sendable {
    /// What CoreFoundation reads. It has to be the first property.
    private let header = registered.header
    private let inside: PreferencesSession

    fileprivate static let registered = RegisteredType("SCPreferences", SCPreferences.self, in: .linked)

    /// Nil, with a status, if this is an object of another class.
    var session: PreferencesSession? { isGenuine(self, Self.registered) ? inside : nil }

    fileprivate init(_ origin: PreferencesOrigin) {
        inside = PreferencesSession(origin)
        super.init()
        inside.belong(to: self)
    }

    /// Nil, with a status, if the machine cannot be asked.
    fileprivate var tree: PreferencesTree? { session?.tree(PreferencesTree.init) }
}

private final class PreferencesTree {
    let root: NSDictionary
    let signature: NSData

    init(_ value: PropertyValue?, _ signature: [UInt8]) {
        root =
            switch value {
            case .data(let bytes):
                (try? unsafe PropertyListSerialization.propertyList(from: Data(bytes), format: nil)) as? NSDictionary
                    ?? [:]
            default: value?.object as? NSDictionary ?? [:]
            }
        self.signature = Data(signature) as NSData
    }
}

/// What `CFGetTypeID` returns for preferences.
public func SCPreferencesGetTypeID() -> CFTypeID { SCPreferences.registered.number }

/// Opens a session.
///
/// - Parameters:
///   - allocator: ignored.
///   - name: a name for the client. It is ignored.
///   - prefsID: nil for the preferences of this machine. Otherwise the path of a property list, in the folder that the
///     environment names (`SCPREFERENCES_DIRECTORY`), or in `/etc/SystemConfiguration`. It need not exist.
/// - Returns: the session. Nil if the path has a part `..`; then `SCError()` is `kSCStatusInvalidArgument`.
public func SCPreferencesCreate(_ allocator: CFAllocator?, _ name: CFString, _ prefsID: CFString?) -> SCPreferences? {
    PreferencesOrigin(identifier: prefsID.map { String(describing: $0) }).map(SCPreferences.init)
}

/// The names of the values at the top, in alphabetical order.
public func SCPreferencesCopyKeyList(_ prefs: SCPreferences) -> CFArray? {
    prefs.tree.map { $0.root.allKeys.compactMap { $0 as? String }.sorted() as NSArray }
}

/// A value at the top, such as ``kSCPrefNetworkServices``. Nil if there is none; then `SCError()` is `kSCStatusNoKey`.
public func SCPreferencesGetValue(_ prefs: SCPreferences, _ key: CFString) -> CFPropertyList? {
    prefs.tree.flatMap { $0.root[key] as AnyObject? ?? LegacyStatus.fail(.noKey) }
}

/// The dictionary at a path, such as `/System/System`. Nil if there is none; then `SCError()` is `kSCStatusNoKey`.
public func SCPreferencesPathGetValue(_ prefs: SCPreferences, _ path: CFString) -> CFDictionary? {
    guard let tree = prefs.tree else { return nil }
    let object = PreferencesSession.find(
        String(describing: path), in: tree.root as Any, member: { ($0 as? NSDictionary)?[$1] },
        text: { $0 as? String })
    return object.flatMap { $0 as? NSDictionary ?? LegacyStatus.fail(.noKey) }
}

/// Bytes that differ if the preferences do.
public func SCPreferencesGetSignature(_ prefs: SCPreferences) -> CFData? { prefs.tree?.signature }

/// Has the next call read the preferences again. Until then, a session sees them as it read them first.
public func SCPreferencesSynchronize(_ prefs: SCPreferences) { prefs.session?.synchronize() }

/// What happened to preferences. On Linux a change is both.
public struct SCPreferencesNotification: OptionSet, Sendable {
    /// The notification as a number.
    public let rawValue: UInt32

    /// Makes a notification from a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// They were saved.
    public static let commit = SCPreferencesNotification(rawValue: 1 << 0)
    /// They are in use.
    public static let apply = SCPreferencesNotification(rawValue: 1 << 1)
}

/// Called when preferences have changed, with the session, what happened, and the context's `info`.
public typealias SCPreferencesCallBack = (SCPreferences, SCPreferencesNotification, UnsafeMutableRawPointer?) -> Void

/// A client's pointer, and the functions that retain and release it. It is the same as for targets.
public typealias SCPreferencesContext = SCNetworkReachabilityContext

/// Sets the callback for changes; nil for none.
///
/// - Returns: true.
@discardableResult
public func SCPreferencesSetCallback(
    _ prefs: SCPreferences, _ callout: SCPreferencesCallBack?, _ context: UnsafeMutablePointer<SCPreferencesContext>?
) -> Bool {
    guard let session = prefs.session else { return false }
    let box = unsafe context.map {
        unsafe ContextBox(retaining: $0.pointee.info, retain: $0.pointee.retain, release: $0.pointee.release)
    }
    // The client allows it to run where it is scheduled.
    nonisolated(unsafe) let run = unsafe callout
    session.setCallback { owner in
        guard let prefs = owner as? SCPreferences else { return }
        unsafe run?(prefs, [.commit, .apply], box?.info)
    }
    return true
}

/// Calls the callback on a run loop. Changes count from this call on.
///
/// - Returns: false if the session is on a dispatch queue (`kSCStatusNotifierActive`).
@discardableResult
public func SCPreferencesScheduleWithRunLoop(
    _ prefs: SCPreferences, _ runLoop: CFRunLoop, _ runLoopMode: some CoreFoundationString
) -> Bool {
    prefs.session?.schedule(in: LoopAndMode(runLoop, runLoopMode.core.rawValue), of: LinkedRunLoops()) ?? false
}

/// Ends that.
///
/// - Returns: false if the session is not scheduled there (`kSCStatusInvalidArgument`).
@discardableResult
public func SCPreferencesUnscheduleFromRunLoop(
    _ prefs: SCPreferences, _ runLoop: CFRunLoop, _ runLoopMode: some CoreFoundationString
) -> Bool {
    prefs.session?.unschedule(from: LoopAndMode(runLoop, runLoopMode.core.rawValue), of: LinkedRunLoops()) ?? false
}

/// Calls the callback on a dispatch queue. Changes count from this call on. Nil ends this.
///
/// - Returns: false if the session is scheduled already (`kSCStatusNotifierActive`), or, for nil, is not on a queue
///   (`kSCStatusInvalidArgument`).
@discardableResult
public func SCPreferencesSetDispatchQueue(_ prefs: SCPreferences, _ queue: DispatchQueue?) -> Bool {
    prefs.session?.setQueue(queue.map { .queue($0) }) ?? false
}

// Preferences cannot be locked or written. These functions return false, and `SCError()` is `kSCStatusAccessError`.

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesLock(_ prefs: SCPreferences, _ wait: Bool) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesUnlock(_ prefs: SCPreferences) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesCommitChanges(_ prefs: SCPreferences) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesApplyChanges(_ prefs: SCPreferences) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesAddValue(
    _ prefs: SCPreferences, _ key: CFString, _ value: CFPropertyList
) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesSetValue(
    _ prefs: SCPreferences, _ key: CFString, _ value: CFPropertyList
) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesRemoveValue(_ prefs: SCPreferences, _ key: CFString) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesPathSetValue(
    _ prefs: SCPreferences, _ path: CFString, _ value: CFDictionary
) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesPathSetLink(_ prefs: SCPreferences, _ path: CFString, _ link: CFString) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCPreferencesPathRemoveValue(_ prefs: SCPreferences, _ path: CFString) -> Bool { refused() }

/// Would make a name for a value at a path. Nil, and `SCError()` is `kSCStatusAccessError`.
public func SCPreferencesPathCreateUniqueChild(_ prefs: SCPreferences, _ prefix: CFString) -> CFString? {
    refused() ? prefix : nil
}

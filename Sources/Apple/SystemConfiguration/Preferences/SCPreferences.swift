// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Foundation
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

/// Returns a value. Stores a status if there is none.
private func found<Value>(_ value: Value?) -> Value? {
    if value == nil { LegacyStatus.last = .noKey }
    return value
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
    prefs.tree.flatMap { found($0.root[key] as AnyObject?) }
}

/// The dictionary at a path, such as `/System/System`. Nil if there is none; then `SCError()` is `kSCStatusNoKey`.
public func SCPreferencesPathGetValue(_ prefs: SCPreferences, _ path: CFString) -> CFDictionary? {
    guard let tree = prefs.tree else { return nil }
    let object = PreferencesSession.find(
        String(describing: path), in: tree.root as Any, member: { ($0 as? NSDictionary)?[$1] },
        text: { $0 as? String })
    return object.flatMap { found($0 as? NSDictionary) }
}

/// Bytes that differ if the preferences do.
public func SCPreferencesGetSignature(_ prefs: SCPreferences) -> CFData? { prefs.tree?.signature }

/// Has the next call read the preferences again. Until then, a session sees them as it read them first.
public func SCPreferencesSynchronize(_ prefs: SCPreferences) { prefs.session?.synchronize() }

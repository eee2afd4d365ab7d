// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Dispatch
public import Foundation
import ReachabilityLinuxSystem
import ReachabilityReferences
import SystemConfigurationCore

/// A session with the dynamic store.
///
/// The values come from the kernel, resolv.conf and systemd, and are always the present ones. Clients cannot change them. A
/// session belongs to the network namespace of the thread that made it. It may be used from any thread. Two sessions are equal
/// only if they are the same object.
public final class SCDynamicStore: NSObject, Sendable {
    /// The header that CoreFoundation reads. It has to be the first property.
    private let header = registered.header
    private let inside: StoreSession

    fileprivate static let registered = RegisteredType("SCDynamicStore", SCDynamicStore.self, in: .linked)

    /// Nil, with a status, if this object is really of another class.
    var session: StoreSession? { isGenuine(self, Self.registered) ? inside : nil }

    fileprivate init(_ session: StoreSession) {
        inside = session
        super.init()
        session.belong(to: self)
    }
}

/// The type of a callback. It is called when values have changed, with the session, their keys, and the context's `info`.
public typealias SCDynamicStoreCallBack = (SCDynamicStore, CFArray, UnsafeMutableRawPointer?) -> Void

/// The context of a session has the same type as that of a target.
public typealias SCDynamicStoreContext = SCNetworkReachabilityContext

/// An option of ``SCDynamicStoreCreateWithOptions(_:_:_:_:_:)``, a Boolean value. It has no effect, as nothing can be written.
public var kSCDynamicStoreUseSessionKeys: CFString { "UseSessionKeys" as NSString }

/// Opens a session.
///
/// - Parameters:
///   - allocator: ignored.
///   - name: a name for the client. It is ignored.
///   - callout: called when watched values have changed.
///   - context: the pointer for the callback. It is copied.
/// - Returns: the session.
public func SCDynamicStoreCreate(
    _ allocator: CFAllocator?, _ name: CFString, _ callout: SCDynamicStoreCallBack?,
    _ context: UnsafeMutablePointer<SCDynamicStoreContext>?
) -> SCDynamicStore? {
    unsafe SCDynamicStoreCreateWithOptions(allocator, name, nil, callout, context)
}

/// Opens a session, with the option ``kSCDynamicStoreUseSessionKeys``.
///
/// - Returns: the session. Nil if an option has the wrong type; `SCError()` is then `kSCStatusInvalidArgument`.
public func SCDynamicStoreCreateWithOptions(
    _ allocator: CFAllocator?, _ name: CFString, _ storeOptions: CFDictionary?, _ callout: SCDynamicStoreCallBack?,
    _ context: UnsafeMutablePointer<SCDynamicStoreContext>?
) -> SCDynamicStore? {
    undisturbed {
        if let option = storeOptions?["UseSessionKeys"], !(option is Bool) {
            return LegacyStatus.fail(.invalidArgument)
        }
        let box = unsafe context.map { unsafe $0.pointee.box }
        // By scheduling the session, the client allows its callback to run there.
        nonisolated(unsafe) let run = unsafe callout
        let deliver: StoreSession.Callout = { owner, keys in
            guard let store = owner as? SCDynamicStore else { return }
            unsafe run?(store, keys as NSArray, box?.info)
        }
        return SCDynamicStore(StoreSession(context: box, callout: unsafe run == nil ? nil : deliver))
    }
}

/// Returns the type that `CFGetTypeID` returns for a session.
public func SCDynamicStoreGetTypeID() -> CFTypeID {
    undisturbed { SCDynamicStore.registered.number }
}

/// The session that a function uses: the client's, or a temporary one.
func session(_ store: SCDynamicStore?) -> StoreSession? {
    if let store { store.session } else { StoreSession() }
}

/// Returns the value of a key.
///
/// - Parameters:
///   - store: the session; nil for a temporary one.
///   - key: the key.
/// - Returns: the value. Nil if there is none; `SCError()` is then `kSCStatusNoKey`.
public func SCDynamicStoreCopyValue(_ store: SCDynamicStore?, _ key: CFString) -> CFPropertyList? {
    undisturbed { session(store)?.value(of: String(describing: key))?.object }
}

/// Returns the keys that match a pattern.
///
/// - Parameters:
///   - store: the session; nil for a temporary one.
///   - pattern: a POSIX extended regular expression (regex(7)) that has to match the whole key.
/// - Returns: the keys. Nil if the pattern is not a regular expression; `SCError()` is then `kSCStatusFailed`.
public func SCDynamicStoreCopyKeyList(_ store: SCDynamicStore?, _ pattern: CFString) -> CFArray? {
    undisturbed { session(store)?.keys(matching: String(describing: pattern)).map { $0 as NSArray } }
}

/// Returns the values of several keys, in a dictionary. A key without a value is left out.
///
/// - Parameters:
///   - store: the session; nil for a temporary one.
///   - keys: keys, or nil.
///   - patterns: patterns of keys, or nil.
/// - Returns: the values. Nil if an element is not a string (`kSCStatusInvalidArgument`) or a pattern is not a regular expression
///   (`kSCStatusFailed`).
public func SCDynamicStoreCopyMultiple(
    _ store: SCDynamicStore?, _ keys: CFArray?, _ patterns: CFArray?
) -> CFDictionary? {
    undisturbed {
        guard let keys = (keys ?? []).strings, let patterns = (patterns ?? []).strings else {
            return LegacyStatus.fail(.invalidArgument)
        }
        return session(store)?.values(of: keys, matching: patterns).map(PropertyValue.dictionary)
    }
}

/// Sets the keys and patterns that the session watches. Changes after this call are reported; the present values are not.
///
/// - Parameters:
///   - store: the session.
///   - keys: keys, or nil.
///   - patterns: patterns of keys, as for ``SCDynamicStoreCopyKeyList(_:_:)``, or nil.
/// - Returns: false if an element is not a string, or a pattern is not a regular expression. `SCError()` is then
///   `kSCStatusInvalidArgument`, and the session watches the same keys as before.
@discardableResult
public func SCDynamicStoreSetNotificationKeys(
    _ store: SCDynamicStore, _ keys: CFArray?, _ patterns: CFArray?
) -> Bool {
    undisturbed {
        guard let keys = (keys ?? []).strings, let patterns = (patterns ?? []).strings else {
            return LegacyStatus.fail(.invalidArgument)
        }
        return store.session?.watch(keys, patterns: patterns) ?? false
    }
}

/// Returns the watched keys whose values have changed since the last call of this function or of the callback.
public func SCDynamicStoreCopyNotifiedKeys(_ store: SCDynamicStore) -> CFArray? {
    undisturbed { store.session.map { $0.takeChangedKeys() as NSArray } }
}

/// Makes a source for a run loop. While the source is in a loop, the callback is called by that loop.
///
/// - Parameters:
///   - allocator: ignored.
///   - store: the session.
///   - order: the order of the source among the others of the loop.
/// - Returns: the source. Nil if the session is on a dispatch queue; `SCError()` is then `kSCStatusNotifierActive`.
public func SCDynamicStoreCreateRunLoopSource(
    _ allocator: CFAllocator?, _ store: SCDynamicStore, _ order: CFIndex
) -> CFRunLoopSource? {
    undisturbed { store.session?.runLoopSource(order: order, of: LinkedRunLoops())?.as(CFRunLoopSource.self) }
}

/// Schedules the callback on a dispatch queue; nil unschedules it.
///
/// - Returns: false if the session is already scheduled (`kSCStatusNotifierActive`) or, for nil, is not on a queue
///   (`kSCStatusInvalidArgument`).
@discardableResult
public func SCDynamicStoreSetDispatchQueue(_ store: SCDynamicStore, _ queue: DispatchQueue?) -> Bool {
    undisturbed { store.session?.setQueue(queue.map { .queue($0) }) ?? false }
}

// Nothing can be written. These functions return false, and `SCError()` is `kSCStatusAccessError`.

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCDynamicStoreAddValue(_ store: SCDynamicStore?, _ key: CFString, _ value: AnyObject) -> Bool {
    refused()
}

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCDynamicStoreAddTemporaryValue(_ store: SCDynamicStore, _ key: CFString, _ value: AnyObject) -> Bool {
    refused()
}

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCDynamicStoreSetValue(_ store: SCDynamicStore?, _ key: CFString, _ value: AnyObject) -> Bool {
    refused()
}

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCDynamicStoreSetMultiple(
    _ store: SCDynamicStore?, _ keysToSet: CFDictionary?, _ keysToRemove: CFArray?, _ keysToNotify: CFArray?
) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCDynamicStoreRemoveValue(_ store: SCDynamicStore?, _ key: CFString) -> Bool { refused() }

/// Refused with `kSCStatusAccessError`.
@discardableResult
public func SCDynamicStoreNotifyValue(_ store: SCDynamicStore?, _ key: CFString) -> Bool { refused() }

// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Dispatch
public import Foundation
import ReachabilityKit
import SystemConfigurationCore

/// Sets the keys and patterns that the session watches. Changes count from this call on; there is no notification of the
/// present values.
///
/// - Parameters:
///   - store: the session.
///   - keys: keys, or nil.
///   - patterns: patterns of keys, as for ``SCDynamicStoreCopyKeyList(_:_:)``, or nil.
/// - Returns: false if an element is no string, or a pattern no regular expression. Then `SCError()` is
///   `kSCStatusInvalidArgument`, and the session watches what it watched before.
@discardableResult
public func SCDynamicStoreSetNotificationKeys(
    _ store: SCDynamicStore, _ keys: CFArray?, _ patterns: CFArray?
) -> Bool {
    guard let keys = (keys ?? []).strings, let patterns = (patterns ?? []).strings else {
        LegacyStatus.last = .invalidArgument
        return false
    }
    return store.session?.watch(keys, patterns: patterns) ?? false
}

/// Returns the watched keys whose values have changed since the last call, or since the callback was called.
public func SCDynamicStoreCopyNotifiedKeys(_ store: SCDynamicStore) -> CFArray? {
    store.session.map { $0.takeChangedKeys() as NSArray }
}

/// Makes a source for a run loop. While it is in one, the callback is called there.
///
/// - Parameters:
///   - allocator: ignored.
///   - store: the session.
///   - order: the order of the source among others in a loop.
/// - Returns: the source. Nil if the session is on a dispatch queue; then `SCError()` is `kSCStatusNotifierActive`.
public func SCDynamicStoreCreateRunLoopSource(
    _ allocator: CFAllocator?, _ store: SCDynamicStore, _ order: CFIndex
) -> CFRunLoopSource? {
    store.session?.runLoopSource(order: order, of: LinkedRunLoops())?.as(CFRunLoopSource.self)
}

/// Calls the callback on a dispatch queue. Nil ends this.
///
/// - Returns: false if the session is scheduled already (`kSCStatusNotifierActive`), or, for nil, is not on a queue
///   (`kSCStatusInvalidArgument`).
@discardableResult
public func SCDynamicStoreSetDispatchQueue(_ store: SCDynamicStore, _ queue: DispatchQueue?) -> Bool {
    store.session?.setQueue(queue.map { .queue($0) }) ?? false
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemConfiguration

/// Watches for tunnels by patterns of keys, on a run loop.
public final class VPNWatcher {
    /// The keys of each call.
    public private(set) var changes: [[String]] = []
    private var source: CFRunLoopSource?
    private var store: SCDynamicStore?

    /// Makes a watcher that does nothing yet.
    public init() {}

    /// Starts watching on the run loop of the calling thread.
    public func start(_ name: String) -> Bool {
        var context = SCDynamicStoreContext()
        context.info = UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
        store = SCDynamicStoreCreate(
            kCFAllocatorDefault, name as CFString,
            { (_, changedKeys, info) in
                let watcher = Unmanaged<VPNWatcher>.fromOpaque(info!).takeUnretainedValue()
                watcher.keysChanged(changedKeys as! [String])
            }, &context)
        guard let store = store else { return false }
        let pattern = SCDynamicStoreKeyCreateNetworkInterfaceEntity(
            nil, kSCDynamicStoreDomainState, "tun[0-9]+" as CFString, kSCEntNetIPv4)
        let services = SCDynamicStoreKeyCreateNetworkServiceEntity(
            nil, kSCDynamicStoreDomainState, kSCCompAnyRegex, kSCEntNetIPv4)
        guard SCDynamicStoreSetNotificationKeys(store, [] as CFArray, [pattern, services] as CFArray),
            let source = SCDynamicStoreCreateRunLoopSource(kCFAllocatorDefault, store, 0)
        else { return false }
        self.source = source
        CFRunLoopAddSource(CFRunLoopGetCurrent(), source, .defaultMode)
        return true
    }

    private func keysChanged(_ keys: [String]) {
        changes.append(keys)
        CFRunLoopStop(CFRunLoopGetCurrent())
    }

    /// The tunnels that have an IPv4 address now.
    public var tunnels: [String] {
        guard
            let keys = SCDynamicStoreCopyKeyList(store, "State:/Network/Interface/tun[0-9]+/IPv4" as CFString)
                as? [String]
        else { return [] }
        return keys.compactMap { $0.components(separatedBy: "/").dropLast().last }
    }

    /// Ends it, on the same thread.
    public func stop() {
        if let source = source { CFRunLoopRemoveSource(CFRunLoopGetCurrent(), source, .defaultMode) }
        source = nil
        store = nil
    }
}

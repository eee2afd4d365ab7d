// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemConfiguration

/// Follows the interface of the default route, with a dispatch queue, as in Apple's documentation of SCDynamicStore.
public final class PrimaryInterfaceMonitor {
    private var store: SCDynamicStore?
    private let queue: DispatchQueue
    private let handler: (String?, String?) -> Void

    private static let keys = [
        SCDynamicStoreKeyCreateNetworkGlobalEntity(nil, kSCDynamicStoreDomainState, kSCEntNetIPv4) as String,
        SCDynamicStoreKeyCreateNetworkGlobalEntity(nil, kSCDynamicStoreDomainState, kSCEntNetIPv6) as String,
    ]

    /// Starts following.
    public init?(queue: DispatchQueue, handler: @escaping (String?, String?) -> Void) {
        self.queue = queue
        self.handler = handler
        var context = SCDynamicStoreContext(
            version: 0, info: nil, retain: nil, release: nil, copyDescription: nil)
        context.info = Unmanaged.passUnretained(self).toOpaque()
        let callback: SCDynamicStoreCallBack = { store, changedKeys, info in
            guard let info = info, let keys = changedKeys as? [String], !keys.isEmpty else { return }
            Unmanaged<PrimaryInterfaceMonitor>.fromOpaque(info).takeUnretainedValue().report()
        }
        guard
            let store = SCDynamicStoreCreate(
                kCFAllocatorDefault, "PrimaryInterfaceMonitor" as CFString, callback, &context),
            SCDynamicStoreSetNotificationKeys(store, Self.keys as CFArray, nil),
            SCDynamicStoreSetDispatchQueue(store, queue)
        else {
            print("no store: \(String(cString: SCErrorString(SCError())))")
            return nil
        }
        self.store = store
    }

    /// The name of the interface, and the address of the router.
    public var current: (interface: String?, router: String?) {
        guard let value = SCDynamicStoreCopyValue(store, Self.keys[0] as CFString) as? [String: Any] else {
            return (nil, nil)
        }
        return (
            value[kSCDynamicStorePropNetPrimaryInterface as String] as? String,
            value[kSCPropNetIPv4Router as String] as? String
        )
    }

    /// The same name and the keys beside it, as programs ask for them that know `AnyObject` to answer a subscript.
    public static var unconverted: (interface: String?, keys: [String]) {
        let key = SCDynamicStoreKeyCreateNetworkGlobalEntity(nil, kSCDynamicStoreDomainState, kSCEntNetIPv4)
        let name =
            SCDynamicStoreCopyValue(nil, "State:/Network/Global/IPv4" as CFString)?["PrimaryInterface"] as? String
        guard let value = SCDynamicStoreCopyValue(nil, key), let keys = value.allKeys as? [String] else {
            return (name, [])
        }
        let object: AnyObject = value
        // Takes any object, and is refused.
        _ = SCDynamicStoreSetValue(nil, key, object)
        return (value["PrimaryInterface"] as? String, keys)
    }

    private func report() {
        let (interface, router) = current
        handler(interface, router)
    }

    /// Ends it.
    public func stop() {
        if let store = store { SCDynamicStoreSetDispatchQueue(store, nil) }
        store = nil
    }
}

// SPDX-License-Identifier: Apache-2.0
//
// Watches the primary network interface through the dynamic store.
//
// Usage:    01_primary_monitor [max-changes]        (default: run until killed)
// Expected: primary=en0 router=192.0.2.1 addresses=192.0.2.10
//           (en0 stands for whatever the only Ethernet interface is called)
// When the address is removed or the cable is pulled:
//           changed: State:/Network/Global/IPv4
//           no primary interface
// and when it comes back, "changed: ..." and the first line again.

import Foundation
import SystemConfiguration

setvbuf(stdout, nil, _IOLBF, 0)

class PrimaryMonitor {
    private let key: CFString
    private var store: SCDynamicStore!
    private var remaining: Int

    init(maxChanges: Int) {
        remaining = maxChanges
        key = SCDynamicStoreKeyCreateNetworkGlobalEntity(
            nil,
            kSCDynamicStoreDomainState,
            kSCEntNetIPv4)

        var context = SCDynamicStoreContext(
            version: 0,
            info: Unmanaged.passUnretained(self).toOpaque(),
            retain: nil,
            release: nil,
            copyDescription: nil)

        let callback: SCDynamicStoreCallBack = { (_, changedKeys, info) in
            guard let info = info else { return }
            let monitor = Unmanaged<PrimaryMonitor>.fromOpaque(info).takeUnretainedValue()
            monitor.storeChanged(keys: changedKeys as! [String])
        }

        guard let store = SCDynamicStoreCreate(kCFAllocatorDefault, "PrimaryMonitor" as CFString, callback, &context)
        else {
            fatalError("SCDynamicStoreCreate: \(String(cString: SCErrorString(SCError())))")
        }
        self.store = store
    }

    func start() {
        guard SCDynamicStoreSetNotificationKeys(store, [key] as CFArray, nil) else {
            fatalError("SCDynamicStoreSetNotificationKeys: \(String(cString: SCErrorString(SCError())))")
        }
        guard let source = SCDynamicStoreCreateRunLoopSource(nil, store, 0) else {
            fatalError("no run loop source")
        }
        CFRunLoopAddSource(CFRunLoopGetCurrent(), source, .defaultMode)
        report()
    }

    private func storeChanged(keys: [String]) {
        for key in keys {
            print("changed: \(key)")
        }
        report()
        remaining -= 1
        if remaining == 0 {
            CFRunLoopStop(CFRunLoopGetCurrent())
        }
    }

    private func report() {
        guard let dict = SCDynamicStoreCopyValue(store, key) as? [String: Any],
            let primary = dict[kSCDynamicStorePropNetPrimaryInterface as String] as? String
        else {
            print("no primary interface")
            return
        }
        let router = dict[kSCPropNetIPv4Router as String] as? String ?? "none"
        print("primary=\(primary) router=\(router) addresses=\(addresses(of: primary).joined(separator: ","))")
    }

    private func addresses(of interface: String) -> [String] {
        let ifKey = SCDynamicStoreKeyCreateNetworkInterfaceEntity(
            nil, kSCDynamicStoreDomainState,
            interface as CFString, kSCEntNetIPv4)
        let dict = SCDynamicStoreCopyValue(store, ifKey) as? NSDictionary
        return dict?[kSCPropNetIPv4Addresses] as? [String] ?? []
    }
}

let limit = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 0 : 0
let monitor = PrimaryMonitor(maxChanges: limit)
monitor.start()
CFRunLoopRun()
print("done")

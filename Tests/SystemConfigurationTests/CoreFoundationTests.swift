// SPDX-License-Identifier: Apache-2.0

import LegacyIdioms5
import LegacyIdioms6
import SystemConfiguration
import TestTopology
import Testing

/// What CoreFoundation's functions do with this module's objects: Foundation's strings, targets, sessions and interfaces.
@Suite("CoreFoundation")
struct CoreFoundationTests {
    @Test("reads preferences by names that are Foundation's strings")
    func preferences() {
        #expect(LegacyIdioms5.CoreFoundationImports.none() == nil)
        #expect(LegacyIdioms6.CoreFoundationImports.none() == nil)
    }

    @Test("takes targets, sessions and interfaces for its own objects", .needs(.namespaces, .settings))
    func objects() throws {
        let topology = try Machine.wired()
        #expect(topology.run { LegacyIdioms5.CoreFoundationObjects.surprises() } == [])
        #expect(topology.run { LegacyIdioms6.CoreFoundationObjects.surprises() } == [])
    }

    @Test("releases them as often as it retains them")
    func lifetime() {
        weak var target: SCNetworkReachability?
        do {
            let held = SCNetworkReachabilityCreateWithName(nil, "127.0.0.1")
            target = held
            var callbacks = kCFTypeArrayCallBacks
            let array = CFArrayCreateMutable(nil, 0, &callbacks)
            CFArrayAppendValue(array, Unmanaged.passUnretained(held!).toOpaque())
            #expect(target != nil)
        }
        #expect(target == nil)
    }

    /// As `unsafeBitCast` does.
    private func pass<Object: AnyObject>(_ object: AnyObject, as type: Object.Type) -> Object {
        Unmanaged.fromOpaque(Unmanaged.passUnretained(object).toOpaque()).takeUnretainedValue()
    }

    @Test("lets other objects pass for them, and the functions refuse these")
    func foreignObjects() {
        for object: AnyObject in [
            "text" as CFString, NSObject(), kCFRunLoopDefaultMode!, SCDynamicStoreGetTypeID() as CFNumber,
        ] {
            let target = pass(object, as: SCNetworkReachability.self)
            let store = pass(object, as: SCDynamicStore.self)
            let interface = pass(object, as: SCNetworkInterface.self)
            var flags = SCNetworkReachabilityFlags()
            for (name, call) in [
                ("flags", { !SCNetworkReachabilityGetFlags(target, &flags) }),
                ("index", { SCNetworkReachabilityGetInterfaceIndex(target) == -1 }),
                ("callback", { !SCNetworkReachabilitySetCallback(target, nil, nil) }),
                ("queue", { !SCNetworkReachabilitySetDispatchQueue(target, .main) }),
                (
                    "loop",
                    { !SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), kCFRunLoopDefaultMode) }
                ),
                ("value", { SCDynamicStoreCopyValue(store, "State:/Network/Interface" as CFString) == nil }),
                ("keys", { SCDynamicStoreCopyKeyList(store, ".*" as CFString) == nil }),
                ("source", { SCDynamicStoreCreateRunLoopSource(nil, store, 0) == nil }),
                ("watched", { !SCDynamicStoreSetNotificationKeys(store, [] as CFArray, nil) }),
                ("notified", { SCDynamicStoreCopyNotifiedKeys(store) == nil }),
                ("proxies", { SCDynamicStoreCopyProxies(store) == nil }),
                ("interface", { SCNetworkInterfaceGetBSDName(interface) == nil }),
                ("protocols", { SCNetworkInterfaceGetSupportedProtocolTypes(interface) == nil }),
            ] as [(String, () -> Bool)] {
                SCDynamicStoreRemoveValue(nil, "" as CFString)
                #expect(call(), "\(name) of \(object)")
                #expect(SCError() == kSCStatusInvalidArgument, "\(name) of \(object)")
            }
        }
    }
}

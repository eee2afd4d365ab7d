// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemConfiguration
import TestTopology
import Testing

@Suite("The store's functions", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct StoreCallTests {
    private let topology: Machine

    init() throws {
        topology = try Machine()
    }

    private func store(
        _ callout: SCDynamicStoreCallBack? = nil, _ context: UnsafeMutablePointer<SCDynamicStoreContext>? = nil
    ) throws -> SCDynamicStore {
        try #require(topology.run { SCDynamicStoreCreate(nil, "test" as CFString, callout, context) })
    }

    @Test("compose keys as Apple's do")
    func keys() {
        let state = kSCDynamicStoreDomainState
        let expected: [(CFString, String)] = [
            (SCDynamicStoreKeyCreateNetworkGlobalEntity(nil, state, kSCEntNetDNS), "State:/Network/Global/DNS"),
            (SCDynamicStoreKeyCreateNetworkInterface(nil, state), "State:/Network/Interface"),
            (
                SCDynamicStoreKeyCreateNetworkInterfaceEntity(nil, state, "en0" as CFString, kSCEntNetLink),
                "State:/Network/Interface/en0/Link"
            ),
            (
                SCDynamicStoreKeyCreateNetworkInterfaceEntity(nil, state, "en0" as CFString, nil),
                "State:/Network/Interface/en0"
            ),
            (
                SCDynamicStoreKeyCreateNetworkServiceEntity(nil, state, kSCCompAnyRegex, kSCEntNetIPv4),
                "State:/Network/Service/[^/]+/IPv4"
            ),
            (SCDynamicStoreKeyCreateComputerName(nil), "Setup:/System"),
            (SCDynamicStoreKeyCreateConsoleUser(nil), "State:/Users/ConsoleUser"),
            (SCDynamicStoreKeyCreateHostNames(nil), "Setup:/Network/HostNames"),
            (SCDynamicStoreKeyCreateLocation(nil), "Setup:"),
            (SCDynamicStoreKeyCreateProxies(nil), "State:/Network/Global/Proxies"),
        ]
        for (key, text) in expected { #expect(key as String == text) }
    }

    @Test("retain the context once, and release it with the session")
    func context() throws {
        final class Counts: Sendable { let retained = Counter(), released = Counter() }
        let counts = Counts()
        var context = SCDynamicStoreContext()
        context.info = Unmanaged.passUnretained(counts).toOpaque()
        context.retain = { info in
            Unmanaged<Counts>.fromOpaque(info).takeUnretainedValue().retained.increment()
            return info
        }
        context.release = { info in Unmanaged<Counts>.fromOpaque(info).takeUnretainedValue().released.increment() }
        for callout in [nil, { (_, _, _) in } as SCDynamicStoreCallBack] {
            let store = try store(callout, &context)
            #expect(counts.retained.value == counts.released.value + 1)
            withExtendedLifetime(store) {}
        }
        #expect(counts.retained.value == 2)
        #expect(counts.released.value == 2)
    }

    @Test("refuse to write", arguments: ["com.example.key", "State:/Network/Global/IPv4", "Setup:", ""])
    func writing(_ key: String) throws {
        let (store, key, value) = (try store(), key as NSString, "value" as NSString)
        for attempt in [
            { SCDynamicStoreAddValue(store, key, value) }, { SCDynamicStoreAddTemporaryValue(store, key, value) },
            { SCDynamicStoreSetValue(nil, key, value) }, { SCDynamicStoreSetMultiple(store, [key: value], nil, nil) },
            { SCDynamicStoreSetMultiple(store, nil, [key], [key]) }, { SCDynamicStoreRemoveValue(store, key) },
            { SCDynamicStoreNotifyValue(store, key) },
        ] {
            #expect(isRefused(SCDynamicStoreCopyMultiple(store, [1] as CFArray, nil) != nil))
            #expect(!attempt())
            #expect(SCError() == Int32(kSCStatusAccessError))
        }
        #expect(topology.run { SCDynamicStoreCopyValue(store, key) } == nil)
    }

    @Test("refuse an option of the wrong type")
    func options() {
        let options = [kSCDynamicStoreUseSessionKeys: "not a truth value"] as NSDictionary
        #expect(isRefused(SCDynamicStoreCreateWithOptions(nil, "test" as CFString, options, nil, nil) != nil))
        let valid = [kSCDynamicStoreUseSessionKeys: true] as NSDictionary
        #expect(SCDynamicStoreCreateWithOptions(nil, "test" as CFString, valid, nil, nil) != nil)
    }

    @Test("give the same source while it is in a run loop, and call there")
    func source() throws {
        let calls = ReceivedValues<[String]>()
        let key = "State:/Network/Interface"
        let store = try store { _, keys, _ in calls.record(keys as! [String]) }
        #expect(SCDynamicStoreSetNotificationKeys(store, [key] as CFArray, nil))
        let thread = try LoopThread()
        defer { thread.stop() }
        let source = try #require(SCDynamicStoreCreateRunLoopSource(nil, store, 0))
        // A change before the source is scheduled is told then.
        try topology.ip("link add br0 type bridge")
        CFRunLoopAddSource(thread.loop, source, kCFRunLoopDefaultMode)
        #expect(try calls.next() == [key])
        #expect(SCDynamicStoreCreateRunLoopSource(nil, store, 0) === source)
        #expect(!SCDynamicStoreSetDispatchQueue(store, calls.queue))
        #expect(SCError() == Int32(kSCStatusNotifierActive))
        try topology.ip("link add br1 type bridge")
        #expect(try calls.next() == [key])
        CFRunLoopSourceInvalidate(source)
        #expect(SCDynamicStoreSetDispatchQueue(store, calls.queue))
        #expect(SCDynamicStoreCreateRunLoopSource(nil, store, 0) == nil)
        #expect(SCError() == Int32(kSCStatusNotifierActive))
        try topology.ip("link del br0")
        #expect(try calls.next() == [key])
        #expect(SCDynamicStoreSetDispatchQueue(store, nil))
        #expect(SCDynamicStoreCopyNotifiedKeys(store) as? [String] == [])
    }

    @Test("call one at a time, though several run loops wait")
    func severalLoops() throws {
        try topology.wire("eth0", address: "10.0.0.1/24")
        let slow = SlowClient<[String]>()
        let keys = ["State:/Network/Interface", "State:/Network/Interface/eth0/IPv4"]
        let store = try store { _, keys, _ in slow.call(keys as! [String]) }
        #expect(SCDynamicStoreSetNotificationKeys(store, keys as CFArray, nil))
        let threads = [try LoopThread(), try LoopThread()]
        defer { for thread in threads { thread.stop() } }
        let source = try #require(SCDynamicStoreCreateRunLoopSource(nil, store, 0))
        for thread in threads {
            CFRunLoopAddSource(thread.loop, source, kCFRunLoopDefaultMode)
            try thread.pass()
        }
        // Told of each change after the slow client.
        let fence = ReceivedValues<[String]>()
        let other = try self.store { _, keys, _ in fence.record(keys as! [String]) }
        #expect(SCDynamicStoreSetNotificationKeys(other, keys as CFArray, nil))
        #expect(SCDynamicStoreSetDispatchQueue(other, fence.queue))
        defer { SCDynamicStoreSetDispatchQueue(other, nil) }
        try topology.ip("link add br0 type bridge")
        try slow.waitForFirstCall()
        _ = try fence.next()
        for address in ["10.0.0.2/24", "10.0.0.3/24"] {
            try topology.ip("address add \(address) dev eth0")
            _ = try fence.next()
        }
        try slow.release()
        #expect(try slow.values.next(2) == [[keys[0]], [keys[1]]])
        #expect(slow.callsAtATime == 1)
        CFRunLoopSourceInvalidate(source)
    }

    @Test("free a session when its source has left the run loop")
    func lifetime() throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        weak var weakStore: SCDynamicStore?
        var source: CFRunLoopSource?
        do {
            let store = try store { _, _, _ in }
            weakStore = store
            source = SCDynamicStoreCreateRunLoopSource(nil, store, 0)
        }
        // The source holds it.
        #expect(weakStore != nil)
        CFRunLoopAddSource(thread.loop, source, kCFRunLoopDefaultMode)
        CFRunLoopRemoveSource(thread.loop, source, kCFRunLoopDefaultMode)
        source = nil
        try thread.pass()
        #expect(weakStore == nil)
    }

    @Test("list interfaces")
    func interfaces() throws {
        try topology.wire("eth0", address: "10.0.0.1/24")
        try topology.ip("link set eth0 address 02:00:00:00:00:10")
        try topology.ip("link add br0 type bridge")
        let interfaces = try #require(topology.run { SCNetworkInterfaceCopyAll() } as? [SCNetworkInterface])
        let names = interfaces.compactMap { SCNetworkInterfaceGetBSDName($0) as String? }
        #expect(Set(names) == ["eth0", "eth0-peer", "br0"])
        #expect(names.last == "br0")
        let wire = try #require(interfaces.first { SCNetworkInterfaceGetBSDName($0) == "eth0" })
        #expect(SCNetworkInterfaceGetInterfaceType(wire) == kSCNetworkInterfaceTypeEthernet)
        #expect(SCNetworkInterfaceGetHardwareAddressString(wire) as String? == "02:00:00:00:00:10")
        #expect(SCNetworkInterfaceGetLocalizedDisplayName(wire) as String? == "Ethernet (eth0)")
        #expect(
            (SCNetworkInterfaceGetSupportedProtocolTypes(wire) as? [String])?.contains(
                kSCNetworkProtocolTypeIPv6 as String) == true)
        #expect(!SCNetworkInterfaceForceConfigurationRefresh(wire))
        #expect(SCError() == Int32(kSCStatusAccessError))
        #expect(topology.run { CNCopySupportedInterfaces() } == nil)
        #expect(topology.run { SCError() } == Int32(kSCStatusNoKey))
        var (size, least, greatest): (Int32, Int32, Int32) = (0, 0, 0)
        try topology.ip("link set eth0 mtu 1400")
        #expect(topology.run { SCNetworkInterfaceCopyMTU(wire, &size, &least, &greatest) })
        #expect(size == 1400 && least == 68 && greatest == 65535)
        try topology.ip("link del eth0")
        #expect(!topology.run { SCNetworkInterfaceCopyMTU(wire, &size, nil, nil) })
        #expect(topology.run { SCError() } == Int32(kSCStatusNoKey))
        #expect(CNCopyCurrentNetworkInfo("eth0" as CFString) == nil)
    }
}

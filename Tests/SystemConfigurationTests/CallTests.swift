// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import SystemConfiguration
import TestTopology
import Testing

/// The arguments that the functions accept and refuse. The letters A1 to A14 number the rules.
@Suite("The functions", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct CallTests {
    private let queue = DispatchQueue(label: "calls")
    private let topology: Machine

    init() throws {
        topology = try Machine()
    }

    private func target(_ name: String) throws -> SCNetworkReachability {
        try #require(topology.run { SCNetworkReachabilityCreateWithName(nil, name) })
    }

    /// Runs on a new thread, which has no status yet.
    private func onNewThread(_ body: @escaping @Sendable () -> Int32) throws -> Int32 {
        let result = ReceivedValues<Int32>()
        try TestThread("new") { result.record(body()) }.join()
        return try result.next()
    }

    @Test("A1: no name, and an empty one, are refused")
    func names() {
        #expect(isRefused(SCNetworkReachabilityCreateWithName(nil, nil) != nil))
        unsafe #expect(isRefused(SCNetworkReachabilityCreateWithName(nil, "") != nil))
    }

    @Test("A2, A3: no address, a pair of nothing, and another family, are refused")
    func addresses() {
        #expect(isRefused(SCNetworkReachabilityCreateWithAddress(nil, nil) != nil))
        #expect(isRefused(SCNetworkReachabilityCreateWithAddressPair(nil, nil, nil) != nil))
        var unix = sockaddr()
        unix.sa_family = sa_family_t(AF_UNIX)
        #expect(isRefused(SCNetworkReachabilityCreateWithAddress(nil, &unix) != nil))
        #expect(isRefused(SCNetworkReachabilityCreateWithAddressPair(nil, nil, &unix) != nil))
    }

    @Test("A4: a second queue is refused", arguments: ["127.0.0.1", "localhost"])
    func secondQueue(_ name: String) throws {
        let target = try target(name)
        #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
        #expect(isRefused(SCNetworkReachabilitySetDispatchQueue(target, queue)))
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
        #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
    }

    @Test("A5, A7: unscheduling an idle target is refused, and harmless", arguments: ["127.0.0.1", "localhost"])
    func idle(_ name: String) throws {
        let target = try target(name)
        #expect(isRefused(SCNetworkReachabilitySetDispatchQueue(target, nil)))
        #expect(
            isRefused(SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), kCFRunLoopDefaultMode)))
        #expect(SCNetworkReachabilitySetCallback(target, nil, nil))
    }

    @Test("A6: queue and run loop exclude each other", arguments: ["127.0.0.1", "localhost"])
    func mixed(_ name: String) throws {
        let target = try target(name)
        let loop = CFRunLoopGetCurrent()
        #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
        #expect(isRefused(SCNetworkReachabilityScheduleWithRunLoop(target, loop, kCFRunLoopDefaultMode)))
        #expect(!SCNetworkReachabilityUnscheduleFromRunLoop(target, loop, kCFRunLoopDefaultMode))
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
        #expect(SCNetworkReachabilityScheduleWithRunLoop(target, loop, kCFRunLoopDefaultMode))
        #expect(isRefused(SCNetworkReachabilitySetDispatchQueue(target, queue)))
        #expect(isRefused(SCNetworkReachabilitySetDispatchQueue(target, nil)))
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, loop, kCFRunLoopDefaultMode))
    }

    @Test("A8: a loop and mode scheduled twice needs unscheduling twice; one that is not listed is refused")
    func duplicates() throws {
        let target = try target("127.0.0.1")
        let loop = CFRunLoopGetCurrent()
        #expect(SCNetworkReachabilityScheduleWithRunLoop(target, loop, kCFRunLoopDefaultMode))
        #expect(SCNetworkReachabilityScheduleWithRunLoop(target, loop, "kCFRunLoopDefaultMode" as CFString))
        #expect(isRefused(SCNetworkReachabilityUnscheduleFromRunLoop(target, loop, "another" as CFString)))
        #expect(!SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetMain(), "another" as CFString))
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, loop, kCFRunLoopDefaultMode))
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, loop, kCFRunLoopDefaultMode))
        #expect(!SCNetworkReachabilityUnscheduleFromRunLoop(target, loop, kCFRunLoopDefaultMode))
    }

    @Test("no run loop, and no mode, are refused")
    func noLoop() throws {
        let target = try target("127.0.0.1")
        let none: CFString? = nil
        #expect(isRefused(SCNetworkReachabilityScheduleWithRunLoop(target, nil, kCFRunLoopDefaultMode)))
        #expect(!SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetCurrent(), none))
        #expect(!SCNetworkReachabilityUnscheduleFromRunLoop(target, nil, none))
    }

    @Test("A13, A14: success leaves the status alone, and each thread has its own")
    func status() throws {
        #expect(
            try onNewThread {
                guard SCError() == 0, SCNetworkReachabilityCreateWithName(nil, "") == nil else { return Int32(-1) }
                guard let target = SCNetworkReachabilityCreateWithName(nil, "127.0.0.1") else { return Int32(-2) }
                var flags = SCNetworkReachabilityFlags()
                return SCNetworkReachabilityGetFlags(target, &flags) ? SCError() : -3
            } == Int32(kSCStatusInvalidArgument))
        #expect(try onNewThread { SCError() } == 0)
    }

    @Test(
        "N1: literals in all their forms are addresses",
        arguments: [
            ("127.0.0.1", 0x30002), ("127.1", 0x30002), ("0x7f000001", 0x30002), ("017700000001", 0x30002),
            ("127.0.0.1 and more", 0x30002), ("::1", 0x30002), ("::ffff:127.0.0.1", 0x30002),
        ] as [(String, UInt32)])
    func literals(_ text: String, _ expected: UInt32) throws {
        var flags = SCNetworkReachabilityFlags()
        #expect(SCNetworkReachabilityGetFlags(try target(text), &flags))
        #expect(flags.rawValue == expected)
    }

    @Test(
        "an impossible name has no flags",
        arguments: [
            "http://example.org/", "a b", "example.org:80", "x:80", "300.1.1.1", "1.2.3.4.5", "db.example.7",
            "b\u{FC}cher.example", "fe80::1%nosuchlink",
            String(repeating: "a", count: 64) + ".example", ".", "..", String(repeating: "a.", count: 200) + "a",
        ])
    func impossibleNames(_ name: String) throws {
        var flags = SCNetworkReachabilityFlags(rawValue: 0xFFFF)
        #expect(SCNetworkReachabilityGetFlags(try target(name), &flags))
        #expect(flags == [])
    }

    @Test("statuses have Apple's sentences, error numbers the C library's")
    func sentences() {
        #expect(String(cString: SCErrorString(1002)) == "Invalid argument")
        #expect(String(cString: SCErrorString(0)) == "Success!")
        #expect(String(cString: SCErrorString(4001)) == "Network reachability cannot be determined")
        #expect(String(cString: SCErrorString(ENOENT)) == "No such file or directory")
        for status in [Int32.min, -1, 134, 999, 99_999, Int32.max] {
            #expect(String(cString: SCErrorString(status)) == "Unknown error")
        }
    }

    @Test("the last error is an object in this framework's domain")
    func errorObject() {
        _ = SCNetworkReachabilityCreateWithName(nil, "")
        let error = SCCopyLastError()
        #expect(error.domain == kCFErrorDomainSystemConfiguration as String)
        #expect(CFErrorGetCode(error) == kSCStatusInvalidArgument)
        #expect(CFErrorCopyDescription(error) as String? == "Invalid argument")
    }

    @Test("an error of the core says its sentence")
    func coreError() {
        do throws(ReachabilityError) {
            _ = try ReachabilityRef(address: "nowhere")
            Issue.record("it was accepted")
        } catch {
            #expect((error as any Error).localizedDescription == error.description)
        }
    }

    @Test("the numbers are Apple's")
    func numbers() throws {
        #expect(SCNetworkReachabilityFlags.isWWAN.rawValue == 0x40000)
        #expect(SCNetworkReachabilityFlags.connectionAutomatic == .connectionOnTraffic)
        #expect(kSCStatusReachabilityUnknown == 4001)
        #expect(kSCNetworkFlagsIsDirect == 1 << 17)
        #expect(try CFGetTypeID(target("127.0.0.1")) == SCNetworkReachabilityGetTypeID())
        #expect(SCNetworkReachabilityGetTypeID() != SCDynamicStoreGetTypeID())
    }

    @Test("targets are equal only if they are identical")
    func identity() throws {
        let target = try target("127.0.0.1")
        #expect(target == target)
        #expect(try target != self.target("127.0.0.1"))
        #expect(Set([target, target]).count == 1)
    }
}

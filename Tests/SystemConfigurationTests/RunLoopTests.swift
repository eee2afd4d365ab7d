// SPDX-License-Identifier: Apache-2.0

import LegacyIdioms5
import SystemConfiguration
import TestTopology
import Testing

@Suite("A target on run loops", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct RunLoopTests {
    private let network: Machine
    private let calls = Calls()

    init() throws {
        network = try LegacyNetwork.make()
    }

    private func target(_ name: String = LegacyNetwork.target) throws -> SCNetworkReachability {
        let target = try network.reference(name)
        let calls = self.calls
        SCNetworkReachabilitySetCallback(target, { _, flags, _ in calls.record(flags) }, nil)
        return target
    }

    @Test("is called back by a loop, with every spelling of the mode", arguments: RunLoopMonitor.ModeSpelling.allCases)
    func spellings(_ mode: RunLoopMonitor.ModeSpelling) throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        let target = try target()
        #expect(RunLoopMonitor.schedule(target, on: thread.loop, mode))
        try network.set(local: true)
        #expect(try calls.next() == LegacyNetwork.local)
        try network.set(local: false)
        #expect(try calls.next() == [])
        #expect(RunLoopMonitor.unschedule(target, from: thread.loop, mode))
        try network.set(local: true)
        try network.settle()
        try thread.pass()
        #expect(calls.untaken == 0)
    }

    @Test("is called back on the main thread by its loop, as in the example")
    func mainThread() throws {
        let outcome = try network.outcome(of: ["\(BuiltProduct.folder)/run-loop-monitor", "localhost", "1"])
        #expect(outcome == RunningProgram.Outcome(output: "reachable, called on the main thread\n"))
    }

    @Test("is called back once for changes between two passes, with the latest")
    func coalescing() throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        let target = try target()
        SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        let release = try thread.hold()
        for isLocal in [true, false, true] {
            try network.set(local: isLocal)
            try network.settle()
        }
        release.signal()
        #expect(try calls.next() == LegacyNetwork.local)
        try thread.pass()
        #expect(calls.untaken == 0)
        SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
    }

    @Test("on several loops is called back by one that waits")
    func severalLoops() throws {
        let (busy, free) = (try LoopThread(), try LoopThread())
        defer {
            busy.stop()
            free.stop()
        }
        let target = try target()
        for thread in [busy, free] {
            #expect(SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode))
        }
        let release = try busy.hold()
        try network.set(local: true)
        // Only the free loop can have made the call.
        #expect(try calls.next() == LegacyNetwork.local)
        release.signal()
        try busy.pass()
        try free.pass()
        #expect(calls.untaken == 0)

        // After unscheduling from one loop, the other makes the calls.
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, free.loop, kCFRunLoopDefaultMode))
        try network.set(local: false)
        #expect(try calls.next() == [])
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, busy.loop, kCFRunLoopDefaultMode))
        #expect(!SCNetworkReachabilityUnscheduleFromRunLoop(target, busy.loop, kCFRunLoopDefaultMode))
    }

    @Test("scheduled twice on one loop is still called back after unscheduling once")
    func duplicates() throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        let target = try target()
        SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        try network.set(local: true)
        #expect(try calls.next() == LegacyNetwork.local)
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode))
        try network.set(local: false)
        try network.settle()
        try thread.pass()
        #expect(calls.untaken == 0)
    }

    @Test("is called back only while the loop runs one of its modes")
    func modes() throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        let target = try target()
        #expect(SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, "special" as CFString))
        try network.set(local: true)
        try network.settle()
        try thread.pass()
        #expect(calls.untaken == 0)
        thread.perform { CFRunLoopRunInMode(CFStringCreateWithCString(nil, "special", 0x0800_0100), 30, true) }
        #expect(try calls.next() == LegacyNetwork.local)
        SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, "special" as CFString)
    }

    @Test("can be unscheduled in the callback, is freed then, and can be scheduled again")
    func unscheduledInside() throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        weak var gone: SCNetworkReachability?
        let calls = self.calls
        do {
            let target = try network.reference()
            gone = target
            SCNetworkReachabilitySetCallback(
                target,
                { target, flags, _ in
                    SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), kCFRunLoopDefaultMode)
                    calls.record(flags)
                }, nil)
            for isLocal in [true, false] {
                SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
                try network.set(local: isLocal)
                #expect(try calls.next() == (isLocal ? LegacyNetwork.local : []))
            }
        }
        try network.settle()
        try thread.pass()
        #expect(gone == nil)
    }

    @Test("by name gets its first callback, even without flags", arguments: [("localhost", true), ("a b", false)])
    func names(_ name: String, _ isLocal: Bool) throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        let target = try target(name)
        SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        #expect(try calls.next() == (isLocal ? LegacyNetwork.local : []))
        SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
    }
}

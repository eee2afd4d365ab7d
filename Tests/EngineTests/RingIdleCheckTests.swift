// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization
import TestHosts
import TestTopology
import TestWaiting
import Testing

@testable import LinuxSystem

/// A socket to which a test sends, and a check of it.
private final class Wire: Sendable {
    let ringIdleCheck: RingIdleCheck
    /// The test's end, and the one that is watched.
    private let ends: (near: Int32, far: Int32)

    init() throws {
        var ends: [Int32] = [-1, -1]
        unsafe precondition(socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, &ends) == 0)
        self.ends = (ends[0], ends[1])
        ringIdleCheck = RingIdleCheck(ends[1])
    }

    deinit {
        close(ends.near)
        close(ends.far)
    }

    func send() {
        unsafe precondition(Glibc.send(ends.near, "x", 1, Int32(MSG_DONTWAIT)) == 1)
    }

    func empty() {
        var byte: UInt8 = 0
        while unsafe recv(ends.far, &byte, 1, Int32(MSG_DONTWAIT)) == 1 {}
    }
}

/// A thread that may be the owner of a ring.
private final class Owner: Sendable {
    let loop: EventLoop
    private let ringIdleCheck: RingIdleCheck

    init(_ ringIdleCheck: RingIdleCheck) throws {
        loop = try EventLoop(name: "owner")
        self.ringIdleCheck = ringIdleCheck
        ringIdleCheck.join(loop)
    }

    func run(_ body: @escaping @Sendable () -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        loop.enqueue {
            body()
            done.signal()
        }
        try done.wait(for: "the owner")
    }

    func arm() throws { try run { [ringIdleCheck, loop] in ringIdleCheck.arm(on: loop) } }

    func leave() throws {
        try run { [ringIdleCheck, loop] in ringIdleCheck.leave(loop) }
        loop.stop()
    }
}

/// What threads have seen, and when they are to end.
private final class Findings: Sendable {
    let isDone = Atomic(false)
    let overlooked = Atomic(0)
    let idle = Atomic(0)
}

@Suite("A check by io_uring", .timeLimit(.minutes(10)), .needs(.ring))
struct RingIdleCheckTests {
    @Test func `is idle from being armed until something comes`() throws {
        let wire = try Wire()
        let owner = try Owner(wire.ringIdleCheck)
        #expect(!wire.ringIdleCheck.isIdle)
        try owner.arm()
        for _ in 0..<1000 {
            #expect(wire.ringIdleCheck.isIdle)
            wire.send()
            #expect(!wire.ringIdleCheck.isIdle)
            wire.empty()
            #expect(!wire.ringIdleCheck.isIdle)
            try owner.arm()
        }
        #expect(wire.ringIdleCheck.isIdle)
        try owner.leave()
        #expect(!wire.ringIdleCheck.isIdle)
    }

    @Test func `is not armed while anything waits`() throws {
        let wire = try Wire()
        let owner = try Owner(wire.ringIdleCheck)
        wire.send()
        for _ in 0..<3 {
            try owner.arm()
            #expect(!wire.ringIdleCheck.isIdle)
        }
        wire.empty()
        try owner.arm()
        #expect(wire.ringIdleCheck.isIdle)
        try owner.leave()
    }

    @Test func `sees what comes in great number`() throws {
        let wire = try Wire()
        let owner = try Owner(wire.ringIdleCheck)
        for round in 0..<50 {
            try owner.arm()
            #expect(wire.ringIdleCheck.isIdle)
            // No more than the queue holds; each wakes the poll once more.
            for _ in 0..<(round % 10 + 1) { wire.send() }
            #expect(!wire.ringIdleCheck.isIdle)
            wire.empty()
        }
        try owner.leave()
    }

    @Test func `is not idle to a reader while it is armed again, or its owner leaves`() throws {
        let wire = try Wire()
        let owner = try Owner(wire.ringIdleCheck)
        try owner.arm()
        #expect(wire.ringIdleCheck.isIdle(meanwhile: {}))
        wire.send()
        #expect(
            !wire.ringIdleCheck.isIdle {
                wire.empty()
                try? owner.arm()
            })
        #expect(wire.ringIdleCheck.isIdle)
        #expect(!wire.ringIdleCheck.isIdle { try? owner.leave() })
    }

    /// The main test: whatever the owner is doing, what has come and was not received is never overlooked.
    @Test func `never overlooks what has come, while it is armed all the time`() throws {
        let wire = try Wire()
        let owner = try Owner(wire.ringIdleCheck)
        let findings = Findings()
        let rounds = Extent.isFull ? 2_000_000 : 50_000
        let sender = try TestThread("sender") {
            for _ in 0..<rounds {
                if wire.ringIdleCheck.isIdle { findings.idle.wrappingAdd(1, ordering: .relaxed) }
                wire.send()
                if wire.ringIdleCheck.isIdle { findings.overlooked.wrappingAdd(1, ordering: .relaxed) }
                wire.empty()
            }
            findings.isDone.store(true, ordering: .relaxed)
        }
        try WaitLimit.wait(for: "the sender", within: 3600) {
            try owner.arm()
            return findings.isDone.load(ordering: .relaxed)
        }
        try sender.join()
        try owner.leave()
        #expect(findings.overlooked.load(ordering: .relaxed) == 0)
        #expect(findings.idle.load(ordering: .relaxed) > 0)
    }

    @Test func `is armed by its owner after enough misses, and not before`() throws {
        let wire = try Wire()
        wire.ringIdleCheck.missThreshold.store(10, ordering: .relaxed)
        for _ in 0..<100 { wire.ringIdleCheck.recordMiss() }
        let owner = try Owner(wire.ringIdleCheck)
        for round in 1...3 {
            for _ in 0..<9 { wire.ringIdleCheck.recordMiss() }
            try owner.run {}
            #expect(wire.ringIdleCheck.armingCount == round - 1)
            wire.ringIdleCheck.recordMiss()
            try owner.run {}
            #expect(wire.ringIdleCheck.armingCount == round)
            #expect(wire.ringIdleCheck.isIdle)
            wire.send()
            wire.empty()
            #expect(!wire.ringIdleCheck.isIdle)
        }
        try owner.leave()
    }

    @Test func `passes to the next owner when the first leaves`() throws {
        let wire = try Wire()
        wire.ringIdleCheck.missThreshold.store(1, ordering: .relaxed)
        let (first, second) = (try Owner(wire.ringIdleCheck), try Owner(wire.ringIdleCheck))
        try first.arm()
        try second.arm()
        #expect(wire.ringIdleCheck.armingCount == 1, "the second is not the owner yet")
        try first.leave()
        #expect(!wire.ringIdleCheck.isIdle)
        wire.ringIdleCheck.recordMiss()
        try second.run {}
        #expect(wire.ringIdleCheck.isIdle)
        try second.leave()
        wire.ringIdleCheck.recordMiss()
        #expect(!wire.ringIdleCheck.isIdle)
        #expect(wire.ringIdleCheck.armingCount == 2)
    }

    @Test func `may be asked by any thread while owners come and go, and leaves nothing`() async {
        await #expect(processExitsWith: .success) {
            let wire = try Wire()
            let findings = Findings()
            let readers = try (0..<3).map { _ in
                try TestThread("reader") {
                    while !findings.isDone.load(ordering: .relaxed) { _ = wire.ringIdleCheck.isIdle }
                }
            }
            func cycle() throws {
                let owner = try Owner(wire.ringIdleCheck)
                try owner.arm()
                #expect(wire.ringIdleCheck.isIdle)
                try owner.leave()
            }
            try cycle()
            try ProcessState.wait("the first owner is gone") { ProcessState.threads.allSatisfy { $0 != "owner" } }
            let (descriptors, memory) = (ProcessState.descriptors, ProcessState.residentKilobytes)
            for _ in 0..<300 { try cycle() }
            findings.isDone.store(true, ordering: .relaxed)
            for reader in readers { try reader.join() }
            try ProcessState.wait("the descriptors are closed") { ProcessState.descriptors <= descriptors }
            #expect(ProcessState.residentKilobytes - memory < 2048 || Sanitizer.isOn)
        }
    }

    #if DEBUG
        @Test func `is not asked for again of an owner to which the kernel refused it`() async {
            await #expect(processExitsWith: .success) {
                for call in [FaultInjection.Call.ringOpen, .ringEnter] {
                    let wire = try Wire()
                    wire.ringIdleCheck.missThreshold.store(1, ordering: .relaxed)
                    let owner = try Owner(wire.ringIdleCheck)
                    FaultInjection.fail(call, with: .notPermitted)
                    defer { FaultInjection.reset() }
                    for _ in 0..<5 {
                        wire.ringIdleCheck.recordMiss()
                        try owner.run {}
                        #expect(!wire.ringIdleCheck.isIdle)
                    }
                    let next = try Owner(wire.ringIdleCheck)
                    try owner.leave()
                    // Another owner may succeed, as the reason may have passed.
                    wire.ringIdleCheck.recordMiss()
                    try next.run {}
                    #expect(wire.ringIdleCheck.isIdle)
                    #expect(wire.ringIdleCheck.armingCount == 1)
                    try next.leave()
                }
            }
        }
    #endif
}

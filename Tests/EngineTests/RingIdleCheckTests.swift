// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization
import TestHosts
import TestTopology
import TestWaiting
import Testing

@testable import LinuxSystem

/// A check of a socket to which the test sends.
private final class CheckedSocket: Sendable {
    let ringIdleCheck: RingIdleCheck
    /// The test's end, and the checked one.
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

/// A thread with an event loop that can own the ring.
private final class RingThread: Sendable {
    let loop: EventLoop
    private let ringIdleCheck: RingIdleCheck

    init(_ ringIdleCheck: RingIdleCheck) throws {
        loop = try EventLoop(name: "ring")
        self.ringIdleCheck = ringIdleCheck
        ringIdleCheck.join(loop)
    }

    func run(_ body: @escaping @Sendable () -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        loop.enqueue {
            body()
            done.signal()
        }
        try done.wait(for: "the ring's thread")
    }

    func arm() throws { try run { [ringIdleCheck, loop] in ringIdleCheck.arm(on: loop) } }

    func leave() throws {
        try run { [ringIdleCheck, loop] in ringIdleCheck.leave(loop) }
        loop.stop()
    }
}

/// What the threads have seen, and whether they have to end.
private final class Findings: Sendable {
    let isDone = Atomic(false)
    let overlooked = Atomic(0)
    let quiet = Atomic(0)
}

@Suite("The ring's idle check", .timeLimit(.minutes(10)), .needs(.ring))
struct RingIdleCheckTests {
    @Test func `is idle from being armed until something arrives`() throws {
        let socket = try CheckedSocket()
        let owner = try RingThread(socket.ringIdleCheck)
        #expect(!socket.ringIdleCheck.isIdle)
        try owner.arm()
        for _ in 0..<1000 {
            #expect(socket.ringIdleCheck.isIdle)
            socket.send()
            #expect(!socket.ringIdleCheck.isIdle)
            socket.empty()
            #expect(!socket.ringIdleCheck.isIdle)
            try owner.arm()
        }
        #expect(socket.ringIdleCheck.isIdle)
        try owner.leave()
        #expect(!socket.ringIdleCheck.isIdle)
    }

    @Test func `is not armed while anything is queued`() throws {
        let socket = try CheckedSocket()
        let owner = try RingThread(socket.ringIdleCheck)
        socket.send()
        for _ in 0..<3 {
            try owner.arm()
            #expect(!socket.ringIdleCheck.isIdle)
        }
        socket.empty()
        try owner.arm()
        #expect(socket.ringIdleCheck.isIdle)
        try owner.leave()
    }

    @Test func `sees very many messages`() throws {
        let socket = try CheckedSocket()
        let owner = try RingThread(socket.ringIdleCheck)
        for round in 0..<50 {
            try owner.arm()
            #expect(socket.ringIdleCheck.isIdle)
            // No more than the queue holds. Each completes the poll once more.
            for _ in 0..<(round % 10 + 1) { socket.send() }
            #expect(!socket.ringIdleCheck.isIdle)
            socket.empty()
        }
        try owner.leave()
    }

    @Test func `is not idle for a thread that looks while it is armed anew, or while its owner leaves`() throws {
        let socket = try CheckedSocket()
        let owner = try RingThread(socket.ringIdleCheck)
        try owner.arm()
        #expect(socket.ringIdleCheck.isIdle(meanwhile: {}))
        socket.send()
        #expect(
            !socket.ringIdleCheck.isIdle {
                socket.empty()
                try? owner.arm()
            })
        #expect(socket.ringIdleCheck.isIdle)
        #expect(!socket.ringIdleCheck.isIdle { try? owner.leave() })
    }

    /// The essential property: whatever the owner is doing, a message that was not received is never overlooked.
    @Test func `never overlooks a message while it is armed all the time`() throws {
        let socket = try CheckedSocket()
        let owner = try RingThread(socket.ringIdleCheck)
        let findings = Findings()
        let rounds = Extent.isFull ? 2_000_000 : 50_000
        let sender = try TestThread("sender") {
            for _ in 0..<rounds {
                if socket.ringIdleCheck.isIdle { findings.quiet.wrappingAdd(1, ordering: .relaxed) }
                socket.send()
                if socket.ringIdleCheck.isIdle { findings.overlooked.wrappingAdd(1, ordering: .relaxed) }
                socket.empty()
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
        #expect(findings.quiet.load(ordering: .relaxed) > 0)
    }

    @Test func `is armed by its owner when it was missed often enough, and not before`() throws {
        let socket = try CheckedSocket()
        socket.ringIdleCheck.patience.store(10, ordering: .relaxed)
        for _ in 0..<100 { socket.ringIdleCheck.wasMissed() }
        let owner = try RingThread(socket.ringIdleCheck)
        for round in 1...3 {
            for _ in 0..<9 { socket.ringIdleCheck.wasMissed() }
            try owner.run {}
            #expect(socket.ringIdleCheck.armingCount == round - 1)
            socket.ringIdleCheck.wasMissed()
            try owner.run {}
            #expect(socket.ringIdleCheck.armingCount == round)
            #expect(socket.ringIdleCheck.isIdle)
            socket.send()
            socket.empty()
            #expect(!socket.ringIdleCheck.isIdle)
        }
        try owner.leave()
    }

    @Test func `passes to the next owner when the first leaves`() throws {
        let socket = try CheckedSocket()
        socket.ringIdleCheck.patience.store(1, ordering: .relaxed)
        let (first, second) = (try RingThread(socket.ringIdleCheck), try RingThread(socket.ringIdleCheck))
        try first.arm()
        try second.arm()
        #expect(socket.ringIdleCheck.armingCount == 1, "the second is not the owner yet")
        try first.leave()
        #expect(!socket.ringIdleCheck.isIdle)
        socket.ringIdleCheck.wasMissed()
        try second.run {}
        #expect(socket.ringIdleCheck.isIdle)
        try second.leave()
        socket.ringIdleCheck.wasMissed()
        #expect(!socket.ringIdleCheck.isIdle)
        #expect(socket.ringIdleCheck.armingCount == 2)
    }

    @Test func `may be asked by any thread while owners come and go, and leaves nothing`() async {
        await #expect(processExitsWith: .success) {
            let socket = try CheckedSocket()
            let findings = Findings()
            let readers = try (0..<3).map { _ in
                try TestThread("reader") {
                    while !findings.isDone.load(ordering: .relaxed) { _ = socket.ringIdleCheck.isIdle }
                }
            }
            func cycle() throws {
                let owner = try RingThread(socket.ringIdleCheck)
                try owner.arm()
                #expect(socket.ringIdleCheck.isIdle)
                try owner.leave()
            }
            try cycle()
            try ProcessState.wait("the first owner is gone") { ProcessState.threads.allSatisfy { $0 != "ring" } }
            let (descriptors, memory) = (ProcessState.descriptors, ProcessState.residentKilobytes)
            for _ in 0..<300 { try cycle() }
            findings.isDone.store(true, ordering: .relaxed)
            for reader in readers { try reader.join() }
            try ProcessState.wait("the descriptors are closed") { ProcessState.descriptors <= descriptors }
            #expect(ProcessState.residentKilobytes - memory < 2048 || Sanitizer.isOn)
        }
    }

    #if DEBUG
        @Test func `is not tried again on a thread to which the kernel refused it`() async {
            await #expect(processExitsWith: .success) {
                for call in [FaultInjection.Call.ringOpen, .ringEnter] {
                    let socket = try CheckedSocket()
                    socket.ringIdleCheck.patience.store(1, ordering: .relaxed)
                    let owner = try RingThread(socket.ringIdleCheck)
                    FaultInjection.fail(call, with: .notPermitted)
                    defer { FaultInjection.reset() }
                    for _ in 0..<5 {
                        socket.ringIdleCheck.wasMissed()
                        try owner.run {}
                        #expect(!socket.ringIdleCheck.isIdle)
                    }
                    let next = try RingThread(socket.ringIdleCheck)
                    try owner.leave()
                    // Another thread may succeed: the reason may have been temporary.
                    socket.ringIdleCheck.wasMissed()
                    try next.run {}
                    #expect(socket.ringIdleCheck.isIdle)
                    #expect(socket.ringIdleCheck.armingCount == 1)
                    try next.leave()
                }
            }
        }
    #endif
}

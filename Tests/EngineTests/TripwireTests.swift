// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization
import TestHosts
import TestTopology
import TestWaiting
import Testing

@testable import LinuxSystem

/// A tripwire on a socket, to which a test sends.
private final class Wire: Sendable {
    let tripwire: Tripwire
    /// The test's end, and the one that is watched.
    private let ends: (near: Int32, far: Int32)

    init() throws {
        var ends: [Int32] = [-1, -1]
        unsafe precondition(socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, &ends) == 0)
        self.ends = (ends[0], ends[1])
        tripwire = Tripwire(ends[1])
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

/// A thread that may be a tripwire's host.
private final class Host: Sendable {
    let loop: EventLoop
    private let tripwire: Tripwire

    init(_ tripwire: Tripwire) throws {
        loop = try EventLoop(name: "host")
        self.tripwire = tripwire
        tripwire.join(loop)
    }

    func run(_ body: @escaping @Sendable () -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        loop.enqueue {
            body()
            done.signal()
        }
        try done.wait(for: "the host")
    }

    func arm() throws { try run { [tripwire, loop] in tripwire.arm(on: loop) } }

    func leave() throws {
        try run { [tripwire, loop] in tripwire.leave(loop) }
        loop.stop()
    }
}

/// What threads have seen, and when they are to end.
private final class Findings: Sendable {
    let isDone = Atomic(false)
    let overlooked = Atomic(0)
    let quiet = Atomic(0)
}

@Suite("A tripwire", .timeLimit(.minutes(10)), .needs(.ring))
struct TripwireTests {
    @Test func `is quiet from being armed until something comes`() throws {
        let wire = try Wire()
        let host = try Host(wire.tripwire)
        #expect(!wire.tripwire.isQuiet)
        try host.arm()
        for _ in 0..<1000 {
            #expect(wire.tripwire.isQuiet)
            wire.send()
            #expect(!wire.tripwire.isQuiet)
            wire.empty()
            #expect(!wire.tripwire.isQuiet)
            try host.arm()
        }
        #expect(wire.tripwire.isQuiet)
        try host.leave()
        #expect(!wire.tripwire.isQuiet)
    }

    @Test func `is not armed while anything waits, whether it tripped it or not`() throws {
        let wire = try Wire()
        let host = try Host(wire.tripwire)
        wire.send()
        for _ in 0..<3 {
            try host.arm()
            #expect(!wire.tripwire.isQuiet)
        }
        wire.empty()
        try host.arm()
        #expect(wire.tripwire.isQuiet)
        try host.leave()
    }

    @Test func `sees what comes in great number`() throws {
        let wire = try Wire()
        let host = try Host(wire.tripwire)
        for round in 0..<50 {
            try host.arm()
            #expect(wire.tripwire.isQuiet)
            // No more than the queue holds; each wakes the poll once more.
            for _ in 0..<(round % 10 + 1) { wire.send() }
            #expect(!wire.tripwire.isQuiet)
            wire.empty()
        }
        try host.leave()
    }

    @Test func `is not quiet to who looks while it is armed anew, or its host leaves`() throws {
        let wire = try Wire()
        let host = try Host(wire.tripwire)
        try host.arm()
        #expect(wire.tripwire.isQuiet(meanwhile: {}))
        wire.send()
        #expect(
            !wire.tripwire.isQuiet {
                wire.empty()
                try? host.arm()
            })
        #expect(wire.tripwire.isQuiet)
        #expect(!wire.tripwire.isQuiet { try? host.leave() })
    }

    /// The heart of it: whatever the host is just doing, what has come and was not received is never overlooked.
    @Test func `never overlooks what has come, while it is armed all the time`() throws {
        let wire = try Wire()
        let host = try Host(wire.tripwire)
        let findings = Findings()
        let rounds = Extent.isFull ? 2_000_000 : 50_000
        let sender = try TestThread("sender") {
            for _ in 0..<rounds {
                if wire.tripwire.isQuiet { findings.quiet.wrappingAdd(1, ordering: .relaxed) }
                wire.send()
                if wire.tripwire.isQuiet { findings.overlooked.wrappingAdd(1, ordering: .relaxed) }
                wire.empty()
            }
            findings.isDone.store(true, ordering: .relaxed)
        }
        try Patience.wait(for: "the sender", within: 3600) {
            try host.arm()
            return findings.isDone.load(ordering: .relaxed)
        }
        try sender.join()
        try host.leave()
        #expect(findings.overlooked.load(ordering: .relaxed) == 0)
        #expect(findings.quiet.load(ordering: .relaxed) > 0)
    }

    @Test func `has its host arm it when it was missed often enough, and not before`() throws {
        let wire = try Wire()
        wire.tripwire.patience.store(10, ordering: .relaxed)
        for _ in 0..<100 { wire.tripwire.wasMissed() }
        let host = try Host(wire.tripwire)
        for round in 1...3 {
            for _ in 0..<9 { wire.tripwire.wasMissed() }
            try host.run {}
            #expect(wire.tripwire.armingCount == round - 1)
            wire.tripwire.wasMissed()
            try host.run {}
            #expect(wire.tripwire.armingCount == round)
            #expect(wire.tripwire.isQuiet)
            wire.send()
            wire.empty()
            #expect(!wire.tripwire.isQuiet)
        }
        try host.leave()
    }

    @Test func `passes to the next host when the first leaves`() throws {
        let wire = try Wire()
        wire.tripwire.patience.store(1, ordering: .relaxed)
        let (first, second) = (try Host(wire.tripwire), try Host(wire.tripwire))
        try first.arm()
        try second.arm()
        #expect(wire.tripwire.armingCount == 1, "the second is not the host yet")
        try first.leave()
        #expect(!wire.tripwire.isQuiet)
        wire.tripwire.wasMissed()
        try second.run {}
        #expect(wire.tripwire.isQuiet)
        try second.leave()
        wire.tripwire.wasMissed()
        #expect(!wire.tripwire.isQuiet)
        #expect(wire.tripwire.armingCount == 2)
    }

    @Test func `may be asked by any thread while hosts come and go, and leaves nothing`() async {
        await #expect(processExitsWith: .success) {
            let wire = try Wire()
            let findings = Findings()
            let readers = try (0..<3).map { _ in
                try TestThread("reader") {
                    while !findings.isDone.load(ordering: .relaxed) { _ = wire.tripwire.isQuiet }
                }
            }
            func cycle() throws {
                let host = try Host(wire.tripwire)
                try host.arm()
                #expect(wire.tripwire.isQuiet)
                try host.leave()
            }
            try cycle()
            try Census.wait("the first host is gone") { Census.threads.allSatisfy { $0 != "host" } }
            let (descriptors, memory) = (Census.descriptors, Census.residentKilobytes)
            for _ in 0..<300 { try cycle() }
            findings.isDone.store(true, ordering: .relaxed)
            for reader in readers { try reader.join() }
            try Census.wait("the descriptors are closed") { Census.descriptors <= descriptors }
            #expect(Census.residentKilobytes - memory < 2048 || Sanitizer.isOn)
        }
    }

    #if DEBUG
        @Test func `is not asked for again of a host to which the kernel refused it`() async {
            await #expect(processExitsWith: .success) {
                for call in [FaultInjection.Call.ringOpen, .ringEnter] {
                    let wire = try Wire()
                    wire.tripwire.patience.store(1, ordering: .relaxed)
                    let host = try Host(wire.tripwire)
                    FaultInjection.fail(call, with: .notPermitted)
                    defer { FaultInjection.reset() }
                    for _ in 0..<5 {
                        wire.tripwire.wasMissed()
                        try host.run {}
                        #expect(!wire.tripwire.isQuiet)
                    }
                    let next = try Host(wire.tripwire)
                    try host.leave()
                    // Another may be luckier: a reason may be one that passes.
                    wire.tripwire.wasMissed()
                    try next.run {}
                    #expect(wire.tripwire.isQuiet)
                    #expect(wire.tripwire.armingCount == 1)
                    try next.leave()
                }
            }
        }
    #endif
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization
import TestHosts
import TestTopology
import Testing

@testable import LinuxSystem

/// A tripwire on two sockets, to which a test sends.
private final class Wires: Sendable {
    let tripwire: Tripwire
    /// For each the test's end, and the one that is watched.
    private let pairs: [(near: Int32, far: Int32)]

    init() throws {
        pairs = (0..<2).map { _ in
            var ends: [Int32] = [-1, -1]
            unsafe precondition(socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, &ends) == 0)
            return (ends[0], ends[1])
        }
        tripwire = Tripwire(pairs[0].far, pairs[1].far)
    }

    deinit {
        for pair in pairs {
            close(pair.near)
            close(pair.far)
        }
    }

    func send(_ wire: Int) {
        unsafe precondition(Glibc.send(pairs[wire].near, "x", 1, Int32(MSG_DONTWAIT)) == 1)
    }

    func empty(_ wire: Int) {
        var byte: UInt8 = 0
        while unsafe recv(pairs[wire].far, &byte, 1, Int32(MSG_DONTWAIT)) == 1 {}
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

    func run(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        loop.enqueue {
            body()
            done.signal()
        }
        done.wait()
    }

    func arm() { run { [tripwire, loop] in tripwire.arm(on: loop) } }

    func leave() {
        run { [tripwire, loop] in tripwire.leave(loop) }
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
    @Test(arguments: [0, 1]) func `is quiet from being armed until something comes to either socket`(wire: Int) throws {
        let wires = try Wires()
        let host = try Host(wires.tripwire)
        #expect(!wires.tripwire.isQuiet)
        host.arm()
        for _ in 0..<1000 {
            #expect(wires.tripwire.isQuiet)
            wires.send(wire)
            #expect(!wires.tripwire.isQuiet)
            wires.empty(wire)
            #expect(!wires.tripwire.isQuiet)
            host.arm()
        }
        #expect(wires.tripwire.isQuiet)
        host.leave()
        #expect(!wires.tripwire.isQuiet)
    }

    @Test(arguments: [0, 1]) func `is not armed while anything waits, whether it tripped it or not`(wire: Int) throws {
        let wires = try Wires()
        let host = try Host(wires.tripwire)
        wires.send(wire)
        for _ in 0..<3 {
            host.arm()
            #expect(!wires.tripwire.isQuiet)
        }
        wires.empty(wire)
        host.arm()
        #expect(wires.tripwire.isQuiet)
        host.leave()
    }

    @Test func `sees what comes in great number`() throws {
        let wires = try Wires()
        let host = try Host(wires.tripwire)
        for round in 0..<50 {
            host.arm()
            #expect(wires.tripwire.isQuiet)
            // No more than the queue holds; each wakes the poll once more.
            for _ in 0..<(round % 10 + 1) { wires.send(0) }
            #expect(!wires.tripwire.isQuiet)
            wires.empty(0)
        }
        host.leave()
    }

    @Test func `is not quiet to who looks while it is armed anew, or its host leaves`() throws {
        let wires = try Wires()
        let host = try Host(wires.tripwire)
        host.arm()
        #expect(wires.tripwire.isQuiet(meanwhile: {}))
        wires.send(0)
        #expect(
            !wires.tripwire.isQuiet {
                wires.empty(0)
                host.arm()
            })
        #expect(wires.tripwire.isQuiet)
        #expect(!wires.tripwire.isQuiet { host.leave() })
    }

    /// The heart of it: whatever the host is just doing, what has come and was not received is never overlooked.
    @Test func `never overlooks what has come, while it is armed all the time`() throws {
        let wires = try Wires()
        let host = try Host(wires.tripwire)
        let findings = Findings()
        let rounds = Extent.isFull ? 2_000_000 : 50_000
        let others = try (0..<2).map { wire in
            try Thread.start(name: "sender", stackBytes: 1 << 20) {
                for _ in 0..<rounds {
                    if wires.tripwire.isQuiet { findings.quiet.wrappingAdd(1, ordering: .relaxed) }
                    wires.send(wire)
                    if wires.tripwire.isQuiet { findings.overlooked.wrappingAdd(1, ordering: .relaxed) }
                    wires.empty(wire)
                }
                findings.isDone.store(true, ordering: .relaxed)
            }
        }
        while !findings.isDone.load(ordering: .relaxed) { host.arm() }
        for other in others { other.join() }
        host.leave()
        #expect(findings.overlooked.load(ordering: .relaxed) == 0)
        #expect(findings.quiet.load(ordering: .relaxed) > 0)
    }

    @Test func `has its host arm it when it was missed often enough, and not before`() throws {
        let wires = try Wires()
        wires.tripwire.patience.store(10, ordering: .relaxed)
        for _ in 0..<100 { wires.tripwire.wasMissed() }
        let host = try Host(wires.tripwire)
        for round in 1...3 {
            for _ in 0..<9 { wires.tripwire.wasMissed() }
            host.run {}
            #expect(wires.tripwire.armingCount == round - 1)
            wires.tripwire.wasMissed()
            host.run {}
            #expect(wires.tripwire.armingCount == round)
            #expect(wires.tripwire.isQuiet)
            wires.send(1)
            wires.empty(1)
            #expect(!wires.tripwire.isQuiet)
        }
        host.leave()
    }

    @Test func `passes to the next host when the first leaves`() throws {
        let wires = try Wires()
        wires.tripwire.patience.store(1, ordering: .relaxed)
        let (first, second) = (try Host(wires.tripwire), try Host(wires.tripwire))
        first.arm()
        second.arm()
        #expect(wires.tripwire.armingCount == 1, "the second is not the host yet")
        first.leave()
        #expect(!wires.tripwire.isQuiet)
        wires.tripwire.wasMissed()
        second.run {}
        #expect(wires.tripwire.isQuiet)
        second.leave()
        wires.tripwire.wasMissed()
        #expect(!wires.tripwire.isQuiet)
        #expect(wires.tripwire.armingCount == 2)
    }

    @Test func `may be asked by any thread while hosts come and go, and leaves nothing`() async {
        await #expect(processExitsWith: .success) {
            let wires = try Wires()
            let findings = Findings()
            let readers = try (0..<3).map { _ in
                try Thread.start(name: "reader", stackBytes: 1 << 20) {
                    while !findings.isDone.load(ordering: .relaxed) { _ = wires.tripwire.isQuiet }
                }
            }
            func cycle() throws {
                let host = try Host(wires.tripwire)
                host.arm()
                #expect(wires.tripwire.isQuiet)
                host.leave()
            }
            try cycle()
            try Census.wait("the first host is gone") { Census.threads.allSatisfy { $0 != "host" } }
            let (descriptors, memory) = (Census.descriptors, Census.residentKilobytes)
            for _ in 0..<300 { try cycle() }
            findings.isDone.store(true, ordering: .relaxed)
            for reader in readers { reader.join() }
            try Census.wait("the descriptors are closed") { Census.descriptors <= descriptors }
            #expect(Census.residentKilobytes - memory < 2048 || Sanitizer.isOn)
        }
    }

    #if DEBUG
        @Test func `is not asked for again of a host to which the kernel refused it`() async {
            await #expect(processExitsWith: .success) {
                for call in [FaultInjection.Call.ringOpen, .ringEnter] {
                    for skipping in 0..<2 {
                        let wires = try Wires()
                        wires.tripwire.patience.store(1, ordering: .relaxed)
                        let host = try Host(wires.tripwire)
                        FaultInjection.fail(call, with: .notPermitted, skipping: skipping)
                        defer { FaultInjection.reset() }
                        for _ in 0..<5 {
                            wires.tripwire.wasMissed()
                            host.run {}
                            #expect(!wires.tripwire.isQuiet)
                        }
                        let next = try Host(wires.tripwire)
                        host.leave()
                        // Another may be luckier: a reason may be one that passes.
                        wires.tripwire.wasMissed()
                        next.run {}
                        #expect(wires.tripwire.isQuiet)
                        #expect(wires.tripwire.armingCount == 1)
                        next.leave()
                    }
                }
            }
        }
    #endif
}

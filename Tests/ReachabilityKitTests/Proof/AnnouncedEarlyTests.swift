// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import Synchronization
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// The kernel announces some changes before it makes them. An answer in between is the old one, and no announcement
/// follows. Such an answer must not be kept (`Freshness`).
///
/// Here a change is delayed between the two. Other sockets receive the announcement after ours, each through a long filter,
/// which takes the kernel a millisecond or more. Another thread asks all the time.
@Suite(
    "A change that is announced before it is made", .serialized, .timeLimit(.minutes(10)),
    .needs(.namespaces, .settings, .tun))
struct AnnouncedEarlyTests {
    @Test(arguments: Flip.Kind.allCases)
    func `leaves no answer behind that was asked for in between`(_ kind: Flip.Kind) throws {
        let run = try HeldUpChanges(kind)
        try run.perform(40)
        #expect(run.stale == 0)
    }

    /// Without this the test above would prove nothing. It also holds every kernel to what kept answers rest on: a request for a link
    /// waits for the lock under which the change is being made (rtnl_lock in net/core/rtnetlink.c). A kernel whose request no
    /// longer waits fails here.
    @Test func `is seen unmade, where it is a deleted IPv4 route or next hop, and made after a request for a link`()
        throws
    {
        for kind in [Flip.Kind.routes, .nextHops] {
            let run = try HeldUpChanges(kind)
            for _ in 0..<50 where run.unmade == 0 || run.requestsBefore < 5 { try run.perform(10) }
            #expect(run.unmade > 0, "\(kind): no change was announced before it was made")
            #expect(run.requestsBefore > 0, "\(kind): no request was sent before a change was made")
            #expect(run.unmadeAfterRequest == 0, "\(kind): a request for a link does not wait until a change is made")
        }
    }
}

/// Makes changes that the kernel takes long to announce, while another thread asks.
private final class HeldUpChanges {
    private let flip: Flip
    private let changer: Changer
    private let ground: FlipGround
    private let reference: ReachabilityRef
    private let target: Target
    private let kernel: KernelAccess
    private let listeners: [Int32]
    private(set) var stale = 0
    /// How often the first answer after the last announcement was the old one.
    private(set) var unmade = 0
    /// How many requests for a link were sent while a change was announced and not made, and how often it was not made after them.
    private(set) var requestsBefore = 0
    private(set) var unmadeAfterRequest = 0

    static let listenerCount = 40

    init(_ kind: Flip.Kind) throws {
        let ground = try FlipGround(kind, lanes: 1)
        self.ground = ground
        flip = ground.lanes[0]
        let topology = ground.wired.topology
        // The kernel serves the latest socket first (sk_add_bind_node in include/net/sock.h), so these come last.
        listeners = topology.run { (0..<Self.listenerCount).map { _ in topology_open_slow_listener() } }
        if let failed = listeners.first(where: { $0 < 0 }) {
            throw MachineError.system("open a listener", Errno(rawValue: -failed))
        }
        reference = try topology.run { try ReachabilityRef(address: ground.lanes[0].target) }
        target = Target(try #require(AddressText(ground.lanes[0].target)).address)
        kernel = try reference.namespace.kernel()
        // Each change has the request for a link wait.
        kernel.freshness!.longestRest.store(0, ordering: .relaxed)
        changer = try Changer(in: topology)
    }

    deinit {
        for listener in listeners where listener >= 0 { close(listener) }
    }

    func perform(_ times: Int) throws {
        for _ in 0..<times {
            try apply(flip.off, before: flip.onFlags, after: flip.offFlags)
            try apply(flip.on, before: flip.offFlags, after: flip.onFlags)
        }
    }

    private func apply(_ changes: [Change], before: ReachabilityFlags, after: ReachabilityFlags) throws {
        _ = try reference.getFlags()
        // The first of several changes leaves the answer as it is.
        let asker = try Asker(reference, target, kernel, before: changes.count == 1 ? before : nil)
        for change in changes { try changer.apply(change) }
        let first = asker.end(under: kernel.freshness!.beginQuestion(emptying: true).generation)
        requestsBefore += asker.requests.count
        unmadeAfterRequest += asker.requests.count { $0 == before }
        let flags = try (0..<3).map { _ in try reference.getFlags() }
        if flags.contains(where: { $0 != after }) { stale += 1 }
        if first == before { unmade += 1 }
    }
}

/// A thread that asks without a pause: the reference, which keeps answers, and the kernel.
private final class Asker: Sendable {
    private let isDone = Atomic(false)
    private let hasBegun = Atomic(false)
    private let first = Mutex<(generation: UInt64, flags: ReachabilityFlags)?>(nil)
    private let thread = Mutex<Thread?>(nil)
    /// The answers after a request for a link that was sent because the answer was still the one before the announced change.
    private let answersAfterRequest = Mutex<[ReachabilityFlags]>([])
    var requests: [ReachabilityFlags] { answersAfterRequest.withLock(\.self) }

    init(
        _ reference: ReachabilityRef, _ target: Target, _ kernel: KernelAccess, before: ReachabilityFlags?
    ) throws {
        let beginning = kernel.freshness!.beginQuestion(emptying: true).generation
        let thread = try Thread.start(name: "asker", stackBytes: 1 << 20) { [self] in
            while !isDone.load(ordering: .relaxed) {
                let generation = kernel.freshness!.beginQuestion(emptying: true).generation
                if let asked = try? kernel.verdict(on: [target], keys: reference.keys),
                    generation == kernel.freshness!.beginQuestion(emptying: false).generation
                {
                    first.withLock { first in
                        if first?.generation != generation { first = (generation, asked.flags) }
                    }
                    if asked.flags == before, generation != beginning, (try? kernel.waitForChange()) != nil,
                        let flags = try? kernel.verdict(on: [target], keys: reference.keys)?.flags
                    {
                        answersAfterRequest.withLock { $0.append(flags) }
                    }
                }
                _ = try? reference.getFlags()
                hasBegun.store(true, ordering: .releasing)
            }
        }
        self.thread.withLock { $0 = thread }
        try WaitLimit.wait(for: "the first answer") { hasBegun.load(ordering: .acquiring) }
    }

    /// The first answer under this generation.
    func end(under generation: UInt64) -> ReachabilityFlags? {
        isDone.store(true, ordering: .relaxed)
        thread.withLock { $0.take() }?.join()
        return first.withLock { $0?.generation == generation ? $0?.flags : nil }
    }
}

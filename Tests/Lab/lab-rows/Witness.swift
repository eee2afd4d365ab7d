// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Network
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology

/// Records what a program that uses this package is told while a row runs.
final class Witness: Sendable {
    let reference: ReachabilityRef
    private let monitor = NWPathMonitor()
    private let queue = DispatchQueue(label: "witness")
    private let seen: ReachabilityLinuxSystem.ConditionLock<Seen>
    private let subscription: CancellationToken
    /// The `Fence`.
    private let fence: ReachabilityRef

    private struct Seen {
        var calls: [ReachabilityFlags] = []
        var path: NWPath?
        var identity: NetworkPath.Identity?
        var fenceCount = 0
    }

    /// Far longer than anything takes here. What has not come by then never comes.
    private static let waitLimit = Duration.seconds(60)

    init(watching question: Question) throws {
        let seen = ReachabilityLinuxSystem.ConditionLock(Seen())
        self.seen = seen
        subscription = try PathSource().observe { path in
            seen.withLock { $0.identity = path.identity }
            seen.broadcast()
        }
        seen.wait(atMost: Self.waitLimit) { $0.identity == nil }
        try Fence.set(reachable: false)
        reference = try question.reference()
        fence = try ReachabilityRef(address: Fence.address)
        reference.setCallback { [seen] flags in
            seen.withLock { $0.calls.append(flags) }
            seen.broadcast()
        }
        fence.setCallback { [seen] _ in
            seen.withLock { $0.fenceCount += 1 }
            seen.broadcast()
        }
        try reference.setDispatchQueue(queue)
        try fence.setDispatchQueue(queue)
        monitor.pathUpdateHandler = { [seen] path in
            seen.withLock { $0.path = path }
            seen.broadcast()
        }
        monitor.start(queue: queue)
    }

    /// The callbacks since the last time. Returns when there are enough of them and no change before this call can lead
    /// to another.
    func takeCalls(when areEnough: ([ReachabilityFlags]) -> Bool) throws -> [ReachabilityFlags] {
        seen.wait(atMost: Self.waitLimit) { !areEnough($0.calls) }
        let before = seen.withLock { $0.fenceCount }
        try Fence.set(reachable: before.isMultiple(of: 2))
        seen.wait(atMost: Self.waitLimit) { $0.fenceCount == before }
        guard seen.withLock({ $0.fenceCount }) > before else { throw Failure("the fence was not called back") }
        return seen.withLock { seen in
            defer { seen.calls = [] }
            return seen.calls
        }
    }

    /// Waits until the path is the expected one, or until the time is up.
    func waitForPath(_ expected: Way) {
        seen.wait(atMost: Self.waitLimit) { $0.path.map(Way.init) != expected }
    }

    /// Waits until another identity was told than this one, or until the time is up.
    func waitForIdentity(otherThan known: NetworkPath.Identity?) {
        seen.wait(atMost: Self.waitLimit) { $0.identity == known }
    }

    /// The identity that those who watch the path were told last.
    var identity: NetworkPath.Identity? { seen.withLock { $0.identity } }

    /// The last path that the monitor told.
    var path: NWPath? { seen.withLock { $0.path } }
}

// SPDX-License-Identifier: Apache-2.0

package import ReachabilityHostResolution
package import ReachabilityLinuxSystem
package import ReachabilityNetlink
package import ReachabilityResolverFiles

/// What the engine found out about a target at one moment.
package struct ObservedState: Sendable {
    /// What a client can see of it. It has no flags if the kernel has refused to answer.
    package let observation: Observation
    /// Whether the kernel has refused to answer. A question that is asked now throws the reason.
    package let isRefused: Bool
    /// For a name, what was found of each of its addresses; nil until all of them have been looked up. An address that the kernel
    /// refuses to answer about is left out, because connecting to it would be refused, too. For another target, what was found of it.
    package let observations: [Observation]?
    /// For a name, what it was resolved to.
    package let resolution: Resolution?
    /// What made the engine look; empty for the first state.
    package let causes: ChangeKinds

    /// The name servers that answered or should have.
    package var askedServers: [ServerAddress] {
        resolution.map { $0.origin == .dns ? $0.servers : [] } ?? []
    }
}

/// Passes a state on if a client can tell it from the one before.
package final class StateObserver: ReferenceSubscriber {
    private struct State {
        var body: (@Sendable (ObservedState) -> Void)?
        var failed: (@Sendable (ReachabilityError) -> Void)?
        var refused: (@Sendable (ObservedState) -> Void)?
        var isRefused = false
        var last: Observation?
    }

    private let state: Lock<State>
    private let core: EngineCore
    private let subject: Subject
    private let keys: RoutingKeys
    package let wantsEveryLook: Bool

    package init(
        _ core: EngineCore, _ subject: Subject, _ keys: RoutingKeys, everyLook: Bool,
        failed: @escaping @Sendable (ReachabilityError) -> Void = { _ in },
        refused: @escaping @Sendable (ObservedState) -> Void = { _ in },
        _ body: @escaping @Sendable (ObservedState) -> Void
    ) {
        state = Lock(State(body: body, failed: failed, refused: refused))
        self.core = core
        self.subject = subject
        self.keys = keys
        wantsEveryLook = everyLook
    }

    /// After this, no further call of the body begins.
    func end() {
        state.remove { ($0.body.take(), $0.failed.take(), $0.refused.take()) }
    }

    package func end(because error: ReachabilityError) {
        state.withLock(\.failed)?(error)
    }

    package func notify(_ observation: Observation, _ resolution: Resolution?, _ batch: inout DeliveryBatch) {
        let body = state.withLock { state -> (@Sendable (ObservedState) -> Void)? in
            state.isRefused = false
            guard wantsEveryLook || state.last != observation else { return nil }
            state.last = observation
            return state.body
        }
        body?(
            ObservedState(
                observation: observation, isRefused: false, observations: observations(observation, resolution),
                resolution: resolution, causes: batch.causes))
    }

    package func noteRefusal(_ resolution: Resolution?, because causes: ChangeKinds) {
        let refused = state.withLock { state -> (@Sendable (ObservedState) -> Void)? in
            defer { state.isRefused = true }
            return state.isRefused ? nil : state.refused
        }
        refused?(
            ObservedState(
                observation: Observation(flags: []), isRefused: true, observations: nil, resolution: resolution,
                causes: causes))
    }

    private func observations(_ observation: Observation, _ resolution: Resolution?) -> [Observation]? {
        guard case .name(let host) = subject, let resolution else { return [observation] }
        let addresses = host.counted(resolution.addresses)
        let watches = addresses.compactMap { core.watch(of: host.target(for: $0), keys) }
        guard watches.count == addresses.count, watches.allSatisfy(\.isLookedUp) else { return nil }
        return watches.compactMap(\.observation)
    }
}

extension ReachabilityRef {
    /// Calls `body` with the present state, for a name as soon as it is resolved, and then with each change.
    ///
    /// It is called on the engine's thread, and must not wait.
    ///
    /// - Parameters:
    ///   - everyLook: whether to call it after looks that found the same state, too.
    ///   - failed: called if the engine fails. Nothing follows.
    ///   - refused: called when the kernel begins to refuse to answer. With `everyLook`, the next call of `body` is the end of that.
    /// - Returns: ends this. No further call of `body` begins after it was cancelled.
    package func observe(
        everyLook: Bool = false, failed: @escaping @Sendable (ReachabilityError) -> Void = { _ in },
        refused: @escaping @Sendable (ObservedState) -> Void = { _ in },
        _ body: @escaping @Sendable (ObservedState) -> Void
    ) throws(ReachabilityError) -> CancellationToken {
        beginWork()
        defer { endWork() }
        let engine = try acquireEngine()
        let keys = keysOfWatch
        let observer = StateObserver(
            engine.core, subject, keys, everyLook: everyLook, failed: failed, refused: refused, body)
        engine.add(observer, to: subject, keys)
        return CancellationToken { [self] in
            observer.end()
            namespace.sharedEngine.remove(observer, from: subject, keys)
        }
    }

    package var isName: Bool { if case .name = subject { true } else { false } }

    /// The present flags. Those of a name are of the addresses in `state`, without resolving it again.
    package func flags(after state: ObservedState) throws(ReachabilityError) -> ReachabilityFlags {
        isName ? try verdict(after: state).flags : try getFlags()
    }

    /// The present verdict. That of a name is on the addresses in `state`, without resolving it again.
    package func verdict(after state: ObservedState) throws(ReachabilityError) -> Verdict {
        guard case .name(let host) = subject else { return try currentVerdict() }
        return try verdict(on: host, resolution: state.resolution)
    }
}

extension ReachabilityRef {
    /// Looks at everything again that is watched in the network namespace of this reference, soon and on the engine's thread.
    ///
    /// A program that learns of a change from elsewhere calls this. Where the kernel does not announce every change (gVisor,
    /// Android, some sandboxes), everything is looked at again every two seconds; a program for which that is too seldom calls
    /// this as often as it wants. It does no harm where the kernel announces all changes.
    public func recheck() {
        beginWork()
        defer { endWork() }
        namespace.sharedEngine.present?.recheck()
    }

    /// The kernel could not be asked after a look. Nothing announces when it can be asked again, so the engine looks again a little
    /// later.
    package func questionFailed() {
        guard let engine = namespace.sharedEngine.present else { return }
        engine.loop.enqueue { [core = engine.core] in core.lookFailed() }
    }
}

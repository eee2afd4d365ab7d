// SPDX-License-Identifier: Apache-2.0

package import ReachabilityHostResolution
package import ReachabilityLinuxSystem
import ReachabilityNetlink
package import ReachabilityResolverFiles

/// The result of an evaluation of a target.
package struct ObservedState: Sendable {
    /// The part that a client can see. It has no flags if the kernel has refused to answer.
    package let observation: Observation
    /// Whether the kernel has refused to answer. ``ReachabilityRef/getFlags()`` then throws the reason.
    package let isRefused: Bool
    /// For a name, the answer for each of its addresses; nil until all of them have been evaluated. An address that the kernel
    /// refuses to answer about is left out, because connecting to it would be refused, too. For any other target, the one answer.
    package let observations: [Observation]?
    /// For a name, its resolution.
    package let resolution: Resolution?
    /// The changes that led to the evaluation; empty for the first state.
    package let causes: ChangeKinds

    /// The name servers that answered or should have.
    package var askedServers: [ServerAddress] {
        resolution.map { $0.origin == .dns ? $0.servers : [] } ?? []
    }
}

extension ObservedState {
    package init(_ watch: Watch, because causes: ChangeKinds) {
        observation = watch.answer ?? Observation(flags: [])
        (isRefused, resolution, self.causes) = (watch.isRefused, watch.resolution, causes)
        observations =
            if let group = watch.group {
                group.members.allSatisfy(\.isEvaluated) ? group.members.compactMap(\.answer) : nil
            } else {
                watch.answer.map { [$0] }
            }
    }
}

extension ReachabilityRef {
    /// Calls `body` with the present state, for a name as soon as it is resolved, and then with each change. A refusal of the
    /// kernel to answer is a state, too; its end is reported with the next state that differs.
    ///
    /// `body` is called on the engine's thread, and must not block.
    ///
    /// - Parameters:
    ///   - everyEvaluation: whether to call `body` after evaluations that found the same state, too.
    ///   - failed: called if the engine fails. Nothing follows.
    /// - Returns: a token that ends this. No further call of `body` begins after it was cancelled. It does not keep the reference
    ///   alive.
    package func observe(
        everyEvaluation: Bool = false, failed: @escaping @Sendable (ReachabilityError) -> Void = { _ in },
        _ body: @escaping @Sendable (ObservedState) -> Void
    ) throws(ReachabilityError) -> CancellationToken {
        try undisturbed { () throws(ReachabilityError) -> CancellationToken in
            let engine = try acquireEngine()
            let (subject, namespace, keys) = (subject, namespace, keysOfWatch)
            let observer = Observer(everyEvaluation: everyEvaluation, failed: failed) {
                body(ObservedState($0, because: $1))
            }
            engine.add(observer, to: subject, keys)
            return CancellationToken {
                observer.end()
                namespace.sharedEngine.remove(observer, from: subject, keys)
            }
        }
    }

    package var isName: Bool { if case .name = subject { true } else { false } }

    /// The present flags. For a name, they are those of the addresses in `state`; the name is not resolved again.
    package func flags(after state: ObservedState) throws(ReachabilityError) -> ReachabilityFlags {
        isName ? try verdict(after: state).flags : try getFlags()
    }

    /// The present answer. For a name, it is that for the addresses in `state`; the name is not resolved again.
    package func verdict(after state: ObservedState) throws(ReachabilityError) -> Verdict {
        try undisturbed { () throws(ReachabilityError) in
            guard case .name(let host) = subject else { return try currentVerdict() }
            return try verdict(on: host, resolution: state.resolution)
        }
    }
}

extension ReachabilityRef {
    /// Evaluates everything again that is watched in the network namespace of this reference, soon and on the engine's thread.
    ///
    /// Call this if your program learns of a change by other means. Where the kernel does not announce every change (gVisor,
    /// Android, some sandboxes), everything is evaluated every two seconds anyway; call this more often if two seconds are too
    /// long. Where the kernel announces all changes, a call is unnecessary and harmless.
    public func recheck() {
        undisturbed { namespace.sharedEngine.present?.recheck() }
    }

    /// Reports that the kernel could not be asked after an evaluation. Nothing announces when it can be asked again, so the
    /// engine evaluates again a little later.
    package func questionFailed() {
        guard let engine = namespace.sharedEngine.present else { return }
        engine.loop.enqueue { [core = engine.core] in core.askingFailed() }
    }
}

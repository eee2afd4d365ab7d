// SPDX-License-Identifier: Apache-2.0

package import ReachabilityHostResolution
package import ReachabilityLinuxSystem
import ReachabilityNetlink
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
    /// Calls `body` with the present state, for a name as soon as it is resolved, and then with each change. That the kernel begins to
    /// refuse to answer is a state, too; the end of that is told with the next other one.
    ///
    /// It is called on the engine's thread, and must not wait.
    ///
    /// - Parameters:
    ///   - everyEvaluation: whether to call it after evaluations that found the same state, too.
    ///   - failed: called if the engine fails. Nothing follows.
    /// - Returns: ends this. No further call of `body` begins after it was cancelled. It does not keep the reference.
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
        undisturbed { namespace.sharedEngine.present?.recheck() }
    }

    /// The kernel could not be asked after a look. Nothing announces when it can be asked again, so the engine looks again a little
    /// later.
    package func questionFailed() {
        guard let engine = namespace.sharedEngine.present else { return }
        engine.loop.enqueue { [core = engine.core] in core.askingFailed() }
    }
}

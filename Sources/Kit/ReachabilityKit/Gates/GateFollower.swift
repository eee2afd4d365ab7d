// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

/// The state of a gate at one moment.
package struct GateView: Hashable, Sendable {
    /// The answer for each address of the host.
    package var host: [Observation] = []
    package var path = NetworkPath()
    package var obstacles: [RequestGate.Obstacle] = [.unknown]
}

/// Follows the host of a gate, and the path if the conditions need it, on one engine. Confined to the engine's thread, except for
/// `begin` and `end`.
final class GateFollower: @unchecked Sendable {
    private let gate: RequestGate
    private let followsPath: Bool
    private let keys: RoutingKeys
    private let engine: Engine
    /// Nil after the end.
    private let body: Lock<(@Sendable (GateView?) -> Void)?>
    private let failed: @Sendable (ReachabilityError) -> Void
    private var host: Observer?
    private var ways: Observer?
    private var deadline: LoopTimer?
    private var stableTimer: LoopTimer?

    private var observations: [Observation]?
    private var path: NetworkPath?
    private var areHintsMissing: Bool
    private var steadiness: Steadiness
    private var last: GateView?

    init(
        _ gate: RequestGate, on engine: Engine, followsPath: Bool,
        failed: @escaping @Sendable (ReachabilityError) -> Void = { _ in },
        _ body: @escaping @Sendable (GateView?) -> Void
    ) {
        self.gate = gate
        self.failed = failed
        self.engine = engine
        self.followsPath = followsPath
        keys = gate.reference.keysOfWatch
        self.body = Lock(body)
        areHintsMissing = gate.conditions.needHints
        steadiness = Steadiness(gate.conditions.stableTime)
    }

    /// - Parameter timeout: after this time, the body is called with nil.
    func begin(endingAfter timeout: Duration? = nil) {
        let isTaken = engine.loop.enqueue { [self] in
            guard body.withLock({ $0 != nil }) else { return }
            // The addresses of a name may have changed although its best one has not.
            let host = Observer(everyEvaluation: true, failed: failed) { [weak self] watch, causes in
                self?.take(ObservedState(watch, because: causes))
            }
            self.host = host
            engine.core.add(host, to: gate.reference.subject, keys)
            if followsPath {
                let ways = Observer(ofPath: { [weak self] in self?.take($0) })
                self.ways = ways
                engine.core.paths.add(ways)
            }
            guard let timeout else { return }
            deadline = engine.loop.schedule(at: engine.loop.now().advanced(by: timeout)) { [weak self] in
                self?.tell(nil)
            }
        }
        if !isTaken, let failure = engine.failure { failed(failure) }
    }

    /// No further call of the body begins after this has returned.
    func end() {
        body.remove { $0.take() }
        engine.loop.enqueue { [self] in
            for timer in [deadline, stableTimer] { if let timer { engine.loop.cancel(timer) } }
            guard let host else { return }
            engine.core.remove(host, from: gate.reference.subject, keys)
            if let ways { engine.core.paths.remove(ways) }
        }
    }

    private func take(_ state: ObservedState) {
        if state.isRefused {
            // The kernel refuses to answer, so nothing is known of the host any more.
            observations = nil
            look()
        } else if let found = state.observations {
            observations = found
            // The path is read after the host was evaluated; waiting for it makes both count together.
            if followsPath { engine.loop.enqueue { [weak self] in self?.look() } } else { look() }
        }
    }

    private func take(_ observed: ObservedPath) {
        guard observed.refusal == nil else { return }
        path = observed.path
        if observed.areHintsKnown { areHintsMissing = false }
        look()
    }

    private func look() {
        var view = GateView()
        if let observations, path != nil || !followsPath {
            view.host = observations
            view.path = path ?? view.path
            // An unreachable host is an obstacle whatever NetworkManager says.
            view.obstacles = gate.conditions.obstacles(observations, view.path)
            if areHintsMissing, view.obstacles != [.unreachable] { view.obstacles = [.unknown] }
        }
        if let stableTimer { engine.loop.cancel(stableTimer) }
        stableTimer = nil
        if !steadiness.observe(view.obstacles.isEmpty, at: engine.loop.now()), let moment = steadiness.moment {
            view.obstacles = [.unstable]
            stableTimer = engine.loop.schedule(at: moment) { [weak self] in self?.look() }
        }
        guard view != last else { return }
        last = view
        tell(view)
    }

    private func tell(_ view: GateView?) { body.withLock(\.self)?(view) }
}

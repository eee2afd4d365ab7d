// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem

/// What is known of one host, and of the network to it, which a gate tells if not every one will do.
class HostCondition {
    let title: String
    let reference: ReachabilityRef
    private let gate: RequestGate?
    private(set) var state: ObservedState?
    private var obstacles: [RequestGate.Obstacle] = []
    private var subscriptions: [CancellationToken] = []

    init(_ title: String, _ reference: ReachabilityRef, by network: RequestGate.Conditions) {
        (self.title, self.reference) = (title, reference)
        gate = network.needPath ? RequestGate(to: reference, network) : nil
        forget()
    }

    func begin(_ post: @escaping @Sendable (WaitEvent) -> Void) throws(ReachabilityError) {
        // The reason may change without the flags, and is told.
        subscriptions = [try reference.observe(everyEvaluation: true) { post(.state($0)) }]
        guard let gate else { return }
        subscriptions.append(
            try gate.observe { view in
                if let view { post(.gate(view.obstacles)) }
            })
    }

    func handle(_ event: WaitEvent) {
        switch event {
        case .state(let state): self.state = state
        case .gate(let obstacles): self.obstacles = obstacles
        case .server, .path, .connection: break
        }
    }

    func end() {
        for subscription in subscriptions { subscription.cancel() }
        forget()
    }

    private func forget() { (state, obstacles) = (nil, gate == nil ? [] : [.unknown]) }

    /// Whether packets to the host may leave by the network that they would leave by.
    var isAllowed: Bool { obstacles.isEmpty }

    func isAllowedNow() throws(ReachabilityError) -> Bool {
        if let gate, !reference.isName { obstacles = try gate.current() }
        return isAllowed
    }

    /// What is wrong with the network; nil for nothing. That the host cannot be reached has a reason, which the verdict has.
    var networkObstacle: String? {
        switch obstacles {
        case [], [.unreachable]: nil
        case [.unknown] where !(state?.observation.flags.isReachable ?? false): nil
        default: obstacles.map(\.description).joined(separator: ", ")
        }
    }

    var networkComplaint: String? {
        networkObstacle.map { "'\(title)' was not reachable as required when the time was up (\($0))" }
    }
}

/// A target is reachable, or with `--not` is not.
final class TargetCondition: HostCondition, WaitCondition {
    private let isNegated: Bool

    init(
        _ title: String, _ reference: ReachabilityRef, isNegated: Bool = false,
        by network: RequestGate.Conditions = RequestGate.Conditions()
    ) {
        self.isNegated = isNegated
        super.init(title, reference, by: network)
    }

    var holds: Bool {
        isAllowed && state.map { !$0.isRefused && $0.observation.flags.isReachable != isNegated } ?? false
    }

    /// A name without a state is not resolved yet, so nothing is known about it.
    func holdsNow() throws(ReachabilityError) -> Bool {
        guard try isAllowedNow(), let verdict = try verdict else { return false }
        return verdict.flags.isReachable != isNegated
    }

    private var verdict: Verdict? {
        get throws(ReachabilityError) {
            if let state { return try reference.verdict(after: state) }
            return try reference.isName ? nil : reference.currentVerdict()
        }
    }

    var obstacle: String {
        if let networkObstacle { return networkObstacle }
        let known: Verdict?
        do throws(ReachabilityError) {
            known = try verdict
        } catch {
            return error.explanation
        }
        guard let verdict = known else { return "being resolved" }
        if verdict.flags.isReachable { return isNegated ? "still reachable" : "being evaluated" }
        guard case .notAsked = verdict.reason else { return verdict.brief }
        return ([verdict.brief] + (state?.askedServers.map { "server \($0)" } ?? [])).joined(separator: ", ")
    }

    var complaint: String {
        let end = "when the time was up"
        if let networkComplaint { return networkComplaint }
        guard let verdict = try? verdict else { return "'\(title)' was not resolved \(end)" }
        if isNegated { return "'\(title)' was still reachable \(end)" }
        return verdict.flags.isReachable
            ? "'\(title)' was not reachable for long enough \(end)"
            : "'\(title)' was not reachable \(end) (\(verdict.brief))"
    }
}

extension Verdict {
    /// The reason why a target is not reachable, in a few words.
    var brief: String { StateText.brief(flags, reason.words) }
}

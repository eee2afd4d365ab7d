// SPDX-License-Identifier: Apache-2.0

import ReachabilityConnections
import ReachabilityKit
import ReachabilityLinuxSystem

/// One thing that `wait` waits for. Used on the main thread only. What happens on other threads comes as an event.
protocol WaitCondition: AnyObject {
    /// What it is about, in a few words, such as a target as it was given.
    var title: String { get }
    /// Whether it holds, as far as the events tell.
    var holds: Bool { get }
    /// The moment at which it wants `timePassed`; nil for none.
    var deadline: BootTime? { get }

    /// Begins to observe. Events go to `post`, which may be called on any thread.
    func begin(_ post: @escaping @Sendable (WaitEvent) -> Void) throws(ReachabilityError)
    func handle(_ event: WaitEvent) throws(ReachabilityError)
    func timePassed(_ now: BootTime) throws(ReachabilityError)
    /// Looks again whether it holds now. The events come one after the other, so an early one may be outdated.
    func certainty(_ demand: ProofDemand) throws(ReachabilityError) -> Certainty
    /// Begins to prove once more that it holds, after `certainty` was `.stale`. An event tells the result.
    func prove()
    /// Whether it is being proved once more.
    var isProving: Bool { get }
    /// Whether the kernel announces that it holds no longer.
    var isAnnounced: Bool { get }
    /// Ends observing. `begin` may follow.
    func end()
    /// Why it does not hold, in a few words.
    var obstacle: String { get }
    /// The sentence for when the time is up.
    var complaint: String { get }
}

extension WaitCondition {
    var deadline: BootTime? { nil }
    func timePassed(_ now: BootTime) throws(ReachabilityError) {}
    func prove() {}
    var isProving: Bool { false }
    var isAnnounced: Bool { true }
}

/// What a condition is told.
enum WaitEvent: Sendable {
    case state(ObservedState)
    case server(IPAddress, ObservedState)
    case path(NetworkPath)
    case gate([RequestGate.Obstacle])
    /// The end of an attempt to connect, with nil if it was successful. The number is that of the attempt.
    case connection(Int, ConnectionFailure?)

    /// Of events of one subject only the newest counts. That something held, and that it did not, are two: a break that is over is
    /// a break.
    enum Subject: Hashable {
        case state(Int, Bool), server(Int, IPAddress, Bool), path(Int), gate(Int, Bool), connection(Int, Int)
    }

    /// - Parameter position: that of the condition.
    func subject(_ position: Int) -> Subject {
        switch self {
        case .state(let state): .state(position, state.observation.flags.isReachable)
        case .server(let address, let state): .server(position, address, state.observation.flags.isReachable)
        case .path: .path(position)
        case .gate(let obstacles): .gate(position, obstacles.isEmpty)
        case .connection(let attempt, _): .connection(position, attempt)
        }
    }
}

/// A target is reachable, or with `--not` is not.
final class TargetCondition: WaitCondition {
    private let reference: ReachabilityRef
    private let isNegated: Bool
    let title: String
    private var state: ObservedState?
    private var subscription: CancellationToken?

    init(_ named: NamedReference, isNegated: Bool) {
        reference = named.reference
        title = named.text
        self.isNegated = isNegated
    }

    func begin(_ post: @escaping @Sendable (WaitEvent) -> Void) throws(ReachabilityError) {
        // The reason may change without the flags, and is told.
        subscription = try reference.observe(everyEvaluation: true) { post(.state($0)) }
    }

    func handle(_ event: WaitEvent) {
        if case .state(let state) = event { self.state = state }
    }

    var holds: Bool { state.map { !$0.isRefused && $0.observation.flags.isReachable != isNegated } ?? false }

    /// A name without a state is not resolved yet, so nothing is known about it.
    func certainty(_ demand: ProofDemand) throws(ReachabilityError) -> Certainty {
        guard let verdict = try verdict else { return .broken }
        return verdict.flags.isReachable != isNegated ? .holds : .broken
    }

    func end() {
        subscription?.cancel()
        state = nil
    }

    var obstacle: String {
        let known: Verdict?
        do throws(ReachabilityError) {
            known = try verdict
        } catch {
            return error.explanation
        }
        guard let verdict = known else { return "being resolved" + commandHint }
        if verdict.flags.isReachable { return isNegated ? "still reachable" : "being looked at" }
        guard case .notAsked = verdict.reason else { return verdict.brief }
        let servers = state?.askedServers.map { "server \($0)" } ?? []
        return ([verdict.brief] + servers).joined(separator: ", ") + commandHint
    }

    /// The user may have left out the `--` before a command.
    private var commandHint: String {
        let folders = EnvironmentVariable.value(of: "PATH")?.split(separator: ":") ?? []
        guard !title.contains("."), !title.contains("/"),
            folders.contains(where: { (try? Files.identity(of: "\($0)/\(title)")) != nil })
        else { return "" }
        return "; if this is a command, put -- before it"
    }

    private var verdict: Verdict? {
        get throws(ReachabilityError) {
            if let state { return try reference.verdict(after: state) }
            return try reference.isName ? nil : reference.currentVerdict()
        }
    }

    var complaint: String {
        let end = "when the time was up"
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

/// A condition that counts only while its host is reached by a network that may be used.
final class GatedCondition: WaitCondition {
    private let inner: any WaitCondition
    private let gate: RequestGate
    /// Whether the condition sends something, and so must not begin before.
    private let isSending: Bool
    private var obstacles: [RequestGate.Obstacle] = [.unknown]
    private var isBegun = false
    private var subscription: CancellationToken?
    private var post: @Sendable (WaitEvent) -> Void = { _ in }

    init(_ inner: any WaitCondition, _ gate: RequestGate, isSending: Bool) {
        (self.inner, self.gate, self.isSending) = (inner, gate, isSending)
    }

    func begin(_ post: @escaping @Sendable (WaitEvent) -> Void) throws(ReachabilityError) {
        self.post = post
        subscription = try gate.observe { view in
            if let view { post(.gate(view.obstacles)) }
        }
        try adjust()
    }

    func handle(_ event: WaitEvent) throws(ReachabilityError) {
        if case .gate(let obstacles) = event {
            self.obstacles = obstacles
            try adjust()
        } else if isBegun {
            try inner.handle(event)
        }
    }

    private func adjust() throws(ReachabilityError) {
        let mayBegin = !isSending || obstacles.isEmpty
        guard mayBegin != isBegun else { return }
        isBegun = mayBegin
        if mayBegin { try inner.begin(post) } else { inner.end() }
    }

    var holds: Bool { obstacles.isEmpty && inner.holds }
    var deadline: BootTime? { isBegun ? inner.deadline : nil }

    func timePassed(_ now: BootTime) throws(ReachabilityError) {
        if isBegun { try inner.timePassed(now) }
    }

    func certainty(_ demand: ProofDemand) throws(ReachabilityError) -> Certainty {
        if !gate.reference.isName { obstacles = try gate.current() }
        guard obstacles.isEmpty else { return .broken }
        return try inner.certainty(demand)
    }

    func prove() { inner.prove() }
    var isProving: Bool { inner.isProving }
    var isAnnounced: Bool { inner.isAnnounced }

    func end() {
        subscription?.cancel()
        if isBegun { inner.end() }
        (isBegun, obstacles) = (false, [.unknown])
    }

    var title: String { inner.title }

    /// That the host cannot be reached has a reason, which the condition knows.
    private var isInnerObstacle: Bool {
        obstacles.isEmpty || obstacles == [.unreachable] || obstacles == [.unknown] && !inner.holds
    }

    private var words: String { obstacles.map(\.description).joined(separator: ", ") }
    var obstacle: String { isInnerObstacle ? inner.obstacle : words }
    var complaint: String {
        isInnerObstacle
            ? inner.complaint : "'\(title)' was not reachable as required when the time was up (\(words))"
    }
}

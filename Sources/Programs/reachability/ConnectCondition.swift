// SPDX-License-Identifier: Apache-2.0

import ReachabilityConnections
import ReachabilityKit
import ReachabilityLinuxSystem

/// A TCP connection succeeds, and its host has been reachable since. The connection is closed at once. Nothing announces that the
/// server has ended, so a connection is made once more when `Simultaneity` demands a newer one.
///
/// Nothing is sent while there is no route. When there is one, a connection is tried. After a failure it is tried again
/// when the network changes, and after pauses that grow: a server that is still starting refuses connections, and nothing
/// announces that it is ready.
final class ConnectCondition: WaitCondition {
    /// The pauses double from the first to the last.
    static let (firstPause, longestPause): (Duration, Duration) = (.milliseconds(100), .seconds(10))
    /// The kernel repeats an unanswered SYN after 1, 3 and 7 seconds (tcp_syn_retries in tcp(7)). A new attempt may take
    /// another address or route.
    static let attemptLimit: Duration = .seconds(10)

    let title: String
    private let port: UInt16
    let reference: ReachabilityRef
    private let source: PathSource
    private let choice: InterfaceChoice
    private let clock: any TimeSource

    private var state: ObservedState?
    /// The last connection, if no attempt has failed since.
    private var made: (attempt: Int, moment: BootTime)?
    /// Ends the attempt that is under way.
    private var trial: CancellationToken?
    private var attempt = 0
    /// The last attempt that was begun before the network last changed.
    private var attemptBeforeChange = 0
    private var knowsPath = false
    private var failure: String?
    private var pause = firstPause
    private(set) var deadline: BootTime?

    private var subscriptions: [CancellationToken] = []
    private var post: @Sendable (WaitEvent) -> Void = { _ in }

    init(
        _ target: ConnectionTarget, _ options: ReachabilityOptions, clock: any TimeSource = SystemTime()
    ) throws(ReachabilityError) {
        self.clock = clock
        title = target.text
        port = target.port
        var withPort = options
        withPort.port = target.port
        reference = try ReachabilityRef(text: target.target, options: withPort)
        source = try PathSource(options)
        choice = InterfaceChoice(source: source, required: options.interface)
    }

    func begin(_ post: @escaping @Sendable (WaitEvent) -> Void) throws(ReachabilityError) {
        self.post = post
        subscriptions = [
            try reference.observe(everyEvaluation: true) { post(.state($0)) },
            try source.observe { post(.path($0)) },
        ]
    }

    private var hasRoute: Bool { state?.observation.flags.contains(.reachable) ?? false }
    var holds: Bool { made != nil && hasRoute }
    var isProving: Bool { made != nil && trial != nil }
    var isAnnounced: Bool { false }

    // MARK: Events

    func handle(_ event: WaitEvent) {
        switch event {
        case .state(let state):
            let isNew = self.state?.observation != state.observation
            self.state = state
            if !isNew { return }
            if hasRoute {
                networkChanged(isNew: true)
            } else {
                abandon()
                (made, failure, deadline) = (nil, nil, nil)
            }
        case .path:
            networkChanged(isNew: knowsPath)
            knowsPath = true
        case .connection(attempt, let failure): attemptEnded(failure)
        case .connection, .server, .gate: break
        }
    }

    func timePassed(_ now: BootTime) {
        if let deadline, now >= deadline { connect() }
    }

    /// - Parameter isNew: whether it is another network than that of the attempts so far.
    private func networkChanged(isNew: Bool) {
        pause = Self.firstPause
        if isNew { attemptBeforeChange = attempt }
        if made == nil { connect() }
    }

    private func attemptEnded(_ failure: ConnectionFailure?) {
        trial = nil
        made = nil
        switch failure {
        case nil:
            made = (attempt, clock.now())
            (self.failure, pause) = (nil, Self.firstPause)
            return
        case .system(let error): self.failure = "\(error)"
        case .unresolved(let outcome): self.failure = outcome.sentence
        }
        deadline = clock.now().advanced(by: pause)
        pause = min(pause * 2, Self.longestPause)
    }

    // MARK: Connecting

    private func connect() {
        deadline = nil
        guard hasRoute, trial == nil else { return }
        attempt += 1
        let (number, post) = (attempt, post)
        do throws(ConnectionFailure) {
            trial = try ConnectionTrial.begin(
                SystemTransport(to: reference, port: port, over: choice), timeLimit: Self.attemptLimit
            ) { post(.connection(number, $0)) }
        } catch {
            attemptEnded(error)
        }
    }

    private func abandon() {
        trial?.cancel()
        trial = nil
        // What it may still post does not count.
        attempt += 1
    }

    func certainty(_ demand: ProofDemand) throws(ReachabilityError) -> Certainty {
        guard let made, let state, try reference.flags(after: state).contains(.reachable) else { return .broken }
        let isNewEnough =
            made.moment >= demand.since && (!demand.isAfterChange || made.attempt > attemptBeforeChange)
        return isNewEnough ? .holds : .stale
    }

    func prove() { connect() }

    func end() {
        for subscription in subscriptions { subscription.cancel() }
        abandon()
        (state, made, deadline, failure, knowsPath) = (nil, nil, nil, nil, false)
    }

    // MARK: Words

    var obstacle: String {
        if let failure { return failure }
        guard let state else { return reference.isName ? "being resolved" : "not asked yet" }
        guard !hasRoute else { return made == nil ? "connecting" : "connecting once more" }
        do throws(ReachabilityError) {
            return try reference.verdict(after: state).brief
        } catch {
            return error.explanation
        }
    }

    var complaint: String { "no connection to '\(title)' was made when the time was up (\(obstacle))" }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityConnections
import ReachabilityKit
import ReachabilityLinuxSystem

/// A TCP connection succeeds, and its host has been reachable since. The connection is closed at once. Nothing announces that the
/// server has ended, so a connection is made once more when `Arrival` demands a newer one.
///
/// Nothing is sent while there is no route. When there is one, a connection is tried. After a failure it is tried again
/// when the network changes, and after pauses that grow: a server that is still starting refuses connections, and nothing
/// announces that it is ready.
final class ConnectCondition: HostCondition, WaitCondition {
    /// The pauses double from the first to the last.
    static let (firstPause, longestPause): (Duration, Duration) = (.milliseconds(100), .seconds(10))
    /// The kernel repeats an unanswered SYN after 1, 3 and 7 seconds (tcp_syn_retries in tcp(7)). A new attempt may take
    /// another address or route.
    static let attemptLimit: Duration = .seconds(10)
    /// How long a connection counts.
    static let proofAge: Duration = .seconds(1)

    private let port: UInt16
    private let source: PathSource
    private let choice: InterfaceChoice
    private let clock: any TimeSource

    /// When the last connection was made, if no attempt has failed since.
    private var made: BootTime?
    /// Ends the attempt that is under way.
    private var trial: CancellationToken?
    private var attempt = 0
    private var failure: String?
    private var pause = firstPause
    private(set) var deadline: BootTime?

    private var pathSubscription: CancellationToken?
    private var post: @Sendable (WaitEvent) -> Void = { _ in }

    init(
        _ target: ConnectionTarget, _ options: ReachabilityOptions,
        by network: RequestGate.Conditions = RequestGate.Conditions(), clock: any TimeSource = SystemTime()
    ) throws(ReachabilityError) {
        self.clock = clock
        port = target.port
        var withPort = options
        withPort.port = target.port
        source = try PathSource(options)
        choice = InterfaceChoice(source: source, required: options.interface)
        super.init(target.text, try ReachabilityRef(text: target.target, options: withPort), by: network)
    }

    override func begin(_ post: @escaping @Sendable (WaitEvent) -> Void) throws(ReachabilityError) {
        self.post = post
        try super.begin(post)
        pathSubscription = try source.observe { post(.path($0)) }
    }

    private var hasRoute: Bool { isAllowed && state?.observation.flags.contains(.reachable) ?? false }
    var holds: Bool { made != nil && hasRoute }
    var isProving: Bool { made != nil && trial != nil }

    // MARK: Events

    override func handle(_ event: WaitEvent) {
        switch event {
        case .state, .gate:
            let before = (state?.observation, isAllowed)
            super.handle(event)
            if before == (state?.observation, isAllowed) { return }
            if hasRoute {
                networkChanged()
            } else {
                abandon()
                (made, failure, deadline) = (nil, nil, nil)
            }
        case .path: networkChanged()
        case .connection(attempt, let failure): attemptEnded(failure)
        case .connection, .server: break
        }
    }

    func timePassed(_ now: BootTime) {
        if let deadline, now >= deadline { connect() }
    }

    private func networkChanged() {
        pause = Self.firstPause
        if made == nil { connect() }
    }

    private func attemptEnded(_ failure: ConnectionFailure?) {
        trial = nil
        made = nil
        switch failure {
        case nil:
            made = clock.now()
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

    func holdsNow() throws(ReachabilityError) -> Bool {
        guard made != nil, let state, try isAllowedNow() else { return false }
        return try reference.flags(after: state).contains(.reachable)
    }

    func isProved(at moment: BootTime) -> Bool { made.map { $0.advanced(by: Self.proofAge) >= moment } ?? false }
    func prove() { connect() }

    override func end() {
        super.end()
        pathSubscription?.cancel()
        abandon()
        (made, deadline, failure) = (nil, nil, nil)
    }

    // MARK: Words

    var obstacle: String {
        if let words = networkObstacle ?? failure { return words }
        guard let state else { return reference.isName ? "being resolved" : "not asked yet" }
        guard !hasRoute else { return made == nil ? "connecting" : "connecting once more" }
        do throws(ReachabilityError) {
            return try reference.verdict(after: state).brief
        } catch {
            return error.explanation
        }
    }

    var complaint: String {
        networkComplaint ?? "no connection to '\(title)' was made when the time was up (\(obstacle))"
    }
}

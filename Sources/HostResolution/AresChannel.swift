// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NetworkFacts

/// The only user of c-ares. Asks the servers of one configuration, each as often as resolv.conf(5) says. One thread at a
/// time uses it.
///
/// It is asked only for full names in DNS, one family at a time. One question cannot be cancelled, so the caller drops
/// unwanted answers by their ticket.
///
/// It is Sendable without a lock of its own: it passes from thread to thread under its owner's lock, and only the
/// thread that took it uses it.
final class AresChannel: @unchecked Sendable {
    struct Answer {
        let ticket: UInt64
        let outcome: FamilyOutcome
    }

    private struct Question {
        let name: String
        let family: AddressFamily
        var attempts: QuestionAttempts
        /// When the next attempt is due.
        var due = BootTime.distantFuture
    }

    /// How many attempts may stay open at a server after another server has answered their questions.
    private static let leftoverLimit = 256

    let configuration: ResolverConfiguration
    /// The process that made it. The child of a fork must not use its sockets.
    let forkEpoch: UInt64
    private let poll: AresPoll
    private let plan: QuestionAttempts.Plan
    /// Nil until the server is asked.
    private var servers: [AresServer?]
    private var questions: [UInt64: Question] = [:]
    private var answers: [Answer] = []
    /// No attempt is due before this moment of the system's clock.
    private(set) var earliestDue = BootTime.distantFuture
    /// The position of the server that the next question goes to first.
    private var nextServer = 0
    private let time = SystemTime()

    /// Fails if memory or descriptors are exhausted.
    init(_ configuration: ResolverConfiguration) throws(Errno) {
        ForkEpoch.observe()
        forkEpoch = ForkEpoch.current
        self.configuration = configuration
        let (environment, resolvConf) = (configuration.environment, configuration.resolvConf)
        poll = try AresPoll()
        servers = Array(repeating: nil, count: configuration.servers.count)
        plan = QuestionAttempts.Plan(
            servers: servers.count, rounds: max(1, resolvConf.attempts ?? environment.attempts),
            timeout: resolvConf.timeoutSeconds.map { min(.seconds($0), environment.attemptTimeout) }
                ?? environment.attemptTimeout)
    }

    // MARK: Asking

    /// Questions without an answer.
    var pendingCount: Int { questions.count }

    /// Asks for the addresses of a full name in one family.
    func ask(_ name: String, _ family: AddressFamily, ticket: UInt64) {
        questions[ticket] = Question(name: name, family: family, attempts: QuestionAttempts(plan, first: nextServer))
        if configuration.resolvConf.rotates { nextServer = (nextServer + 1) % servers.count }
        attempt(ticket)
        settle()
    }

    /// The answers that have come since the last call.
    func takeAnswers() -> [Answer] {
        defer { answers = [] }
        return answers
    }

    /// Sends a question to the server whose turn it is.
    private func attempt(_ ticket: UInt64) {
        guard var question = questions[ticket] else { return }
        question.due = time.now().advanced(by: question.attempts.attemptTimeout)
        earliestDue = min(earliestDue, question.due)
        questions[ticket] = question
        do throws(Errno) {
            try server(at: question.attempts.server).ask(
                question.name, question.family, ticket: ticket, attempt: question.attempts.number)
        } catch {
            finish(ticket, .couldNotAsk(error))
        }
    }

    private func server(at position: Int) throws(Errno) -> AresServer {
        if let server = servers[position] { return server }
        let address = configuration.servers[position]
        let sockets = AresSockets(configuration.environment, to: address.address, at: position, in: poll)
        let server = try AresServer(
            address, sockets, usesTCP: configuration.resolvConf.usesTCP, timeout: plan.wholeTime)
        servers[position] = server
        return server
    }

    private func finish(_ ticket: UInt64, _ outcome: FamilyOutcome) {
        guard questions.removeValue(forKey: ticket) != nil else { return }
        answers.append(Answer(ticket: ticket, outcome: outcome))
    }

    // MARK: Driving

    /// Readable when a socket is ready.
    var rawDescriptor: Int32 { poll.rawDescriptor }

    /// How long until the next attempt may be due. Nil if no question is open.
    var timeout: Duration? {
        questions.isEmpty ? nil : earliestDue.duration(since: time.now())
    }

    /// Waits at most `limit`, unless there are answers already. Then handles what is ready or overdue.
    func process(waitingAtMost limit: Duration) {
        // If a question could not be sent, `ask` has left an answer.
        guard answers.isEmpty else { return }
        for ready in poll.wait(milliseconds: limit.wholeMilliseconds) {
            // The socket may have been closed for an earlier event.
            if let position = poll.server(of: ready) { servers[position]?.process(ready) }
        }
        askOverdue()
        settle()
    }

    /// Passes the attempts that have ended to their questions, until there are no more.
    private func settle() {
        var hasMoved = true
        while hasMoved {
            hasMoved = false
            for case let server? in servers {
                for ending in server.takeEndings() {
                    hasMoved = true
                    handle(ending, of: server)
                }
            }
        }
        clean()
    }

    private func handle(_ ending: AresServer.Ending, of server: AresServer) {
        guard let attempts = questions[ending.ticket]?.attempts else { return }
        switch ending.outcome {
        case .failed(let status) where status.mayPass:
            // If a socket cannot be made, c-ares reports that the server cannot be reached.
            let outcome = server.sockets.shortage.map(FamilyOutcome.couldNotAsk) ?? ending.outcome
            moveOn(ending.ticket, attempts) { $0.fail(ending.attempt, outcome) }
        default: finish(ending.ticket, ending.outcome)
        }
    }

    private func moveOn(
        _ ticket: UInt64, _ attempts: QuestionAttempts, _ change: (inout QuestionAttempts) -> Bool
    ) {
        var changed = attempts
        guard change(&changed) else { return finish(ticket, changed.failure) }
        questions[ticket]?.attempts = changed
        if changed.number != attempts.number { attempt(ticket) }
    }

    private func askOverdue() {
        let now = time.now()
        guard earliestDue <= now else { return }
        for (ticket, question) in questions.filter({ $0.value.due <= now }).sorted(by: { $0.key < $1.key }) {
            moveOn(ticket, question.attempts) { $0.timeOut() }
        }
        // Computed once, and not for each question: a thousand may wait for one silent server.
        earliestDue = questions.values.lazy.map(\.due).min() ?? .distantFuture
    }

    /// Forgets attempts whose questions are over. c-ares cannot cancel one of them, and closes no socket before its last.
    private func clean() {
        if questions.isEmpty { earliestDue = .distantFuture }
        for case let server? in servers where server.isInUse {
            let needed = questions.isEmpty ? -1 : questions.count * plan.rounds + Self.leftoverLimit
            if server.pendingCount > needed { server.cancelAll() }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityResolverFiles

/// The lookups of one resolver on one event loop: what is asked when, who is told, and what is due next. Does no I/O;
/// `NameDriver` performs its actions.
///
/// A name has one lookup, however many wait for it. A lookup asks one source after the other (`SourceWalk`). For DNS it has
/// one question for each family at a time, for the same full name (`NameProgress`), and each question goes to the servers
/// in turn (`QuestionAttempts`).
///
/// A module of the C library may hang. With another source behind it, it gets half of the time that is left, whether a thread
/// asks it or all threads are busy, and then counts as unavailable.
///
/// A burst of a thousand questions would overrun the receive queue of the server's socket or of ours (212,992 bytes hold
/// about 270 small datagrams, net.core.rmem_default), and each loss costs a whole attempt. So the number of open questions
/// is limited. A silent server must not delay the names of others, so the limit is raised while no answer comes.
struct NameMachine {
    typealias Waiter = UInt64
    typealias Ticket = UInt64

    enum Action {
        /// Send a question to the server at this position. `record` is called when the attempt ends.
        case ask(Attempt, server: Int)
        /// Ask a module of the C library. `record` is called with what it finds, which is of no use after this moment.
        case askModule(Ticket, String, NameQuery, until: BootTime)
        /// Tell a waiter the addresses of one family, while those of the other are not known.
        case report(Waiter, [IPAddress])
        /// Call `leave` if these addresses are enough for the waiter.
        case check(Waiter, [IPAddress])
        /// End waits with what is known.
        case finish([Waiter], NameQuery, Finding)
    }

    struct Attempt {
        let ticket: Ticket
        let number: Int
        let question: String
        let family: AddressFamily
    }

    /// How a name is looked up: the sources, and for DNS the full names to ask for in turn.
    struct Plan {
        var walk: SourceWalk
        let candidates: [String]
        let families: [AddressFamily]
    }

    /// The lookup of a name. An object, so that a name is not searched for at each step.
    private final class Lookup {
        let query: NameQuery
        var plan: Plan
        /// Nil while no server is asked.
        var progress: NameProgress?
        var waiters: Set<Waiter> = []
        /// Those that are not answered, also that of a module.
        var tickets: [Ticket] = []

        init(_ query: NameQuery, _ plan: Plan) {
            (self.query, self.plan) = (query, plan)
        }
    }

    private struct Wait {
        let lookup: Lookup
        let timeout: Duration
        var deadline: BootTime
        /// Whether a check is due: addresses of one family are known, and the waiter has not been asked since.
        var isChecking = false
        /// The deadline begins anew only once.
        var isExtended = false
    }

    private struct Question {
        let lookup: Lookup
        let text: String
        let family: AddressFamily
        var attempts: QuestionAttempts
        /// When the next attempt is due. Nil until the first is sent.
        var due: BootTime?
    }

    private enum Event {
        case attempt(Ticket)
        case deadline(Waiter)
        case check(Waiter)
        /// A module has had its part of the time.
        case module(Ticket)
        /// No answer has come for some time, while questions wait to be sent.
        case stall
    }

    private static let window = 128
    private static let stallLimit = Duration.milliseconds(100)

    private var plan = QuestionAttempts.Plan(servers: 1, rounds: 1, timeout: .zero)
    private var rotates = false
    private var lookups: [NameQuery: Lookup] = [:]
    private var waits: [Waiter: Wait] = [:]
    private var questions: [Ticket: Question] = [:]
    private var moduleTickets: [Ticket: Lookup] = [:]
    private var lastTicket: Ticket = 0
    /// The position of the server that the next question goes to first.
    private var nextServer = 0
    /// Questions that were not sent yet, from `first` on.
    private var backlog: [Ticket] = []
    private var first = 0
    private var allowance = NameMachine.window
    private var hasAnswered = false
    private var isStalling = false
    /// May contain events that no longer matter: each is checked when it is due. When there are very many, those are removed.
    private var events = MomentQueue<Event>()
    private var sweepCount = NameMachine.leastSweepCount
    private static let leastSweepCount = 64
    private var actions: [Action] = []

    // MARK: What others see

    /// What has to be done now, in order.
    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    /// When to call `advance`. Nil if nothing is due at any time.
    var nextMoment: BootTime? { events.next }
    var queries: [NameQuery] { Array(lookups.keys) }
    var isIdle: Bool { lookups.isEmpty }
    func isResolving(_ query: NameQuery) -> Bool { lookups[query] != nil }
    /// Whether the answer to an attempt is still of use.
    func isOpen(_ attempt: Attempt) -> Bool { questions[attempt.ticket]?.attempts.number == attempt.number }
    /// Questions that were sent and are not answered.
    private(set) var openCount = 0
    /// What may be due at some time.
    var eventCount: Int { events.count }

    // MARK: What happens

    /// Adds a waiter. The plan is used if the name is not being looked up.
    mutating func add(
        _ waiter: Waiter, for query: NameQuery, _ plan: @autoclosure () -> Plan, deadline: BootTime, now: BootTime
    ) {
        let known = lookups[query]
        let lookup = known ?? Lookup(query, plan())
        if known == nil { lookups[query] = lookup }
        lookup.waiters.insert(waiter)
        waits[waiter] = Wait(lookup: lookup, timeout: deadline.duration(since: now), deadline: deadline)
        if deadline != .distantFuture { schedule(.deadline(waiter), at: deadline) }
        if known == nil { beginStep(lookup, now) }
        report(lookup, to: waiter, now)
        send(now)
    }

    /// Ends one wait with what is known. The lookup goes on if it has other waiters.
    mutating func leave(_ waiter: Waiter, missing: FamilyOutcome) {
        guard let lookup = waits.removeValue(forKey: waiter)?.lookup else { return }
        lookup.waiters.remove(waiter)
        if lookup.waiters.isEmpty { remove(lookup.query) }
        var finding = Finding(missing, .none)
        if missing != .cancelled {
            finding = lookup.plan.walk.finding(lookup.progress?.finding(for: lookup.query, missing: missing) ?? finding)
        }
        actions.append(.finish([waiter], lookup.query, finding))
    }

    /// A module has answered.
    mutating func record(_ ticket: Ticket, _ finding: Finding, now: BootTime) {
        guard let lookup = moduleTickets[ticket] else { return }
        drop(ticket)
        endStep(lookup, finding, now)
        send(now)
    }

    /// A module could not be asked. The lookup ends, as what the module would have said decides about the sources behind it.
    mutating func refuse(_ ticket: Ticket, _ error: Errno) {
        guard let lookup = moduleTickets[ticket] else { return }
        let refused = Finding(.couldNotAsk(error), lookup.plan.walk.origin)
        actions.append(.finish(remove(lookup.query), lookup.query, lookup.plan.walk.finding(refused)))
    }

    /// An attempt has ended.
    mutating func record(_ ticket: Ticket, attempt: Int, _ outcome: FamilyOutcome, now: BootTime) {
        guard var question = questions[ticket] else { return }
        hasAnswered = true
        if outcome.mayPass {
            let isLast = !question.attempts.fail(attempt, outcome)
            let isNext = question.attempts.number != questions[ticket]?.attempts.number
            questions[ticket] = question
            if isLast { close(ticket, question.attempts.failure, now) } else if isNext { begin(ticket, now) }
        } else {
            close(ticket, outcome, now)
        }
        send(now)
    }

    /// Time has passed.
    mutating func advance(to now: BootTime) {
        while let event = events.popDue(at: now) {
            switch event {
            case .attempt(let ticket):
                guard let due = questions[ticket]?.due, due <= now else { continue }
                if questions[ticket]?.attempts.timeOut() == true {
                    begin(ticket, now)
                } else if let failure = questions[ticket]?.attempts.failure {
                    close(ticket, failure, now)
                }
            case .deadline(let waiter):
                if let deadline = waits[waiter]?.deadline, deadline <= now { leave(waiter, missing: .deadlinePassed) }
            case .check(let waiter):
                waits[waiter]?.isChecking = false
                guard let known = waits[waiter]?.lookup.progress?.addresses, !known.isEmpty else { continue }
                actions.append(.check(waiter, known))
            case .module(let ticket):
                guard let lookup = moduleTickets[ticket] else { continue }
                drop(ticket)
                endStep(lookup, Finding(.deadlinePassed, lookup.plan.walk.origin), now, as: .unavailable)
            case .stall:
                isStalling = false
                if !hasAnswered { allowance += Self.window }
            }
        }
        send(now)
    }

    /// The servers have changed. Drops every question; each lookup is then to be restarted or removed.
    ///
    /// - Parameter rotation: the position of the server that is asked first, if they are asked in turn.
    mutating func use(_ plan: QuestionAttempts.Plan, rotation: Int?) {
        (self.plan, rotates, nextServer) = (plan, rotation != nil, rotation ?? 0)
        dropQuestions()
        for lookup in lookups.values { lookup.tickets = [] }
    }

    /// Starts a lookup again from its first source. The deadlines of those that wait begin anew, once for each.
    mutating func restart(_ query: NameQuery, _ plan: Plan, now: BootTime) {
        guard let lookup = lookups[query] else { return }
        lookup.plan = plan
        for waiter in lookup.waiters {
            guard var wait = waits[waiter], !wait.isExtended, wait.deadline != .distantFuture else { continue }
            (wait.deadline, wait.isExtended) = (now.advanced(by: wait.timeout), true)
            waits[waiter] = wait
            schedule(.deadline(waiter), at: wait.deadline)
        }
        beginStep(lookup, now)
        send(now)
    }

    /// Removes a lookup. Answers to it that still come are ignored.
    ///
    /// - Returns: its waiters, in the order in which they came.
    @discardableResult
    mutating func remove(_ query: NameQuery) -> [Waiter] {
        guard let lookup = lookups.removeValue(forKey: query) else { return [] }
        for ticket in lookup.tickets { drop(ticket) }
        if lookups.isEmpty { dropQuestions() }
        for waiter in lookup.waiters { waits[waiter] = nil }
        return lookup.waiters.sorted()
    }

    private mutating func schedule(_ event: Event, at moment: BootTime) {
        if events.count >= sweepCount {
            let (waits, questions, modules) = (waits, questions, moduleTickets)
            events.removeAll { event in
                switch event {
                case .attempt(let ticket): questions[ticket] == nil
                case .deadline(let waiter), .check(let waiter): waits[waiter] == nil
                case .module(let ticket): modules[ticket] == nil
                case .stall: false
                }
            }
            sweepCount = max(Self.leastSweepCount, 2 * events.count)
        }
        events.insert(event, at: moment)
    }

    // MARK: Sources

    /// Asks the source whose turn it is, or ends the lookup if there is none.
    private mutating func beginStep(_ lookup: Lookup, _ now: BootTime) {
        let (query, plan) = (lookup.query, lookup.plan)
        lookup.progress = nil
        switch plan.walk.next {
        case .dns:
            let progress = NameProgress(candidates: plan.candidates, families: plan.families)
            lookup.progress = progress
            ask(lookup, progress)
        case .module(let name):
            lastTicket += 1
            moduleTickets[lastTicket] = lookup
            lookup.tickets.append(lastTicket)
            let end = endOfModule(lookup, now)
            actions.append(.askModule(lastTicket, name, query, until: end))
            if plan.walk.goesOnWithout, end != .distantFuture { schedule(.module(lastTicket), at: end) }
        case nil, .found: actions.append(.finish(remove(query), query, plan.walk.finding()))
        }
    }

    /// When the answer of a module is of no use any more. The one who waits longest decides. Others may have no time left for what is behind the module.
    private func endOfModule(_ lookup: Lookup, _ now: BootTime) -> BootTime {
        let last = lookup.waiters.compactMap { waits[$0]?.deadline }.max() ?? .distantFuture
        guard lookup.plan.walk.goesOnWithout, last != .distantFuture else { return last }
        return now.advanced(by: last.duration(since: now) / 2)
    }

    private mutating func endStep(
        _ lookup: Lookup, _ finding: Finding, _ now: BootTime, as status: NameSources.Status? = nil
    ) {
        lookup.plan.walk.record(finding, as: status)
        beginStep(lookup, now)
    }

    // MARK: Questions

    private mutating func ask(_ lookup: Lookup, _ progress: NameProgress) {
        for family in progress.families {
            lastTicket += 1
            questions[lastTicket] = Question(
                lookup: lookup, text: progress.question, family: family,
                attempts: QuestionAttempts(self.plan, first: nextServer))
            lookup.tickets.append(lastTicket)
            backlog.append(lastTicket)
        }
        // Servers may differ in what they know, so one is asked for both families.
        if rotates { nextServer = (nextServer + 1) % self.plan.servers }
    }

    /// Sends what the limit allows.
    private mutating func send(_ now: BootTime) {
        while first < backlog.count, openCount < allowance {
            first += 1
            let ticket = backlog[first - 1]
            guard questions[ticket] != nil else { continue }
            openCount += 1
            begin(ticket, now)
        }
        if first == backlog.count || first > 4096 {
            backlog.removeFirst(first)
            first = 0
        }
        guard first < backlog.count, !isStalling else { return }
        (isStalling, hasAnswered) = (true, false)
        schedule(.stall, at: now.advanced(by: Self.stallLimit))
    }

    /// Begins the present attempt of a question.
    private mutating func begin(_ ticket: Ticket, _ now: BootTime) {
        guard let question = questions[ticket] else { return }
        let due = now.advanced(by: question.attempts.attemptTimeout)
        questions[ticket]?.due = due
        schedule(.attempt(ticket), at: due)
        let attempt = Attempt(
            ticket: ticket, number: question.attempts.number, question: question.text, family: question.family)
        actions.append(.ask(attempt, server: question.attempts.server))
    }

    /// Ends a question.
    private mutating func close(_ ticket: Ticket, _ outcome: FamilyOutcome, _ now: BootTime) {
        guard let question = questions[ticket] else { return }
        let lookup = question.lookup
        drop(ticket)
        lookup.tickets.removeAll { $0 == ticket }
        guard var progress = lookup.progress else { return }
        let asksNext = progress.record(outcome, for: question.family)
        lookup.progress = progress
        if asksNext {
            ask(lookup, progress)
        } else if progress.isFinished {
            endStep(lookup, progress.finding(for: lookup.query), now)
        } else {
            for waiter in lookup.waiters { report(lookup, to: waiter, now) }
        }
    }

    private mutating func drop(_ ticket: Ticket) {
        moduleTickets[ticket] = nil
        if questions.removeValue(forKey: ticket)?.due != nil { openCount -= 1 }
    }

    private mutating func dropQuestions() {
        (questions, moduleTickets) = ([:], [:])
        (backlog, first, openCount, allowance) = ([], 0, 0, Self.window)
        // Without a lookup nothing is due. Otherwise deadlines remain.
        if lookups.isEmpty { (events, sweepCount) = (MomentQueue(), Self.leastSweepCount) }
        isStalling = false
    }

    /// Tells a waiter the addresses of one family, and has them checked after a while.
    private mutating func report(_ lookup: Lookup, to waiter: Waiter, _ now: BootTime) {
        guard let known = lookup.progress?.addresses, !known.isEmpty else { return }
        actions.append(.report(waiter, known))
        guard waits[waiter]?.isChecking == false else { return }
        waits[waiter]?.isChecking = true
        schedule(.check(waiter), at: now.advanced(by: Resolver.secondFamilyTimeout))
    }
}

extension FamilyOutcome {
    /// Whether asking once more, or another server, may help.
    fileprivate var mayPass: Bool {
        switch self {
        case .failed(let status): status.mayPass
        case .couldNotAsk: true
        default: false
        }
    }
}

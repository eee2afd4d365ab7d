// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NetworkFacts

/// Sends questions through one channel on an event loop, no faster than a server can take them.
///
/// A burst of a thousand questions would overrun the receive queue of the server's socket or of ours (212,992 bytes
/// hold about 270 small datagrams, net.core.rmem_default), and each loss costs a whole attempt. So the number of open
/// questions is limited. A silent server must not delay the names of others, so the limit is raised while no answer
/// comes.
final class QueryQueue {
    private static let window = 128
    private static let stallLimit = Duration.milliseconds(100)

    private typealias Handler = (FamilyOutcome) -> Void
    private struct Question {
        let name: String
        let family: AddressFamily
        let handler: Handler
    }

    private let loop: EventLoop
    private var channel: AresChannel?
    private var configuration: ResolverConfiguration?
    private var backlog: [Question] = []
    private var first = 0
    private var handlers: [UInt64: Handler] = [:]
    private var lastTicket: UInt64 = 0
    private var allowance = QueryQueue.window
    private var attemptTimer: (timer: LoopTimer, due: BootTime)?
    private var stallTimer: LoopTimer?
    /// Whether an answer has come since that timer was set.
    private var hasAnswered = false
    private var isSending = false

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func isOutdated(by configuration: ResolverConfiguration) -> Bool {
        self.configuration.map { $0 !== configuration } ?? false
    }

    /// Queues a question; `send` sends it.
    func enqueue(
        _ name: String, _ family: AddressFamily, _ configuration: ResolverConfiguration,
        _ handler: @escaping (FamilyOutcome) -> Void
    ) {
        precondition(!isOutdated(by: configuration), "reset before asking under another configuration")
        self.configuration = configuration
        backlog.append(Question(name: name, family: family, handler: handler))
    }

    /// Sends what may be sent, and delivers the answers that are there.
    func send() {
        // A handler below may enqueue more questions. The loop below sends those too.
        guard !isSending else { return }
        isSending = true
        defer { isSending = false }
        while first < backlog.count {
            let channel: AresChannel
            do throws(Errno) {
                channel = try openChannel()
            } catch {
                return failAll(error)
            }
            guard channel.pendingCount < allowance else { break }
            let question = backlog[first]
            first += 1
            lastTicket += 1
            handlers[lastTicket] = question.handler
            channel.ask(question.name, question.family, ticket: lastTicket)
            // This keeps our own receive queue short.
            if lastTicket % 16 == 0 { channel.process(waitingAtMost: .zero) }
            deliver(channel)
        }
        if first == backlog.count || first > 4096 {
            backlog.removeFirst(first)
            first = 0
        }
        armTimers()
    }

    /// Forgets every question. A channel without open questions has no socket, and stays.
    func clear() {
        backlog = []
        first = 0
        handlers = [:]
        if channel?.pendingCount != 0 { replaceChannel() }
        cancelTimers()
        allowance = Self.window
    }

    /// Forgets every question, and the channel.
    func reset() {
        clear()
        replaceChannel()
        configuration = nil
    }

    /// Whether a timer or an open socket could still wake the loop.
    var hasWork: Bool {
        attemptTimer != nil || stallTimer != nil || first < backlog.count || (channel?.pendingCount ?? 0) > 0
    }

    // MARK: The channel

    private func openChannel() throws(Errno) -> AresChannel {
        if let channel { return channel }
        guard let configuration else { preconditionFailure("asked under no configuration") }
        let opened = try AresChannel(configuration)
        try loop.watch(opened.rawDescriptor, for: .readable) { _ in self.work() }
        channel = opened
        return opened
    }

    private func replaceChannel() {
        if let channel { loop.unwatch(channel.rawDescriptor) }
        channel = nil
        handlers = [:]
    }

    private func work() {
        guard let channel else { return }
        channel.process(waitingAtMost: .zero)
        deliver(channel)
        send()
    }

    private func deliver(_ channel: AresChannel) {
        for answer in channel.takeAnswers() {
            hasAnswered = true
            handlers.removeValue(forKey: answer.ticket)?(answer.outcome)
        }
    }

    private func failAll(_ error: Errno) {
        let failed = backlog[first...]
        backlog = []
        first = 0
        for question in failed { question.handler(.couldNotAsk(error)) }
    }

    // MARK: Timers

    private func armTimers() {
        // If the timer fires early, it is armed again.
        if let channel, let timeout = channel.timeout, attemptTimer.map({ channel.earliestDue < $0.due }) ?? true {
            attemptTimer.map { loop.cancel($0.timer) }
            let timer = loop.schedule(at: loop.now().advanced(by: timeout)) {
                self.attemptTimer = nil
                self.work()
            }
            attemptTimer = (timer, channel.earliestDue)
        }
        if stallTimer == nil, first < backlog.count {
            hasAnswered = false
            stallTimer = loop.schedule(at: loop.now().advanced(by: Self.stallLimit)) {
                self.stallTimer = nil
                if !self.hasAnswered { self.allowance += Self.window }
                self.send()
            }
        }
        if channel?.pendingCount == 0 { cancelTimers() }
    }

    private func cancelTimers() {
        for timer in [attemptTimer?.timer, stallTimer] { timer.map(loop.cancel) }
        attemptTimer = nil
        stallTimer = nil
    }
}

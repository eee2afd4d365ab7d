// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityResolverFiles

/// The servers of one configuration. Each is opened when it is asked for the first time. Confined to a loop's thread.
final class NameServers {
    /// How many attempts may stay open at a server after another server has answered their questions.
    private static let leftoverLimit = 256

    let configuration: ResolverConfiguration
    private let loop: EventLoop
    private let changed: @Sendable () -> Void
    private var servers: [AresServer?]
    private var endings: [Ending] = []

    /// - Parameter changed: called after a server's socket was read or written. There may be endings then.
    init(_ configuration: ResolverConfiguration, on loop: EventLoop, changed: @escaping @Sendable () -> Void) {
        self.configuration = configuration
        self.loop = loop
        self.changed = changed
        servers = Array(repeating: nil, count: configuration.servers.count)
    }

    /// Asks a server for the addresses of a full name in one family. `takeEndings` returns how that ends.
    func ask(_ attempt: NameMachine.Attempt, at position: Int) {
        do throws(Errno) {
            try server(at: position).ask(attempt)
        } catch {
            endings.append((attempt, .couldNotAsk(error)))
        }
    }

    private func server(at position: Int) throws(Errno) -> AresServer {
        if let server = servers[position] { return server }
        let server = try AresServer(
            configuration.servers[position], AresSockets(configuration, position, on: loop),
            usesTCP: configuration.resolvConf.usesTCP, timeout: configuration.plan.wholeTime, changed)
        servers[position] = server
        return server
    }

    /// How attempts have ended since the last call.
    func takeEndings() -> [Ending] {
        for case let server? in servers { endings += server.takeEndings() }
        defer { endings = [] }
        return endings
    }

    /// Forgets attempts whose questions are over. c-ares cannot cancel one of them, and closes no socket before its last. So those
    /// that are open are made once more.
    ///
    /// - Returns: whether there are any. They may have ended at once.
    func clean(openQuestions: Int, isOpen: (NameMachine.Attempt) -> Bool) -> Bool {
        let needed = openQuestions == 0 ? -1 : openQuestions * configuration.plan.rounds + Self.leftoverLimit
        var hasAsked = false
        for case let server? in servers where server.isInUse && server.pendingCount > needed {
            for attempt in server.cancelAll() where isOpen(attempt) {
                server.ask(attempt)
                hasAsked = true
            }
        }
        return hasAsked
    }

    var hasWork: Bool { servers.contains { $0?.isInUse == true } }
}

extension NameServers {
    /// How one attempt ended.
    typealias Ending = (attempt: NameMachine.Attempt, outcome: FamilyOutcome)
}

extension ResolverConfiguration {
    /// How often and how long the servers are asked.
    var plan: QuestionAttempts.Plan {
        QuestionAttempts.Plan(
            servers: servers.count, rounds: max(1, resolvConf.attempts ?? environment.attempts),
            timeout: resolvConf.timeoutSeconds.map { min(.seconds($0), environment.attemptTimeout) }
                ?? environment.attemptTimeout)
    }
}

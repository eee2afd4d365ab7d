// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology

/// Makes random changes, each followed by questions, until the time is up.
final class Soak {
    private let network: SoakNetwork
    private var random: SeededGenerator
    private(set) var account = Account()
    /// References that are asked about at each step, and never watched.
    private let references: [(subject: Subject, reference: ReachabilityRef)]
    /// Watched references. Each is replaced from time to time.
    private var listeners: [Listener] = []
    /// The last changes, to be printed with a discrepancy.
    private var history: [String] = []

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        let network = try SoakNetwork()
        self.network = network
        references = try network.topology.run { try Subject.all.map { ($0, try $0.reference()) } }
        for _ in 0..<Self.mostListeners { try listen() }
    }

    private static let mostListeners = 60

    /// One step: one change or a burst of them, then every question and every listener.
    func step() throws {
        let burst = Int.random(in: 0..<6, using: &random) == 0 ? Int.random(in: 2...8, using: &random) : 1
        for _ in 0..<burst {
            let change = Change.random(using: &random)
            account.changes[change.kind, default: 0] += 1
            note("\(change)")
            if try !network.perform(change) { account.refused += 1 }
        }
        try check()
        try changeListeners()
        account.steps += 1
    }

    func sample(_ minute: Int) {
        let sample = Account.Sample(minute: minute)
        account.samples.append(sample)
        say("\(sample), \(account.steps) steps")
    }

    /// Ends everything that was started.
    func end() throws {
        for listener in listeners { try listener.end() }
        account.told += listeners.map(\.count).reduce(0, +)
        account.statistics = references[0].reference.statistics
        listeners = []
        try network.end()
    }

    // MARK: Asking

    private func check() throws {
        let names = network.names
        var truth = try oracle(names)
        for (subject, reference) in references {
            account.answers += 1
            var (flags, expected) = (try reference.getFlags(), subject.expected(truth, names))
            // An unexpected answer is wrong if the kernel gives the same answer afterwards. If the kernel's answer has
            // changed by itself meanwhile, both are asked again.
            while !expected.contains(flags) {
                truth = try oracle(names)
                let now = subject.expected(truth, names)
                if now == expected { break }
                account.unsteady += 1
                (flags, expected) = (try reference.getFlags(), now)
            }
            if !expected.contains(flags) { fault(subject, "getFlags", flags, expected) }
        }
        try checkByConnecting(names)
        var before = truth
        repeat {
            before = truth
            try network.settle()
            truth = try oracle(names)
        } while truth != before
        for listener in listeners { check(listener, listener.subject.expected(truth, names)) }
    }

    /// A second check: a socket can be connected if and only if the flags say "reachable", apart from the link's state.
    private func checkByConnecting(_ names: [String: [String]]) throws {
        for (subject, reference) in references {
            guard let connects = network.topology.run({ subject.connects() }) else { continue }
            account.connections += 1
            if connects == (try reference.getFlags()).contains(.reachable) { continue }
            // The network may have changed by itself in between. The socket does not depend on whether the link is up.
            let truth = try oracle(names)
            let again = network.topology.run { subject.connects() }
            let flags = try reference.getFlags()
            let isReachable = flags.contains(.reachable)
            // A link that waits for a login has no address yet.
            let isExcused = again == true ? subject.isCutOff(truth) : flags.contains(.connectionRequired)
            if again == isReachable || isExcused { continue }
            fault(subject, "\(flags), but a socket connects: \(again ?? false)")
        }
    }

    private func check(_ listener: Listener, _ expected: Set<ReachabilityFlags>) {
        account.states += 1
        // Nothing was told if the flags are the same as when watching began.
        if listener.isPrompt, listener.last.map(expected.contains) ?? true { return }
        let start = SystemTime().now()
        guard listener.waits(for: expected) else {
            return fault(listener.subject, "told \(listener.count) times, at last", listener.last, expected)
        }
        guard listener.isPrompt else { return }
        // The kernel has announced the change before making it (see Agenda), so that the first look saw the old
        // state.
        account.confirmed.append(
            (history.last ?? "", Int(SystemTime().now().duration(since: start) / .milliseconds(1))))
    }

    private func oracle(_ names: [String: [String]]) throws -> Oracle {
        let questions = Set(Subject.all.flatMap { $0.questions(names) }).sorted()
        return try network.topology.run { try Oracle(questions) }
    }

    private func fault(
        _ subject: Subject, _ how: String, _ flags: ReachabilityFlags?, _ expected: Set<ReachabilityFlags>
    ) {
        fault(subject, "\(how): \(flags.map { "\($0)" } ?? "nothing"), not \(expected)")
    }

    private func fault(_ subject: Subject, _ words: String) {
        account.discrepancies += 1
        say("WRONG \(subject): \(words); after:")
        for line in history.suffix(12) { say("    \(line)") }
        guard account.discrepancies == 1 else { return }
        // The whole network, once: what is wrong may stay so for many steps.
        for family in ["-4", "-6"] {
            for what in ["rule", "route show table all", "address"] {
                say((try? network.topology.ip("\(family) \(what)")) ?? "")
            }
        }
    }

    private func note(_ line: String) {
        history.append(line)
        if history.count > 100 { history.removeFirst(50) }
    }

    // MARK: Watching

    /// Replaces some clients, and asks through references that are not watched.
    private func changeListeners() throws {
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let listener = listeners.remove(at: Int.random(in: listeners.indices, using: &random))
            try listener.end()
            account.told += listener.count
            try listen()
        }
        let passing = Subject.all.randomElement(using: &random)!
        _ = try network.topology.run { try passing.reference() }.getFlags()
    }

    private func listen() throws {
        let subject = Subject.all.randomElement(using: &random)!
        let way = Listener.Way.allCases.randomElement(using: &random)!
        let reference = try network.topology.run { try subject.reference() }
        let flags = subject.isName ? [] : try reference.getFlags()
        listeners.append(try Listener(subject, reference, way, flags: flags, queue: network.queue))
        account.registrations += 1
    }
}

/// What a soak has done and found.
struct Account {
    var steps = 0
    var changes: [String: Int] = [:]
    var refused = 0
    /// Answers of getFlags, and states of listeners, that were compared.
    var answers = 0
    var states = 0
    /// Answers of getFlags that were compared with the result of connecting a socket.
    var connections = 0
    /// How often the kernel's own answer changed by itself while it was compared.
    var unsteady = 0
    /// The changes that only a delayed recheck noticed, and how many milliseconds late that was.
    var confirmed: [(after: String, milliseconds: Int)] = []
    var told = 0
    var registrations = 0
    var discrepancies = 0
    var statistics: ReachabilityStatistics?

    /// Samples of memory, threads and descriptors.
    var samples: [Sample] = []

    struct Sample: CustomStringConvertible {
        let minute: Int
        let kilobytes = ProcessState.residentKilobytes
        let threads = ProcessState.threads.count
        let descriptors = ProcessState.descriptors

        var description: String {
            "minute \(minute): \(kilobytes / 1024) MB, \(threads) threads, \(descriptors) descriptors"
        }
    }

    /// How much memory has grown from the first sample after the start to the last, in kilobytes.
    var growth: Int { (samples.last?.kilobytes ?? 0) - (samples.dropFirst().first?.kilobytes ?? 0) }

    /// Everything as text.
    var text: String {
        let kinds = changes.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
        return """
            \(steps) steps, \(changes.values.reduce(0, +)) changes, of which the kernel refused \(refused): \(kinds)
            \(answers) answers and \(states) states of listeners compared; \(unsteady) times the kernel's changed meanwhile
            \(connections) answers compared with what connecting a UDP socket says
            \(registrations) registrations, told \(told) times; \(confirmed.count) told by a confirming look, at most \
            \(confirmed.map(\.milliseconds).max() ?? 0) ms later, after: \(Set(confirmed.map(\.after)).sorted())
            \(statistics.map(Self.text) ?? "")
            \(samples.map { "\($0)" }.joined(separator: "\n"))
            \(discrepancies) discrepancies
            """
    }

    private static func text(_ statistics: ReachabilityStatistics) -> String {
        """
        \(statistics.events) announcements read, \(statistics.overruns) overruns of the queue, \(statistics.evaluationPasses) looks \
        at \(statistics.evaluations) targets, \(statistics.failures) looks failed
        """
    }
}

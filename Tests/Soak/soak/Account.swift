// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import TestHosts

/// What a soak has done and seen.
struct Account {
    var steps = 0
    var changes: [String: Int] = [:]
    var refused = 0
    /// Answers of getFlags, and states of listeners, that were compared.
    var answers = 0
    var states = 0
    /// Answers of getFlags that were compared with what connecting a socket said.
    var connections = 0
    /// How often the kernel's own answer changed by itself while it was compared.
    var unsteady = 0
    /// After which changes, and how many milliseconds late, something was told only by the look that confirms another.
    var confirmed: [(after: String, milliseconds: Int)] = []
    var told = 0
    var registrations = 0
    var discrepancies = 0
    var statistics: ReachabilityStatistics?

    /// Memory, threads and descriptors, as they were from time to time.
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

    /// Memory grown from the first sample after the start to the last, in kilobytes.
    var growth: Int { (samples.last?.kilobytes ?? 0) - (samples.dropFirst().first?.kilobytes ?? 0) }

    /// All of it, to be read.
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
        \(statistics.events) announcements read, \(statistics.overruns) overruns of the queue, \(statistics.looks) looks \
        at \(statistics.evaluations) targets, \(statistics.failures) looks failed
        """
    }
}

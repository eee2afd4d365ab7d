// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestTopology

/// A child process that watches a network and answers for one host, with this package or with GLib.
///
/// It reads commands and writes answers and reports of changes, all as lines. `Tests/Compare/glib/glib-watcher.c` lists
/// them.
final class Watcher {
    /// What is compared.
    enum Kind: Sendable {
        case package
        /// This package on a loop of the program, without a thread.
        case packageOnLoop
        case glib(GLib)

        var isGLib: Bool {
            guard case .glib = self else { return false }
            return true
        }

        var name: String {
            switch self {
            case .package: "this package"
            case .packageOnLoop: "this package, on the program's loop"
            case .glib(let glib): glib.name
            }
        }
    }

    let kind: Kind
    private let program: RunningProgram
    /// The times of its reports (CLOCK_MONOTONIC), for each thing it reports.
    private(set) var told: [String: [UInt64]] = [:]

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a watcher in the given network.
    init(_ kind: Kind, of host: Scenario.Question, in topology: Machine) throws {
        let words =
            switch kind {
            case .package: ["/proc/self/exe", "--watch", host.text]
            case .packageOnLoop: ["/proc/self/exe", "--watch-on-loop", host.text]
            case .glib(let glib): [glib.program, host.target]
            }
        self.kind = kind
        program = try RunningProgram(words, in: topology, takesInput: true, complaints: .passedOn)
    }

    // MARK: Commands

    /// Sends a command and returns the words of the answer.
    @discardableResult
    func say(_ command: String) throws -> [Substring] {
        program.type(command + "\n")
        while true {
            // GLib reads a million routes again and again.
            let words = try program.nextLine().split(separator: " ")
            if !note(words) { return words }
        }
    }

    /// Waits until it has reported a thing more than `count` times. Returns false if that does not happen in time.
    func waitUntilTold(of thing: String, moreThan count: Int, within limit: Duration = .seconds(5)) throws -> Bool {
        let deadline = ContinuousClock.now + limit
        while told[thing, default: []].count <= count {
            guard let line = try? program.nextLine(until: deadline) else { return false }
            guard note(line.split(separator: " ")) else { throw Failure(description: "unexpected line: \(line)") }
        }
        return true
    }

    func count(of thing: String) -> Int { told[thing, default: []].count }

    private func note(_ words: [Substring]) -> Bool {
        guard words.count == 3, words[0] == "told", let time = UInt64(words[2]) else { return false }
        told[String(words[1]), default: []].append(time)
        return true
    }

    func stop() throws { try program.stop() }

    func goOn() { program.send(SIGCONT) }
}

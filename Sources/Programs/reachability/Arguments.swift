// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem

/// The first word of the command line. Each verb has a type that does its work.
enum Verb: String, CaseIterable, Sendable {
    case check, watch, wait, path, export, completions

    /// The verb that a word means; nil for any that does no work of its own.
    init?(word: String) {
        self.init(rawValue: word == "explain" ? "check" : word)
    }

    /// The command line in short.
    var usage: String {
        switch self {
        case .check, .watch, .export: "reachability \(rawValue) [OPTIONS] TARGET..."
        case .wait: "reachability wait [OPTIONS] TARGET... [-- COMMAND...]"
        case .path: "reachability path [OPTIONS]"
        case .completions: "reachability completions bash|zsh|fish"
        }
    }

    /// The verb's work in one line.
    var summary: String {
        switch self {
        case .check: "print the present state"
        case .watch: "print the state, and each change"
        case .wait: "wait for hosts or connections, then run a command"
        case .path: "print how packets leave this machine"
        case .export: "print metrics, or keep them in a file"
        case .completions: "print completions for a shell"
        }
    }

    /// What else may be the first word.
    static let otherWords = [
        (word: "explain", summary: "the same as check --explain"),
        (word: "help", summary: "print the options of a verb"),
        (word: "version", summary: OptionTable.version.help),
    ]

    /// Everything that may be the first word.
    static var words: [(word: String, summary: String)] {
        allCases.map { ($0.rawValue, $0.summary) } + otherWords
    }

    static var names: [String] { allCases.map(\.rawValue) }

    var takesTargets: Bool { self != .path && self != .completions }
}

/// The parsed command line.
struct Arguments: Equatable, Sendable {
    enum ColorChoice: String, CaseIterable, Sendable {
        case auto, always, never
    }

    var verb = Verb.check
    var isJSON = false
    /// For `wait`: whether every look is told on standard error, and not only what is waited for after a second.
    var isExplaining = false
    var isQuiet = false
    var color = ColorChoice.auto
    /// For `path`: whether to print changes too.
    var isWatching = false
    /// For `check` and `wait`, the longest that the whole may take. That for each name is in `options`.
    var timeout: Duration?
    var waiting = WaitArguments()
    /// For `export`, the path of the file to keep current; nil for standard output.
    var textfile: String?
    /// For `completions`.
    var shell = ""
    var options = ReachabilityOptions()
    /// Where the targets come from, in order.
    var targets: [TargetSource] = []
}

extension Arguments {
    /// What does not fit the conditions of `wait`.
    var waitingProblems: [String] {
        if waiting.isNegated,
            waiting.network.needPath || waiting.needsNameServer || !waiting.connections.isEmpty
        {
            return [
                "--not fits only targets without a port; leave it out, or --not-expensive, --not-constrained, --dns, --online and "
                    + "connections (HOST:PORT or --connect)"
            ]
        }
        if waiting.isAny, waiting.isOnline {
            return ["--any does not fit --online, as one of its two parts would do; pass `default` or --dns"]
        }
        if let first = waiting.escapedFrom,
            targets[first...].contains(where: { if case .list = $0 { true } else { false } })
        {
            return [
                "--unescape does not reach into a list; write its targets as they are, and put --unescape behind it"
            ]
        }
        guard !waiting.connections.isEmpty else { return [] }
        if options.mark != nil || options.sourceAddress != nil || options.userID != nil || options.transport != .tcp {
            return [
                "--source, --mark, --uid and --udp do not fit a connection (HOST:PORT or --connect), whose packets are "
                    + "TCP's and those of this program itself"
            ]
        }
        guard timeout == .zero else { return [] }
        return ["--timeout 0 leaves no time to make a connection (HOST:PORT or --connect); pass more, such as 1"]
    }
}

/// What `wait` waits for, beside its targets, and what it does then.
struct WaitArguments: Equatable, Sendable {
    /// Whether one condition is enough.
    var isAny = false
    /// Whether to wait until targets are not reachable.
    var isNegated = false
    /// What the network to each target must be like.
    var network = RequestGate.Conditions()
    /// How many sources of targets come before those that are escaped as in the name of a unit; nil if none is.
    var escapedFrom: Int?
    /// How long the conditions have to hold without a break.
    var stableTime: Duration = .zero
    /// Whether a name server has to be reachable.
    var needsNameServer = false
    /// Whether the default path and a name server were asked for in one word.
    var isOnline = false
    /// Connections that have to succeed: those of `--connect`, and the targets with a port.
    var connections: [ConnectionTarget] = []
    /// The command to run, and its arguments.
    var command: [String] = []
}

extension WaitArguments {
    /// A target as it was meant. In the name of a unit, systemd-escape(1) writes a byte as `\xff`. It also writes `/` as `-`, which
    /// is part of many names and of no target, so `-` stays.
    func unescaped(_ word: String) -> String {
        escapedFrom != nil ? String(validating: word.unescapedBytes, as: UTF8.self) ?? word : word
    }
}

/// What the command line requests.
enum Request: Equatable {
    case run(Arguments)
    /// The general help, or that of a verb.
    case help(Verb?)
    case version
    /// One sentence for each mistake.
    case refuse([String])
}

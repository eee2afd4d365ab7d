// SPDX-License-Identifier: Apache-2.0

/// The exit statuses, all in one place. If several apply, the highest counts.
enum ExitStatus: Int32, Comparable, CaseIterable {
    case allReachable = 0
    case notAllReachable = 1
    case undetermined = 2
    /// EX_USAGE of sysexits.h.
    case usage = 64
    /// The status of timeout(1): the time of `wait` ran out, before the command, which may end with 1 itself, was started.
    case timedOut = 124
    /// The statuses of shells, env(1) and timeout(1) for a command that cannot be run.
    case cannotRun = 126
    case commandNotFound = 127
    /// The program ends by the signal itself, and this is what a shell makes of that.
    case hungUp = 129
    case interrupted = 130
    case readerGone = 141
    case terminated = 143

    static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }

    /// The signal that ends the program, if it is one.
    var signal: Int32? { self >= .hungUp ? rawValue - 128 : nil }

    /// The meaning for a verb, or for all of them together; nil if the verb never ends so.
    func meaning(for verb: Verb?) -> String? {
        switch (self, verb) {
        case (.allReachable, .path): "packets can leave"
        case (.notAllReachable, .path): "they cannot"
        case (.allReachable, .completions): "printed"
        case (.allReachable, .export): "printed, whatever the states are"
        case (.undetermined, .export):
            "an error: the kernel could not be asked, changes cannot be observed, or the file cannot be written"
        case (.allReachable, .wait): "what was waited for"
        case (.timedOut, .wait): "the time ran out"
        case (.timedOut, nil): "wait: not in time"
        case (.allReachable, .watch), (.timedOut, _), (.notAllReachable, .completions): nil
        case (.notAllReachable, .watch), (.notAllReachable, .wait), (.notAllReachable, .export): nil
        case (.undetermined, .watch): "changes cannot be observed, or results cannot be written"
        case (.undetermined, .check): "an error, or no name server answered in time"
        case (.allReachable, _): "all reachable"
        case (.notAllReachable, _): "not all"
        case (.undetermined, _): "an error"
        case (.usage, _): "a wrong argument"
        case (.cannotRun, .wait): "the command cannot be run"
        case (.commandNotFound, .wait): "there is no such command"
        case (.cannotRun, _), (.commandNotFound, _), (.readerGone, .wait): nil
        case (.hungUp, _): "hung up"
        case (.interrupted, _): "interrupted"
        case (.terminated, _): "terminated"
        case (.readerGone, _): "the reader is gone"
        }
    }

    /// The line of the help about them.
    static func help(for verb: Verb?) -> String {
        "Exit status: "
            + allCases.compactMap { status in status.meaning(for: verb).map { "\(status.rawValue) \($0)" } }
            .joined(separator: ", ") + "."
    }
}

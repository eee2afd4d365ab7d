// SPDX-License-Identifier: Apache-2.0

import CReachabilityLinux
import ReachabilityCommandLine
import ReachabilityKit
import ReachabilityLinuxSystem

/// Results go to standard output, complaints to standard error.
enum Output {
    /// The loop that reads the signals, once there is one. From then on no write may block: no signal would end it. Used by the main
    /// thread only.
    nonisolated(unsafe) static var loop: (any PrintingLoop)?

    /// Prints a result at once, also to a pipe. The program ends if the reader is gone.
    static func result(_ line: String) {
        let text = line + "\n"
        if let loop = unsafe loop { return loop.print(text) }
        do throws(Errno) {
            try StandardStream.output.write(text)
        } catch {
            exitWithoutReader(error)
        }
    }

    /// Prints an error on one line. Control characters, which may come from an argument, are escaped.
    static func complaint(_ line: String) {
        let text = "reachability: \(line.printable)\n"
        if let loop = unsafe loop { return loop.complain(text) }
        // A failure to print an error cannot be reported.
        try? StandardStream.error.write(text)
    }

    /// Ends the program because its results cannot be written. A reader that has read enough, as in `watch | head`, is no
    /// error: the program ends as any other does then.
    static func exitWithoutReader(_ error: Errno) -> Never {
        if error == .brokenPipe { exitNow(.readerGone) }
        complaint("cannot write the result: \(error)")
        exitNow(.undetermined)
    }
}

extension [String] {
    /// The first words, with commas, and how many there are more.
    func shortened(to count: Int) -> String {
        (prefix(count) + (self.count > count ? ["and \(self.count - count) more"] : [])).joined(separator: ", ")
    }
}

extension Result where Failure == ReachabilityError {
    /// The value; nil after the error was printed.
    func valueOrComplaint() -> Success? {
        if case .failure(let error) = self { Output.complaint(error.description) }
        return try? get()
    }
}

/// Writes, and handles signals while the reader takes nothing.
protocol PrintingLoop: AnyObject {
    func print(_ text: String)
    func complain(_ text: String)
}

/// The size of a terminal in characters.
struct TerminalSize: Hashable, Sendable {
    var columns: Int
    var rows: Int
}

extension StandardStream {
    /// The size of the terminal (ioctl_tty(2)); 80 by 24 if it does not tell.
    var terminalSize: TerminalSize {
        var size = winsize()
        guard unsafe ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return TerminalSize(columns: 80, rows: 24) }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Whether the cursor can be moved: a terminal whose TERM is not "dumb".
    var hasMovableCursor: Bool {
        guard isTerminal else { return false }
        guard let name = unsafe getenv("TERM") else { return true }
        return unsafe strcmp(name, "dumb") != 0
    }
}

/// A state in words: those of the flags, and behind "Not Reachable" the reason.
struct StateText: Equatable {
    /// The number is that of the color (ECMA-48 8.3.117), one that every terminal has.
    enum Kind: Int {
        case reachable = 32
        case needsConnection = 33
        case unreachable = 31
    }

    let words: String
    let kind: Kind

    /// - Parameter isError: whether the flags are not known.
    init(_ flags: ReachabilityFlags, _ reason: String, isError: Bool = false) {
        let state = isError ? "Unknown" : "\(flags)"
        words = flags.isEmpty && !reason.isEmpty ? "\(state) (\(reason))" : state
        kind = flags.isReachable ? .reachable : flags.isEmpty ? .unreachable : .needsConnection
    }

    init(_ explanation: Explanation) {
        self.init(explanation.flags, explanation.reasonWords, isError: explanation.isError)
    }

    /// The reason why a target is not reachable, in a few words.
    static func brief(_ flags: ReachabilityFlags, _ reason: String) -> String {
        flags.isEmpty ? reason : Reason.dormantLink.words
    }
}

extension Explanation {
    /// In place of an answer that there is none of.
    init(_ target: String, _ error: ReachabilityError) {
        self.init(
            target: target, flags: [], lookupMethod: .netlink, reason: error.description, code: Self.errorCode,
            words: error.explanation, isUndetermined: true, steps: [])
    }

    private static let errorCode = "error"
    var isError: Bool { reasonCode == Self.errorCode }
}

/// Colors states on a terminal.
struct Paint: Sendable {
    let isOn: Bool

    /// - Parameter choice: with `auto`, color needs a terminal that is not "dumb", and no NO_COLOR (no-color.org).
    init(_ choice: Arguments.ColorChoice) {
        isOn =
            switch choice {
            case .always: true
            case .never: false
            case .auto:
                StandardStream.output.hasMovableCursor && EnvironmentVariable.value(of: "NO_COLOR")?.isEmpty ?? true
            }
    }

    /// The words of a state, safe to print.
    func callAsFunction(_ state: StateText) -> String { self(state.words.printable, state.kind) }

    func callAsFunction(_ text: String, _ kind: StateText.Kind) -> String {
        isOn ? "\u{1B}[\(kind.rawValue)m\(text)\u{1B}[0m" : text
    }
}

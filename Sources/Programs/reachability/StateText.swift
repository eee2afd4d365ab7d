// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// A state in words: those of the flags, and behind "Not Reachable" the reason.
struct StateText: Equatable {
    enum Kind {
        case reachable, needsConnection, unreachable
    }

    let words: String
    let kind: Kind

    init(_ flags: ReachabilityFlags, _ reason: String) {
        words = flags.isEmpty && !reason.isEmpty ? "\(flags) (\(reason))" : "\(flags)"
        kind = flags.isReachable ? .reachable : flags.isEmpty ? .unreachable : .needsConnection
    }

    init(_ explanation: Explanation) {
        self.init(explanation.flags, explanation.reasonWords)
    }
}

/// Colors states on a terminal (ECMA-48 8.3.117), in the colors that every terminal has.
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
        guard isOn else { return text }
        let color =
            switch kind {
            case .reachable: 32
            case .needsConnection: 33
            case .unreachable: 31
            }
        return "\u{1B}[\(color)m\(text)\u{1B}[0m"
    }
}

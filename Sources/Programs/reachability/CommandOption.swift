// SPDX-License-Identifier: Apache-2.0

/// One option of the command line. The help, the completions and the parser are made from the table of these; a test
/// compares the manual page with it.
struct CommandOption: Sendable {
    /// The heading under which the help lists an option.
    enum Group: String, CaseIterable, Sendable {
        case output = "Output"
        case waiting = "What to wait for"
        case targets = "Targets"
        case routes = "Lookup of routes"
        case names = "Resolution of names"
    }

    /// The value that an option takes.
    struct Value: Sendable {
        /// In capitals, as the help writes it.
        let name: String
        /// What is expected, after "pass" or "needs a value:".
        let expectation: String
        let completion: Completion
        /// What to do about a value that is nearly right; nil for any other.
        let hint: @Sendable (String) -> String?

        init(
            _ name: String, _ expectation: String, _ completion: Completion = .none,
            hint: @escaping @Sendable (String) -> String? = { _ in nil }
        ) {
            (self.name, self.expectation, self.completion, self.hint) = (name, expectation, completion, hint)
        }
    }

    /// With the dashes.
    let name: String
    /// A dash and one character.
    let short: String?
    let value: Value?
    let verbs: [Verb]
    let group: Group
    /// One sentence without a full stop.
    let help: String
    /// Stores the value, or "" if the option has none. Returns false if the value is invalid.
    let apply: @Sendable (_ value: String, _ arguments: inout Arguments) -> Bool

    /// An option with a value.
    init(
        _ name: String, short: String? = nil, _ value: Value, for verbs: Verb..., in group: Group, _ help: String,
        apply: @escaping @Sendable (String, inout Arguments) -> Bool
    ) {
        (self.name, self.short, self.value) = (name, short, value)
        (self.verbs, self.group, self.help, self.apply) = (verbs, group, help, apply)
    }

    /// An option without one.
    init(
        _ name: String, short: String? = nil, for verbs: Verb..., in group: Group, _ help: String,
        apply: @escaping @Sendable (inout Arguments) -> Void
    ) {
        (self.name, self.short, value) = (name, short, nil)
        (self.verbs, self.group, self.help) = (verbs, group, help)
        self.apply = { _, arguments in
            apply(&arguments)
            return true
        }
    }

    /// The words that it can be given as.
    var words: [String] { [short, name].compactMap(\.self) }

    /// The help in a few words, for completions.
    var summary: String { String(help.prefix { $0 != ";" && $0 != "(" }).trimmingSpaces }
}

extension StringProtocol {
    /// The text without spaces, tabs and carriage returns at its ends.
    var trimmingSpaces: String {
        let start = drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}

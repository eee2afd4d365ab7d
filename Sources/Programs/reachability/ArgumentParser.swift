// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// Parses the command line. It looks nothing up but the name of a user.
struct ArgumentParser {
    private var words: ArraySlice<String>
    private var arguments = Arguments()
    /// The verb as it was typed.
    private var verbWord = ""
    private var isExplain: Bool { verbWord == "explain" }
    private var complaints: [String] = []

    static func parse(_ words: [String]) -> Request {
        var parser = ArgumentParser(words: words[...])
        return parser.request()
    }

    private mutating func request() -> Request {
        verbWord = words.popFirst() ?? ""
        if let special = specialRequest() { return special }
        // The word is not repeated, as it may be a URL with a password.
        guard let verb = Verb(word: verbWord) else {
            return .refuse(["the first word has to be a verb: \(Self.verbs("or")), as in `reachability check HOST`"])
        }
        arguments.verb = verb
        arguments.isExplaining = isExplain
        var onlyTargets = false
        while let word = words.popFirst() {
            if onlyTargets {
                readTarget(word)
            } else if word == "-", arguments.verb.takesTargets {
                arguments.targets.append(.list("-"))
            } else if !word.hasPrefix("-") || word == "-" {
                readTarget(word)
            } else if word == "--" {
                if arguments.verb == .wait {
                    readCommand()
                } else {
                    onlyTargets = true
                }
            } else if word == OptionTable.help.name || word == OptionTable.help.short {
                return .help(arguments.verb)
            } else if word == OptionTable.version.name || word == OptionTable.version.short {
                return .version
            } else {
                readOption(word)
            }
        }
        checkWhole()
        return complaints.isEmpty ? .run(arguments) : .refuse(complaints)
    }

    // MARK: Verbs

    /// `help`, `help VERB` and `version`, and the options that do the same.
    private func specialRequest() -> Request? {
        let surplus = words.dropFirst(verbWord == "help" ? 1 : 0)
        if ["help", "version"].contains(verbWord), !surplus.isEmpty {
            let end = verbWord == "help" ? "help` takes one verb" : "version` takes nothing"
            return .refuse(["`\(end); leave out '\(surplus.joined(separator: " "))'"])
        }
        switch (verbWord, words.first) {
        case ("version", _), (OptionTable.version.name, _), (OptionTable.version.short, _): return .version
        case ("help", nil), (OptionTable.help.name, _), (OptionTable.help.short, _): return .help(nil)
        case ("help", let word?):
            if let verb = Verb(word: word) { return .help(verb) }
            if word == "help" || word == "--help" || word == "version" { return .help(nil) }
            return .refuse(["there is no verb '\(word)' to help with; the verbs are \(Self.verbs("and"))"])
        default: return nil
        }
    }

    private static func verbs(_ word: String) -> String { listed(Verb.words.map { "`\($0.word)`" }, word) }

    // MARK: Targets

    private mutating func readTarget(_ word: String) {
        if arguments.verb == .completions {
            if !arguments.shell.isEmpty { complain("`completions` takes one shell") }
            arguments.shell = word
            return
        }
        let word = arguments.waiting.unescaped(word)
        arguments.targets.append(.word(word))
        do throws(ReachabilityError) {
            if let connection = try TargetWord(word, for: arguments.verb).connection, arguments.verb == .wait {
                arguments.targets.removeLast()
                arguments.waiting.connections.append(connection)
            }
        } catch {
            complain(error.description)
        }
    }

    private mutating func readCommand() {
        arguments.waiting.command = Array(words)
        words = []
        guard arguments.waiting.command.isEmpty else { return }
        complain("no command follows `--`; write one, as in `-- ./server`, or leave out the `--`")
    }

    // MARK: Options

    private mutating func readOption(_ word: String) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let (name, attached) = (parts[0], parts.count == 2 ? parts[1] : nil)
        guard let option = OptionTable.all.first(where: { $0.words.contains(name) }) else {
            if let parts = shortOptions(word) {
                words = parts + words
                return
            }
            let meant = nearestOption(name).map { "did you mean `\($0)`? " } ?? ""
            return complain("unknown option '\(name)'; \(meant)`reachability \(verbWord) --help` lists the options")
        }
        let fits = option.verbs.contains(arguments.verb)
        if !fits {
            let verbs = Self.listed(option.verbs.map { "`\($0.rawValue)`" }, "or")
            let meant = option.name == "--timeout" ? "; --name-timeout limits the lookup of a name" : ""
            complain(
                "\(name) does not fit `\(verbWord)`; use it with \(verbs)\(arguments.verb.takesTargets ? meant : "")")
        }
        guard let expected = option.value else {
            if attached != nil { complain("\(name) takes no value; remove the '=' and what follows") }
            if fits { _ = option.apply("", &arguments) }
            return
        }
        guard let value = attached ?? words.popFirst() else {
            return complain("\(name) needs a value: \(expected.expectation)")
        }
        if fits, value.isEmpty || !option.apply(value, &arguments) {
            complain("\(name) '\(value)' is invalid; \(expected.hint(value) ?? "pass \(expected.expectation)")")
        }
    }

    /// The parts of several short options in one word, or of one with its value, such as -qt5; nil if it is none.
    private func shortOptions(_ word: String) -> [String]? {
        guard !word.hasPrefix("--"), word.count > 2,
            let option = OptionTable.all.first(where: { $0.short == String(word.prefix(2)) })
        else { return nil }
        let rest = String(word.dropFirst(2))
        return [String(word.prefix(2)), option.value == nil ? "-" + rest : rest]
    }

    /// The option that was probably meant; first those of the verb.
    private func nearestOption(_ word: String) -> String? {
        let options = OptionTable.offered(to: arguments.verb) + OptionTable.all
        let names = options.map(\.name) + [OptionTable.help.name, OptionTable.version.name]
        return names.first { Spelling.distance(word.lowercased(), $0) <= ($0.count > 7 ? 2 : 1) }
    }

    // MARK: The whole

    private mutating func checkWhole() {
        switch arguments.verb {
        case .path:
            if !arguments.targets.isEmpty {
                complain("`path` takes no target, as it is about the whole machine; use `check` for a target")
            }
        case .completions:
            if CompletionShell(rawValue: arguments.shell) == nil {
                complain(
                    arguments.shell.isEmpty
                        ? "no shell given; pass bash, zsh or fish"
                        : "there are no completions for '\(arguments.shell)'; pass bash, zsh or fish")
            }
        case .check, .watch, .wait, .export:
            let waiting = arguments.waiting
            // Another mistake may have swallowed the target.
            if arguments.targets.isEmpty, waiting.connections.isEmpty, !waiting.needsNameServer, complaints.isEmpty {
                complain(
                    "no target given; pass a name, an address, LOCAL,REMOTE or 'default'"
                        + (arguments.verb == .wait ? ", or --connect HOST:PORT, --online or --dns" : "")
                        + "; `reachability help` says more")
            }
            arguments.waitingProblems.forEach { complain($0) }
        }
        if let path = arguments.textfile { checkTextfile(path) }
        checkForm()
        if arguments.targets.count(where: { $0 == .list("-") }) > 1 {
            complain("'-' is standard input, which can be read only once; leave out all but one")
        }
    }

    /// An answer is printed in one form.
    private mutating func checkForm() {
        let (hasReasons, hasJSON, isQuiet) = (arguments.isExplaining, arguments.isJSON, arguments.isQuiet)
        // `watch` takes --explain and --json together.
        guard arguments.verb != .watch else { return }
        var forms = (hasReasons ? [isExplain ? "`explain`" : "--explain"] : [])
        forms += (hasJSON ? ["--json"] : []) + (isQuiet ? ["--quiet"] : [])
        if arguments.isWatching, isQuiet { forms.append("--watch") }
        guard forms.count > 1 else { return }
        let right =
            isExplain
            ? "write " + Self.listed(forms.map { $0.hasPrefix("-") ? "`check \($0)`" : $0 }, "or") : "pass one of them"
        complain("\(Self.listed(forms, "and")) cannot be combined; \(right)")
    }

    /// Words with commas, and another word before the last.
    private static func listed(_ words: [String], _ word: String) -> String {
        (words.dropLast(2) + [words.suffix(2).joined(separator: " \(word) ")]).joined(separator: ", ")
    }

    private mutating func checkTextfile(_ path: String) {
        if path.hasSuffix("/") {
            complain("--textfile '\(path)' is a folder; pass a file in it, such as \(path)reachability.prom")
        } else if !path.hasSuffix(".prom") {
            complain("--textfile '\(path)' would not be read: node_exporter takes only names that end in .prom")
        }
    }

    /// Adds a complaint, once.
    private mutating func complain(_ text: String) {
        if !complaints.contains(text) { complaints.append(text) }
    }
}

/// How far one word is from another.
enum Spelling {
    /// The least number of letters to add, drop, change or swap with the next one (Damerau and Levenshtein).
    static func distance(_ first: String, _ second: String) -> Int {
        let (a, b) = (Array(first.utf8), Array(second.utf8))
        guard abs(a.count - b.count) <= 2 else { return 3 }
        var rows = Array(repeating: Array(0...b.count), count: a.count + 1)
        for i in 0..<a.count {
            rows[i + 1][0] = i + 1
            for j in 0..<b.count {
                var least = min(rows[i][j + 1] + 1, rows[i + 1][j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, rows[i - 1][j - 1] + 1) }
                rows[i + 1][j + 1] = least
            }
        }
        return rows[a.count][b.count]
    }
}

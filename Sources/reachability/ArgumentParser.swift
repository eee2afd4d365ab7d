// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// Parses the command line. Pure: it looks nothing up, so tests need no system.
struct ArgumentParser {
    private var words: ArraySlice<String>
    private var arguments = Arguments()
    private var hasVerb = false
    private var complaints: [String] = []

    static func parse(_ words: [String]) -> Request {
        var parser = ArgumentParser(words: words[...])
        return parser.request()
    }

    private init(words: ArraySlice<String>) {
        self.words = words
    }

    private mutating func request() -> Request {
        if let verb = words.first.flatMap(Arguments.Verb.init) {
            arguments.verb = verb
            hasVerb = true
            words.removeFirst()
        }
        var onlyTargets = false
        while let word = words.popFirst() {
            if onlyTargets || !word.hasPrefix("-") || word == "-" {
                readTarget(word, isAfterDashes: onlyTargets)
            } else if word == "--" {
                onlyTargets = true
            } else if word == "--help" || word == "-h" {
                return .help(hasVerb ? arguments.verb : nil)
            } else if word == "--version" {
                return .version
            } else {
                readOption(word)
            }
        }
        checkWhole()
        return complaints.isEmpty ? .run(arguments) : .refuse(complaints)
    }

    private mutating func readTarget(_ word: String, isAfterDashes: Bool) {
        arguments.targets.append(word)
        if !hasVerb, !isAfterDashes, Arguments.Verb(rawValue: word) != nil {
            complain(
                "'\(word)' is a verb and has to come first; for a host of that name, begin with `check` or put `--` "
                    + "before the name")
            return
        }
        do throws(ReachabilityError) {
            if let problem = try TargetText(word).problem { throw problem }
        } catch {
            complain(error.description)
        }
    }

    private mutating func readOption(_ word: String) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let (name, attached) = (parts[0], parts.count == 2 ? parts[1] : nil)
        if let option = FlagOption(rawValue: name) {
            if attached != nil { complain("\(name) takes no value; remove the '=' and what follows") }
            let verb = arguments.verb
            if option.verbs.contains(verb) {
                option.apply(to: &arguments)
            } else {
                let names = option.verbs.map { "`\($0.rawValue)`" }
                let others = (names.dropLast(2) + [names.suffix(2).joined(separator: " or ")]).joined(separator: ", ")
                complain(
                    "\(name) does not fit `\(verb.rawValue)`, \(option.reasonAgainst(verb)); use it with \(others)")
            }
        } else if let option = ValueOption(rawValue: name) {
            if arguments.verb == .path, option != .namespace {
                complain("\(name) does not fit `path`, which has no target")
            }
            guard let value = attached ?? words.popFirst() else {
                complain("\(name) needs a value: \(option.expectation)")
                return
            }
            if !option.apply(value, to: &arguments) {
                complain("\(name) '\(value)' is invalid; pass \(option.expectation)")
            }
        } else {
            complain("unknown option '\(name)'; `reachability \(arguments.verb.rawValue) --help` lists the options")
        }
    }

    private mutating func checkWhole() {
        if arguments.verb == .path {
            if !arguments.targets.isEmpty {
                complain("`path` takes no target, as it is about the whole machine; use `check` for a target")
            }
        } else if arguments.targets.isEmpty {
            complain("no target given; pass a name, an address, LOCAL,REMOTE or 'default'")
        }
        if [.watch, .wait].contains(arguments.verb), arguments.options.resolutionPolicy == .optimistic {
            complain(
                "--policy optimistic does not fit `\(arguments.verb.rawValue)`, which resolves names in any case; "
                    + "use it with `check`")
        }
        if arguments.isJSON, arguments.isExplaining {
            complain("--json and --explain cannot be combined; the JSON contains the reason")
        }
    }

    /// Adds a complaint, once.
    private mutating func complain(_ text: String) {
        if !complaints.contains(text) { complaints.append(text) }
    }
}

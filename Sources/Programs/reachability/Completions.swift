// SPDX-License-Identifier: Apache-2.0

/// The shells that completions are offered for.
enum CompletionShell: String, CaseIterable {
    case bash, zsh, fish

    /// The name of the installed file, as each shell looks for it.
    var fileName: String {
        switch self {
        case .bash: "reachability"
        case .zsh: "_reachability"
        case .fish: "reachability.fish"
        }
    }

    /// The completions, made from the table of options.
    var text: String {
        switch self {
        case .bash: BashCompletions.text
        case .zsh: ZshCompletions.text
        case .fish: FishCompletions.text
        }
    }

    static let heading = "# Completions of reachability(1), printed by `reachability completions`. Do not edit."
}

extension Verb {
    /// The options offered, and those of every verb.
    var optionWords: [String] {
        OptionTable.offered(to: self).flatMap { [$0.short, $0.name].compactMap(\.self) } + [OptionTable.help.name]
    }
}

/// For bash 4 and later. Nothing of the bash-completion package is used but the place.
enum BashCompletions {
    static var text: String {
        let verbs = Verb.allCases.map(\.rawValue)
        let cases = Verb.allCases.map { verb in
            "        \(verb.rawValue)) options='\(verb.optionWords.joined(separator: " "))' ;;"
        }
        var values: [String] = []
        var seen: Set<String> = []
        for option in OptionTable.all {
            guard let value = option.value, seen.insert(option.name).inserted else { continue }
            let names = [option.short, option.name].compactMap(\.self).joined(separator: "|")
            values.append("        \(names)) \(words(value.completion)); return ;;")
        }
        return """
            \(CompletionShell.heading)
            _reachability() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb= options= word
                COMPREPLY=()
                # Bash takes the = of --option=value for a word.
                [ "$previous" != = ] || previous=${COMP_WORDS[COMP_CWORD-2]}
                [ "$current" != = ] || current=
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    case $word in
                    \(verbs.joined(separator: "|"))) verb=${verb:-$word} ;;
                    --) return ;;
                    esac
                done
                verb=${verb:-check}
                case $previous in
            \(values.joined(separator: "\n"))
                help) [ "$COMP_CWORD" -gt 2 ] || { COMPREPLY=($(compgen -W '\(verbs.joined(separator: " "))' -- "$current")); return; } ;;
                esac
                case $verb in
            \(cases.joined(separator: "\n"))
                esac
                case $current in
                -*) COMPREPLY=($(compgen -W "$options" -- "$current")); return ;;
                esac
                case $verb in
                \(Verb.completions.rawValue)) options='\(CompletionShell.allCases.map(\.rawValue).joined(separator: " "))' ;;
                \(Verb.path.rawValue)) options= ;;
                *) options="default $(compgen -A hostname -- "$current")" ;;
                esac
                [ "$COMP_CWORD" -ne 1 ] || options="\((verbs + Verb.otherWords.map(\.word)).joined(separator: " ")) $options"
                COMPREPLY=($(compgen -W "$options" -- "$current"))
            }
            complete -F _reachability reachability
            """
    }

    private static func words(_ completion: CommandOption.Completion) -> String {
        switch completion {
        case .none: ":"
        case .words(let words): reply("-W '\(words.joined(separator: " "))'")
        case .files: "compopt -o default 2> /dev/null"
        case .interfaces: reply("-W \"$(command ls /sys/class/net 2> /dev/null)\"")
        case .namespaces: reply("-W \"$(command ls /run/netns 2> /dev/null)\"")
        case .users: reply("-u")
        }
    }

    private static func reply(_ source: String) -> String { "COMPREPLY=($(compgen \(source) -- \"$current\"))" }
}

/// For zsh, with its function `_arguments`.
enum ZshCompletions {
    static var text: String {
        let words = Verb.allCases.map { (word: $0.rawValue, summary: $0.summary) } + Verb.otherWords
        let verbs = words.map { "        '\($0.word):\(quoted($0.summary))'" }.joined(separator: "\n")
        let cases = Verb.allCases.map { verb in
            let options = OptionTable.offered(to: verb).flatMap(specification)
            let rest = [
                "'(- *)'{-h,--help}'[\(OptionTable.help.help.replacingSemicolon)]'", operands(of: verb),
            ]
            return "    \(verb.rawValue))\n        _arguments -s -S \\\n"
                + (options + rest).map { "            \($0)" }.joined(separator: " \\\n") + "\n        ;;"
        }
        return """
            #compdef reachability
            \(CompletionShell.heading)
            _reachability() {
                local -a verbs
                verbs=(
            \(verbs)
                )
                local verb=check
                if (( CURRENT == 2 )); then
                    [[ $words[2] == -* ]] || { _describe -t verbs verb verbs; _hosts; return }
                else
                    case $words[2] in
                    \(Verb.allCases.map(\.rawValue).joined(separator: "|"))) verb=$words[2]; shift words; (( CURRENT-- )) ;;
                    help) _describe -t verbs verb verbs; return ;;
                    version) return ;;
                    esac
                fi
                case $verb in
            \(cases.joined(separator: "\n"))
                esac
            }
            _reachability "$@"
            """
    }

    private static func specification(_ option: CommandOption) -> [String] {
        let value = option.value.map { ":\($0.name.replacing(":", with: "\\:")):\(action($0.completion))" } ?? ""
        let text = "[\(quoted(option.summary))]\(value)"
        let names = [option.short, option.name].compactMap(\.self)
        return names.map { name in "'*\(option.value != nil && name.hasPrefix("--") ? name + "=" : name)\(text)'" }
    }

    private static func action(_ completion: CommandOption.Completion) -> String {
        switch completion {
        case .none: " "
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .files: "_files"
        case .interfaces: "_net_interfaces"
        case .namespaces: "_path_files -W /run/netns"
        case .users: "_users"
        }
    }

    private static func operands(of verb: Verb) -> String {
        switch verb {
        case .completions: "'1:shell:(\(CompletionShell.allCases.map(\.rawValue).joined(separator: " ")))'"
        case .path: "'*: :'"
        case .wait: "'(-)--[run a command]:*::command:_normal' '*:target:_hosts'"
        default: "'*:target:_hosts'"
        }
    }

    private static func quoted(_ text: String) -> String {
        text.replacing("'", with: "'\\''").replacing("[", with: "\\[").replacing("]", with: "\\]")
            .replacing(":", with: "\\:")
    }
}

/// For fish.
enum FishCompletions {
    static var text: String {
        let verbs = Verb.allCases.map(\.rawValue) + Verb.otherWords.map(\.word)
        var lines = [
            CompletionShell.heading, "complete -c reachability -f",
        ]
        let texts = Verb.allCases.map { (word: $0.rawValue, summary: $0.summary) }
        for (verb, text) in texts + Verb.otherWords {
            lines.append("complete -c reachability -n __fish_use_subcommand -a \(verb) -d '\(quoted(text))'")
        }
        lines.append(
            "complete -c reachability -n 'not __fish_seen_subcommand_from path completions help version' "
                + "-a '(__fish_print_hostnames)'")
        lines.append(
            "complete -c reachability -n '__fish_seen_subcommand_from completions' -a "
                + "'\(CompletionShell.allCases.map(\.rawValue).joined(separator: " "))'")
        lines.append(
            "complete -c reachability -n '__fish_seen_subcommand_from help' -a "
                + "'\(Verb.allCases.map(\.rawValue).joined(separator: " "))'")
        for verb in Verb.allCases {
            // Without a verb the options are those of `check`.
            let condition =
                verb == .check
                ? "'not __fish_seen_subcommand_from \(verbs.filter { $0 != verb.rawValue && $0 != "explain" }.joined(separator: " "))'"
                : "'__fish_seen_subcommand_from \(verb.rawValue)'"
            for option in OptionTable.offered(to: verb) {
                var line = "complete -c reachability -n \(condition) -l \(option.name.dropFirst(2))"
                if let short = option.short { line += " -s \(short.dropFirst())" }
                if let value = option.value { line += " \(action(value.completion))" }
                lines.append(line + " -d '\(quoted(option.summary))'")
            }
        }
        lines.append("complete -c reachability -l help -s h -d '\(quoted(OptionTable.help.help))'")
        return lines.joined(separator: "\n")
    }

    private static func action(_ completion: CommandOption.Completion) -> String {
        switch completion {
        case .none: "-x"
        case .words(let words): "-xa '\(words.joined(separator: " "))'"
        case .files: "-r -F"
        case .interfaces: "-xa '(command ls /sys/class/net 2> /dev/null)'"
        case .namespaces: "-xa '(command ls /run/netns 2> /dev/null)'"
        case .users: "-xa '(__fish_complete_users)'"
        }
    }

    private static func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    }
}

extension String {
    fileprivate var replacingSemicolon: String { replacing(";", with: ",") }
}

// SPDX-License-Identifier: Apache-2.0

/// The shells that completions are offered for.
enum CompletionShell: String, CaseIterable {
    case bash, zsh, fish

    /// The completions, made from the table of options.
    var text: String {
        switch self {
        case .bash: BashCompletions.text
        case .zsh: ZshCompletions.text
        case .fish: FishCompletions.text
        }
    }

    static var names: [String] { allCases.map(\.rawValue) }

    static let heading = "# Completions of reachability(1), printed by `reachability completions`. Do not edit."
}

/// What the shells offer for a value, in the words of each.
struct Completion: Sendable {
    let bash: String
    let zsh: String
    let fish: String

    static let none = Completion(bash: ":", zsh: " ", fish: "-x")
    static let files = Completion(bash: "compopt -o default 2> /dev/null", zsh: "_files", fish: "-r -F")
    static let interfaces = entries(of: "/sys/class/net", zsh: "_net_interfaces")
    static let namespaces = entries(of: "/run/netns", zsh: "_path_files -W /run/netns")
    static let users = Completion(bash: reply("-u"), zsh: "_users", fish: "-xa '(__fish_complete_users)'")

    static func words(_ words: [String]) -> Completion {
        let list = words.joined(separator: " ")
        return Completion(bash: reply("-W '\(list)'"), zsh: "(\(list))", fish: "-xa '\(list)'")
    }

    /// An interface may be called `$(…)`. Bash runs that in the words of `compgen -W`, and on the command line if it is not quoted.
    private static func entries(of folder: String, zsh: String) -> Completion {
        let bash = """
            for word in \(folder)/"$current"*; do [ ! -e "$word" ] || COMPREPLY+=("$(printf %q "${word##*/}")"); done
            """
        return Completion(bash: bash, zsh: zsh, fish: "-xa '(command ls \(folder) 2> /dev/null)'")
    }

    private static func reply(_ source: String) -> String { "COMPREPLY=($(compgen \(source) -- \"$current\"))" }
}

/// For bash 4 and later. Nothing of the bash-completion package is used but the place.
enum BashCompletions {
    static var text: String {
        let cases = Verb.allCases.map { verb in
            let options = OptionTable.offered(to: verb).flatMap(\.words) + [OptionTable.help.name]
            return
                "        \(verb == .check ? "check|explain" : verb.rawValue)) options='\(options.joined(separator: " "))' ;;"
        }
        var values: [String] = []
        var taking: [String] = []
        for option in OptionTable.all {
            guard let value = option.value else { continue }
            values.append("        \(option.words.joined(separator: "|"))) \(value.completion.bash); return ;;")
            taking += option.words
        }
        return """
            \(CompletionShell.heading)
            _reachability() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} options= word before=
                COMPREPLY=()
                if [ "$COMP_CWORD" -eq 1 ]; then
                    options='\((Verb.words.map(\.word) + [OptionTable.help.name, OptionTable.version.name]).joined(separator: " "))'
                    COMPREPLY=($(compgen -W "$options" -- "$current"))
                    return
                fi
                # Bash takes the = of --option=value for a word.
                [ "$previous" != = ] || previous=${COMP_WORDS[COMP_CWORD-2]}
                [ "$current" != = ] || current=
                for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
                    case $before in
                    # Its value, whatever that is.
                    \(taking.joined(separator: "|"))) [ "$word" = = ] || before=; continue ;;
                    esac
                    before=$word
                    case $word in
                    --)
                        [ "$verb" = \(Verb.wait.rawValue) ] || return
                        [ "$previous" = -- ] || { compopt -o default 2> /dev/null; return; }
                        # As names of files, so that what they contain is quoted, and neither divided nor run.
                        compopt -o filenames 2> /dev/null
                        mapfile -t COMPREPLY < <(compgen -c -- "$current")
                        return
                        ;;
                    esac
                done
                case $previous in
            \(values.joined(separator: "\n"))
                esac
                case $verb in
            \(cases.joined(separator: "\n"))
                esac
                case $current in
                -*) COMPREPLY=($(compgen -W "$options" -- "$current")); return ;;
                esac
                case $verb in
                help) [ "$COMP_CWORD" -gt 2 ] || options='\(Verb.names.joined(separator: " "))' ;;
                version) ;;
                \(Verb.completions.rawValue)) options='\(CompletionShell.names.joined(separator: " "))' ;;
                \(Verb.path.rawValue)) options= ;;
                *) options=default; COMPREPLY=($(compgen -A hostname -- "$current")) ;;
                esac
                COMPREPLY=($(compgen -W "$options" -- "$current") "${COMPREPLY[@]}")
            }
            complete -F _reachability reachability
            """
    }
}

/// For zsh, with its function `_arguments`.
enum ZshCompletions {
    static var text: String {
        let verbs = Verb.words.map { "        '\($0.word):\(quoted($0.summary))'" }.joined(separator: "\n")
        let cases = Verb.allCases.map { verb in
            let options = OptionTable.offered(to: verb).flatMap(specification)
            let rest = [
                "'(- *)'{-h,--help}'[\(OptionTable.help.help.replacing(";", with: ","))]'", operands(of: verb),
            ]
            return "    \(verb == .check ? "check|explain" : verb.rawValue))\n        _arguments -s -S \\\n"
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
                if (( CURRENT == 2 )); then
                    _describe -t verbs verb verbs
                    return
                fi
                shift words
                (( CURRENT-- ))
                case $words[1] in
                help) _describe -t verbs verb verbs ;;
            \(cases.joined(separator: "\n"))
                esac
            }
            _reachability "$@"
            """
    }

    private static func specification(_ option: CommandOption) -> [String] {
        let value = option.value.map { ":\($0.name.replacing(":", with: "\\:")):\($0.completion.zsh)" } ?? ""
        let text = "[\(quoted(option.summary))]\(value)"
        return option.words.map { name in "'*\(option.value != nil && name.hasPrefix("--") ? name + "=" : name)\(text)'"
        }
    }

    private static func operands(of verb: Verb) -> String {
        switch verb {
        case .completions: "'1:shell:(\(CompletionShell.names.joined(separator: " ")))'"
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
        var lines = [CompletionShell.heading, "complete -c reachability -f"]
        for (verb, text) in Verb.words {
            lines.append("complete -c reachability -n __fish_use_subcommand -a \(verb) -d '\(quoted(text))'")
        }
        lines.append(
            "complete -c reachability -n '__fish_seen_subcommand_from check explain watch wait export' "
                + "-a '(__fish_print_hostnames)'")
        lines.append(
            "complete -c reachability -n '__fish_seen_subcommand_from completions' -a "
                + "'\(CompletionShell.names.joined(separator: " "))'")
        lines.append(
            "complete -c reachability -n '__fish_seen_subcommand_from help' -a "
                + "'\(Verb.names.joined(separator: " "))'")
        lines.append(
            "complete -c reachability -n '__fish_seen_subcommand_from wait; and contains -- -- (commandline -opc)' "
                + "-xa '(__fish_complete_command)'")
        for verb in Verb.allCases {
            let condition = "'__fish_seen_subcommand_from \(verb == .check ? "check explain" : verb.rawValue)'"
            for option in OptionTable.offered(to: verb) {
                var line = "complete -c reachability -n \(condition) -l \(option.name.dropFirst(2))"
                if let short = option.short { line += " -s \(short.dropFirst())" }
                if let value = option.value { line += " \(value.completion.fish)" }
                lines.append(line + " -d '\(quoted(option.summary))'")
            }
        }
        lines.append("complete -c reachability -l help -s h -d '\(quoted(OptionTable.help.help))'")
        return lines.joined(separator: "\n")
    }

    private static func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    }
}

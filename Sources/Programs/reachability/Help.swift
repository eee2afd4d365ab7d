// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem

/// The texts of `--help`. The lists of options come from the table.
enum Help {
    static var version: String {
        let commit = BuildFacts.commit.map { "commit \($0), " } ?? ""
        return "reachability \(packageVersion) (\(commit)c-ares \(AresLibrary.version))"
    }

    /// Standard terminals are 80 columns wide, but lists of options are hard to read in so few.
    private static let width = 100
    private static let column = 28

    static func text(for verb: Verb?) -> String {
        guard let verb else { return general }
        var parts = ["usage: \(verb.usage)"]
        parts.append(wrapped(description(of: verb), indent: 0))
        if verb.takesTargets { parts.append(targets(of: verb)) }
        for group in CommandOption.Group.allCases {
            let options = OptionTable.offered(to: verb).filter { $0.group == group }
            guard !options.isEmpty else { continue }
            parts.append("\(group.rawValue)\n" + options.map(line).joined(separator: "\n"))
        }
        var end = wrapped(ExitStatus.help(for: verb), indent: 0)
        if verb.takesTargets { end += "\n" + reachable }
        if let example = example(of: verb) { parts.append("Example: \(example)") }
        return (parts + [end]).joined(separator: "\n\n")
    }

    // MARK: The options

    private static func line(_ option: CommandOption) -> String {
        let value = option.value.map { " \($0.name)" } ?? ""
        return line("\(option.short.map { $0 + ", " } ?? "    ")\(option.name)\(value)", option.help)
    }

    private static func line(_ title: String, _ text: String) -> String {
        let start = "  " + title
        let lines = wrapped(text, indent: column)
        return start.count < column
            ? start + lines.dropFirst(start.count) : start + "\n" + lines
    }

    /// The text in lines, each behind as many spaces.
    static func wrapped(_ text: String, indent: Int) -> String {
        var lines: [String] = []
        let margin = String(repeating: " ", count: indent)
        var line = margin
        for word in text.split(separator: " ") {
            if line.count > indent, line.count + 1 + word.count > width {
                lines.append(line)
                line = margin
            }
            line += (line.count > indent ? " " : "") + word
        }
        return (lines + [line]).joined(separator: "\n")
    }

    // MARK: The texts

    private static var general: String {
        let verbs = Verb.allCases.map { "  \($0.usage)".padded(to: 59) + $0.summary }
        let others = Verb.otherWords.map { word, summary in
            "  reachability \(word)\(word == "explain" ? " TARGET..." : word == "help" ? " VERB" : "")".padded(to: 59)
                + summary
        }
        return """
            \(wrapped(introduction, indent: 0))

            usage:
            \(verbs.joined(separator: "\n"))
            \(others.joined(separator: "\n"))

            \(targets(of: .check))

            \(wrapped(ExitStatus.help(for: nil), indent: 0))
            \(reachable)

              -h, --help, -V, --version
            """
    }

    private static let introduction = """
        Tells whether a packet to a target would leave this machine, and why. The answer is the kernel's own route lookup \
        and the state of the link that the route leaves by. Nothing is sent to the target; name servers are asked about \
        targets that are names.
        """

    private static func description(of verb: Verb) -> String {
        switch verb {
        case .check:
            """
            Prints `TARGET: WORDS` for each target, in the order of the targets. The words are Apple's; a reason in \
            parentheses follows if the target is not reachable. All names are resolved at the same time.
            """
        case .watch:
            """
            Prints the state of each target, of a name as soon as it is resolved. Then prints each change of the flags, or \
            of the interface or gateway that packets leave by, until Ctrl-C. On a terminal it keeps a table up to date. \
            Elsewhere it prints a line for each change, `TIME TARGET: WORDS`, with the time in the format of RFC 3339.
            """
        case .wait:
            """
            Waits until all targets are reachable at the same time, and until a TCP connection to each target with a port \
            has succeeded. Then runs the command after `--`, if there is one, in its own place. After a second, and at each \
            change, standard error says what is missing and why; a service manager gets the same by the notify protocol \
            (sd_notify). The program does not poll, because the kernel announces changes. Only a connection that failed \
            is tried again, with growing pauses. When all else is there, a connection that was made more than a second \
            ago is made once more. Packets are sent to ports only, and none while there is no route.
            """
        case .export:
            """
            Prints the states as metrics, in Prometheus' text format: reachability_up, reachability_flags and \
            reachability_info of each target, and reachability_path_up of IPv4 and IPv6. With --textfile it keeps them in a \
            file, for the textfile collector of node_exporter, and adds reachability_changes_total and \
            reachability_last_change_timestamp_seconds. A service manager is told by the notify protocol (sd_notify).
            """
        case .path:
            """
            Prints whether packets can leave this machine, the interfaces they can leave by in order of preference, with \
            type, addresses and gateways, and the name servers. A path is expensive if packets leave by a mobile network, \
            or by one that NetworkManager calls metered. The connectivity is what NetworkManager found when it last asked \
            its web server: full, portal (another server answered), limited (none did) or none. The status does not depend \
            on it.
            """
        case .completions:
            "Prints the completions of this program's options for a shell. `make install` installs them for all three."
        }
    }

    private static func example(of verb: Verb) -> String? {
        switch verb {
        case .check: "reachability check --explain www.swift.org default"
        case .watch: "reachability watch --json db.example default >> changes.json"
        case .wait: "reachability wait --timeout 60 db.example:5432 -- ./server"
        case .path: nil
        case .export:
            "reachability export --textfile /var/lib/prometheus/node-exporter/reachability.prom default db.example"
        case .completions: ". <(reachability completions bash)"
        }
    }

    private static let reachable = "A target that needs a connection to be made first does not count as reachable."

    private static func targets(of verb: Verb) -> String {
        let lines = [
            line("name", "a host name; its best address counts"),
            line("192.0.2.1", "an IPv4 address"),
            line("2001:db8::1", "an IPv6 address; a link-local one with its interface: fe80::1%eth0"),
            line("default", "the default route, of IPv4 or IPv6"),
            line("LOCAL,REMOTE", "packets from LOCAL to REMOTE; `LOCAL,` is LOCAL by itself, `,REMOTE` is REMOTE"),
            line("-", "the targets on standard input, one a line; # begins a comment"),
        ]
        let end =
            verb == .wait
            ? "HOST:PORT, [ADDRESS]:PORT and tcp://HOST:PORT mean a connection."
            : "The port of host:port and [address]:port, and the rest of a URL, are ignored, but not by `wait`.\n"
                + "After `--` every argument is a target."
        return (["TARGET is one of"] + lines + [end]).joined(separator: "\n")
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(1, width - count))
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem

/// Every option, in the order of the help.
enum OptionTable {
    static let all: [CommandOption] = output + waiting + targets + routes + names

    /// The options that the help of a verb lists.
    static func offered(to verb: Verb) -> [CommandOption] {
        all.filter { $0.verbs.contains(verb) }
    }

    /// Options that do their work alone, with any verb or none. The parser knows them.
    static let help = (name: "--help", short: "-h", help: "print a summary; after a verb, that of the verb")
    static let version = (
        name: "--version", short: "-V", help: "print the version, the commit if known, and that of c-ares"
    )

    private static let output = [
        CommandOption(
            "--explain", short: "-v", for: .check, .watch, .wait, in: .output,
            "also print why: each step to an answer, what caused a new evaluation, or each check of a condition"
        ) { $0.isExplaining = true },
        CommandOption(
            "--json", short: "-j", for: .check, .watch, .path, in: .output,
            "print a JSON object on one line for each answer instead; reachability(1) lists the keys"
        ) { $0.isJSON = true },
        CommandOption("--watch", for: .path, in: .output, "also print each change, until Ctrl-C") {
            $0.isWatching = true
        },
        CommandOption(
            "--quiet", short: "-q", for: .check, .wait, .path, in: .output,
            "print no answer, and not what is waited for; the exit status tells it. Errors are still printed"
        ) { $0.isQuiet = true },
        CommandOption(
            "--color",
            .init("WHEN", "'auto', 'always' or 'never'", .words(Arguments.ColorChoice.allCases.map(\.rawValue))),
            for: .check, .watch, in: .output,
            "color the states: auto, always or never; auto, the default, on a terminal if NO_COLOR is not set"
        ) { Arguments.ColorChoice(rawValue: $0).store(in: &$1.color) },
        CommandOption(
            "--textfile", .init("FILE", "the path of a file, such as /var/lib/prometheus/node-exporter/x.prom", .files),
            for: .export, in: .output,
            "write the metrics to this file instead, and replace it as a whole after each change, until ended. It is "
                + "removed then. Nothing polls: the kernel announces changes"
        ) { value, arguments in
            arguments.textfile = value
            return true
        },
    ]

    private static let targets = [
        CommandOption(
            "--file", .init("FILE", "the path of a list of targets, or '-' for standard input", .files),
            for: .check, .watch, .wait, .export, in: .targets,
            "also take the targets in this file, one a line; # begins a comment"
        ) { value, arguments in
            arguments.targets.append(.list(value))
            return true
        },
        CommandOption(
            "--unescape", for: .wait, in: .targets,
            "decode systemd's escapes of bytes in the targets that follow, as in the names of units"
        ) { $0.waiting.escapedFrom = $0.waiting.escapedFrom ?? $0.targets.count },
    ]

    private static let routes = [
        CommandOption(
            "--interface", short: "-i", .init("IF", "the name of an interface, such as eth0", .interfaces),
            for: .check, .watch, .wait, .export, in: .routes, "for packets bound to this interface, or to this VRF"
        ) { value, arguments in
            arguments.options.interface = value
            return true
        },
        CommandOption(
            "--source", .init("ADDR", "an address of this machine, such as 192.0.2.1", hint: { AddressText.hint($0) }),
            for: .check, .watch, .wait, .export, in: .routes, "for packets from this address"
        ) { value, arguments in
            arguments.options.sourceAddress = value
            return AddressText(inFull: value) != nil
        },
        CommandOption(
            "--mark", .init("N", "a firewall mark, such as 42 or 0x2a"),
            for: .check, .watch, .wait, .export, in: .routes, "for packets with this firewall mark, such as 42 or 0x2a"
        ) { OptionValue.number($0).store(in: &$1.options.mark) },
        CommandOption(
            "--udp", for: .check, .watch, .wait, .export, in: .routes,
            "for packets of UDP instead of TCP, where routing rules name a protocol"
        ) { $0.options.transport = .udp },
        CommandOption(
            "--uid", .init("USER", "a user's name in /etc/passwd, or number, such as 1000", .users),
            for: .check, .watch, .wait, .export, in: .routes,
            "for packets of this user: a number, or a name in /etc/passwd"
        ) { (UInt32($0) ?? UserNames.number(of: $0)).store(in: &$1.options.userID) },
        CommandOption(
            "--netns", .init("NAME|PATH", "the name of a network namespace, or the path of its file", .namespaces),
            for: .check, .watch, .wait, .path, .export, in: .routes,
            "from another network namespace (needs CAP_SYS_ADMIN)"
        ) { value, arguments in
            arguments.options.networkNamespace = value.contains("/") ? .path(value) : .name(value)
            return true
        },
    ]

    private static let names = [
        CommandOption(
            "--ipv4", short: "-4", for: .check, .watch, .wait, .export, in: .names,
            "only IPv4: the IPv4 addresses of a name, and the default route of IPv4"
        ) { $0.options.families.insert(.v4) },
        CommandOption(
            "--ipv6", short: "-6", for: .check, .watch, .wait, .export, in: .names, "the same for IPv6"
        ) { $0.options.families.insert(.v6) },
        CommandOption(
            "--name-timeout", OptionValue.duration, for: .check, .watch, .wait, .export, in: .names,
            "resolve each name within S seconds, such as 2.5; without it, 5"
        ) { OptionValue.duration($0).store(in: &$1.options.resolutionTimeout) },
        CommandOption(
            "--server",
            .init(
                "ADDR[:PORT]",
                "the address of a name server, such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353",
                hint: { ServerText.hint($0) }),
            for: .check, .watch, .wait, .export, in: .names,
            "ask this name server, not those of resolv.conf; may be given several times"
        ) { value, arguments in
            arguments.options.nameServers = (arguments.options.nameServers ?? []) + [value]
            return ServerText(value) != nil
        },
        CommandOption(
            "--policy", .init("POLICY", "'resolve' or 'optimistic'", .words(["resolve", "optimistic"])),
            for: .check, in: .names,
            "resolve or optimistic; with optimistic no name is resolved, and an unknown name has the default route's flags"
        ) { ReachabilityOptions.ResolutionPolicy(rawValue: $0).store(in: &$1.options.resolutionPolicy) },
    ]
}

/// The reading of values.
enum OptionValue {
    static let duration = CommandOption.Value(
        "S", "a number of seconds, such as 2.5, or a time such as 500ms, 5m or 1h, at most a year")
    static func number(_ text: String) -> UInt32? {
        text.lowercased().hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
    }

    /// Reads decimal seconds, at most a year, with or without a unit as sleep(1) has them. Exponents and infinity are
    /// refused.
    static func duration(_ text: String) -> Duration? {
        let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)]
        let unit = units.first { text.hasSuffix($0.0) } ?? ("", 1)
        let digits = text.dropLast(unit.0.count)
        guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(digits),
            value * unit.1 <= 366 * 86_400
        else { return nil }
        return .milliseconds(Int64((value * unit.1 * 1000).rounded(.up)))
    }
}

extension Optional {
    /// Stores the value of an option if it could be read. Returns whether it could.
    fileprivate func store(in place: inout Wrapped) -> Bool {
        if let self { place = self }
        return self != nil
    }

    fileprivate func store(in place: inout Wrapped?) -> Bool {
        place = self
        return self != nil
    }
}

/// The options of `wait`.
extension OptionTable {
    static let waiting = [
        CommandOption("--all", for: .wait, in: .waiting, "until all are reachable at the same time; the default") {
            $0.waiting.isAny = false
        },
        CommandOption("--any", for: .wait, in: .waiting, "until one of them is") { $0.waiting.isAny = true },
        CommandOption("--not", for: .wait, in: .waiting, "until they are not reachable") {
            $0.waiting.isNegated = true
        },
        CommandOption(
            "--stable", OptionValue.duration, for: .wait, in: .waiting,
            "until that has been so for S seconds without a break"
        ) { OptionValue.duration($0).store(in: &$1.waiting.stableTime) },
        CommandOption(
            "--not-expensive", for: .wait, in: .waiting,
            "by a network that is neither mobile nor metered (NetworkManager says what is metered)"
        ) { $0.waiting.network.allowsExpensive = false },
        CommandOption(
            "--not-constrained", for: .wait, in: .waiting, "by a network that NetworkManager does not call metered"
        ) { $0.waiting.network.allowsConstrained = false },
        CommandOption(
            "--dns", for: .wait, in: .waiting,
            "also until a name server is reachable: one of resolv.conf, or of --server. One on this machine itself counts "
                + "if packets can leave the machine, as it asks others"
        ) { $0.waiting.needsNameServer = true },
        CommandOption(
            "--online", for: .wait, in: .waiting,
            "also until the default route works and a name server can be reached: `default` and --dns in one word. Both are "
                + "judged by their routes, and nothing is sent; wait for a name to know that a server answers"
        ) { arguments in
            if !arguments.waiting.isOnline { arguments.targets.append(.word("default")) }
            (arguments.waiting.isOnline, arguments.waiting.needsNameServer) = (true, true)
        },
        CommandOption(
            "--connect",
            .init(
                "HOST:PORT", "a host and a TCP port, such as db.example:5432 or [2001:db8::1]:443",
                hint: { AddressText.portHint($0) }),
            for: .wait, in: .waiting,
            "also until a TCP connection succeeds, as a target with a port does; may be given several times"
        ) { value, arguments in
            let word = arguments.waiting.unescaped(value)
            guard let target = (try? TargetWord(word, for: .wait))?.connection else { return false }
            arguments.waiting.connections.append(target)
            return true
        },
        CommandOption(
            "--timeout", short: "-t", OptionValue.duration, for: .check, .wait, in: .waiting,
            "end within S seconds, such as 2.5: `wait` with status 124, `check` with 2 if a name is not resolved by then. Without "
                + "it `wait` may take for ever; with 0 only what is known at once counts"
        ) { OptionValue.duration($0).store(in: &$1.timeout) },
    ]
}

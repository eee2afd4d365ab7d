// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import Testing

@testable import reachability

@Suite("The command line")
struct ArgumentParserTests {
    private func parse(_ line: String) -> Request {
        ArgumentParser.parse(line.split(separator: " ").map(String.init))
    }

    private func arguments(
        _ verb: Verb, _ targets: [String], _ change: (inout Arguments) -> Void = { _ in }
    ) -> Request {
        var arguments = Arguments()
        arguments.verb = verb
        arguments.targets = targets.map(TargetSource.word)
        change(&arguments)
        return .run(arguments)
    }

    @Test("the verb comes first")
    func verbs() {
        #expect(parse("check a.example") == arguments(.check, ["a.example"]))
        #expect(parse("check check") == arguments(.check, ["check"]))
        #expect(parse("watch 127.0.0.1 ::1") == arguments(.watch, ["127.0.0.1", "::1"]))
        #expect(parse("wait default") == arguments(.wait, ["default"]))
        #expect(parse("check -- watch") == arguments(.check, ["watch"]))
        #expect(parse("watch -- -x --json") == arguments(.watch, ["-x", "--json"]))
    }

    @Test("options stand anywhere, with their values after '=' or as the next argument")
    func options() {
        #expect(parse("check a.example --json") == arguments(.check, ["a.example"]) { $0.isJSON = true })
        #expect(parse("check --explain a.example") == arguments(.check, ["a.example"]) { $0.isExplaining = true })
        #expect(parse("check --mark=0x2A a.example") == arguments(.check, ["a.example"]) { $0.options.mark = 42 })
        #expect(parse("check a.example --uid 1000") == arguments(.check, ["a.example"]) { $0.options.userID = 1000 })
        #expect(
            parse("check --netns blue a.example")
                == arguments(.check, ["a.example"]) {
                    $0.options.networkNamespace = .name("blue")
                })
        #expect(
            parse("check --netns /proc/1/ns/net a.example")
                == arguments(.check, ["a.example"]) {
                    $0.options.networkNamespace = .path("/proc/1/ns/net")
                })
        #expect(
            parse("check --interface wg0 --source 10.0.0.1 a.example")
                == arguments(.check, ["a.example"]) {
                    $0.options.interface = "wg0"
                    $0.options.sourceAddress = "10.0.0.1"
                })
        #expect(
            parse("check --server 192.0.2.53 --server=[2001:db8::53]:5353 a.example --policy optimistic")
                == arguments(.check, ["a.example"]) {
                    $0.options.nameServers = ["192.0.2.53", "[2001:db8::53]:5353"]
                    $0.options.resolutionPolicy = .optimistic
                })
    }

    @Test("a timeout is for each name, or for the whole of a check or wait, and may have decimals")
    func timeouts() {
        for verb in [Verb.check, .watch, .wait, .export] {
            #expect(
                parse("\(verb.rawValue) --name-timeout 2.5 a.example")
                    == arguments(verb, ["a.example"]) {
                        $0.options.resolutionTimeout = .milliseconds(2500)
                    })
        }
        #expect(parse("check -t 2m ::1") == arguments(.check, ["::1"]) { $0.timeout = .seconds(120) })
        #expect(parse("wait --timeout 0.0001 ::1") == arguments(.wait, ["::1"]) { $0.timeout = .milliseconds(1) })
        #expect(parse("wait --timeout 0 ::1") == arguments(.wait, ["::1"]) { $0.timeout = .zero })
        #expect(parse("wait --timeout .5 ::1") == arguments(.wait, ["::1"]) { $0.timeout = .milliseconds(500) })
    }

    @Test("help is that of the verb")
    func help() {
        #expect(parse("--help") == .help(nil))
        #expect(parse("-h a.example") == .help(nil))
        #expect(parse("-V") == .version)
        #expect(parse("check --help") == .help(.check))
        #expect(parse("watch a.example --bogus --help") == .help(.watch))
        #expect(parse("wait -h") == .help(.wait))
        #expect(parse("--version") == .version)
        #expect(parse("help") == .help(nil))
        #expect(parse("help watch") == .help(.watch))
        #expect(parse("version") == .version)
        for verb in Verb.allCases {
            let text = Help.text(for: verb)
            #expect(text.contains("\(verb.rawValue)"))
            for option in OptionTable.all {
                let isOffered = OptionTable.offered(to: verb).contains { $0.name == option.name }
                #expect(text.contains(" \(option.name) ") == isOffered, "\(verb): \(option.name)")
            }
        }
        for text in ([nil] + Verb.allCases).map(Help.text) {
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
            #expect(!text.contains(/\n \S/), "a line is indented by one space")
        }
    }

    @Test(
        "a first word that is no verb gets the list of verbs, whatever host it may be",
        arguments: ["", "batch", "wathc", "a.example", "--json check ::1", "-- ::1", "Check ::1", "-hV", "status"])
    func noVerb(line: String) {
        let complaint =
            "the first word has to be a verb: `check`, `watch`, `wait`, `path`, `export`, `completions`, `explain`, `help` "
            + "or `version`, as in `reachability check HOST`"
        #expect(parse(line) == .refuse([complaint]))
    }

    @Test(
        "an error names the mistake and a correction",
        arguments: [
            (
                "check",
                "no target given; pass a name, an address, LOCAL,REMOTE or 'default'; `reachability help` says more"
            ),
            (
                "watch",
                "no target given; pass a name, an address, LOCAL,REMOTE or 'default'; `reachability help` says more"
            ),
            (
                "wait",
                "no target given; pass a name, an address, LOCAL,REMOTE or 'default', or --connect HOST:PORT, --online or --dns; "
                    + "`reachability help` says more"
            ),
            (
                "wait --connect a.example:80 --mark 7",
                "--source, --mark, --uid and --udp do not fit a connection (HOST:PORT or --connect), whose packets are TCP's and those of this program itself"
            ),
            (
                "wait --timeout 0 a.example:80",
                "--timeout 0 leaves no time to make a connection (HOST:PORT or --connect); pass more, such as 1"
            ),
            (
                "wait --connect a.example",
                "--connect 'a.example' is invalid; pass a host and a TCP port, such as db.example:5432 or "
                    + "[2001:db8::1]:443"
            ),
            ("completions tcsh", "there are no completions for 'tcsh'; pass bash, zsh or fish"),
            ("check --bogus ::1", "unknown option '--bogus'; `reachability check --help` lists the options"),
            ("wait -x ::1", "unknown option '-x'; `reachability wait --help` lists the options"),
            (
                "check ::1 --timeout",
                "--timeout needs a value: a number of seconds, such as 2.5, or a time such as 500ms, 5m or 1h, at most a year"
            ),
            (
                "check --timeout -1 ::1",
                "--timeout '-1' is invalid; pass a number of seconds, such as 2.5, or a time such as 500ms, 5m or 1h, at most a year"
            ),
            (
                "check --timeout= ::1",
                "--timeout '' is invalid; pass a number of seconds, such as 2.5, or a time such as 500ms, 5m or 1h, at most a year"
            ),
            ("check --mark x ::1", "--mark 'x' is invalid; pass a firewall mark, such as 42 or 0x2a"),
            ("check --mark 4294967296 ::1", "--mark '4294967296' is invalid; pass a firewall mark, such as 42 or 0x2a"),
            ("check --uid -1 ::1", "--uid '-1' is invalid; pass a user's name in /etc/passwd, or number, such as 1000"),
            (
                "check --source eth0 ::1",
                "--source 'eth0' is invalid; pass an address of this machine, such as 192.0.2.1"
            ),
            ("check --policy always ::1", "--policy 'always' is invalid; pass 'resolve' or 'optimistic'"),
            (
                "watch --policy resolve a.example",
                "--policy does not fit `watch`; use it with `check`"
            ),
            (
                "wait --policy optimistic a.example",
                "--policy does not fit `wait`; use it with `check`"
            ),
            (
                "check --server dns.example ::1",
                "--server 'dns.example' is invalid; pass the address of a name server, such as 192.0.2.53, 192.0.2.53:5353 "
                    + "or [2001:db8::53]:5353"
            ),
            (
                "check --server 1.2.3 ::1",
                "--server '1.2.3' is invalid; write an IPv4 address as four decimal numbers: this would be 1.2.0.3"
            ),
            (
                "wait --dns --server 010.0.0.1:5353",
                "--server '010.0.0.1:5353' is invalid; write an IPv4 address as four decimal numbers: this would be 8.0.0.1"
            ),
            ("check --json=yes ::1", "--json takes no value; remove the '=' and what follows"),
            (
                "check --json --explain ::1",
                "--explain and --json cannot be combined; pass one of them"
            ),
            (
                "wait --json ::1",
                "--json does not fit `wait`; use it with `check`, `watch` or `path`"
            ),
            (
                "explain --json ::1",
                "`explain` and --json cannot be combined; write `explain` or `check --json`"
            ),
            ("check -jv ::1", "--explain and --json cannot be combined; pass one of them"),
            (
                "explain -q ::1",
                "`explain` and --quiet cannot be combined; write `explain` or `check --quiet`"
            ),
            (
                "check -q --json ::1",
                "--json and --quiet cannot be combined; pass one of them"
            ),
            (
                "explain --quiet --json ::1",
                "`explain`, --json and --quiet cannot be combined; write `explain`, `check --json` or `check --quiet`"
            ),
            ("path --watch -q", "--quiet and --watch cannot be combined; pass one of them"),
            ("path --explain", "--explain does not fit `path`; use it with `check`, `watch` or `wait`"),
            ("explain --stable 2 ::1", "--stable does not fit `explain`; use it with `wait`"),
            (
                "check 10.0.0.0/8",
                "cannot use the target '10.0.0.0/8': this is a network in CIDR notation, and a target is one host; pass an "
                    + "address, such as 10.0.0.0"
            ),
            (
                "check 256.1.1.1",
                "cannot use the name '256.1.1.1': this is no IPv4 address: each of its parts is a number from 0 to 255"
            ),
            (
                "check a,b",
                "cannot use the target 'a,b': 'a' is not an address, and a pair is made of addresses"
            ),
        ])
    func complaint(line: String, complaint: String) {
        #expect(parse(line) == .refuse([complaint]))
    }

    @Test("all mistakes are reported at once, each of them once")
    func complaints() {
        guard case .refuse(let complaints) = parse("wait --json --json --mark x a..b --bogus a..b") else {
            Issue.record("it is not refused")
            return
        }
        #expect(complaints.count == 4)
    }
}

extension ArgumentParser {
    /// What the program makes of words that it takes.
    static func accepted(_ words: [String]) throws -> Arguments {
        let request = parse(words)
        guard case .run(let arguments) = request else { throw Refusal(request: request) }
        return arguments
    }

    struct Refusal: Error {
        let request: Request
    }
}

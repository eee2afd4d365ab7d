// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestTopology
import Testing

@testable import reachability

/// The completions and the unit templates that `make install` installs.
@Suite("Installed files")
struct InstalledFileTests {
    @Test("the completions are those of the table", arguments: CompletionShell.allCases)
    func files(shell: CompletionShell) throws {
        // As each shell looks for it.
        let fileName =
            switch shell {
            case .bash: "reachability"
            case .zsh: "_reachability"
            case .fish: "reachability.fish"
            }
        let printed = try CallingThread.execute([BuiltProduct.path("reachability"), "completions", shell.rawValue])
        #expect(printed == shell.text + "\n")
        #expect(
            try PackageFiles.text("completions/\(fileName)") == printed,
            "reachability completions \(shell.rawValue) > completions/\(fileName)")
        for option in OptionTable.all where !option.help.isEmpty {
            let name = shell == .fish ? "-l \(option.name.dropFirst(2)) " : option.name
            #expect(printed.contains(name), "\(option.name)")
        }
        let installer = try PackageFiles.text("Scripts/install")
        #expect(installer.contains("put 644 completions/\(fileName) share/"))
    }

    @Test(
        "bash completes verbs, the options of the verb, and their values",
        arguments: [
            ("reachability wat", ["watch"]), ("reachability wa", ["watch", "wait"]), ("reachability help pa", ["path"]),
            ("reachability wait --co", ["--connect"]), ("reachability check --co", ["--color"]),
            ("reachability --col", []), ("reachability --h", ["--help"]), ("reachability check --color al", ["always"]),
            ("reachability explain --color = ne", ["never"]),
            ("reachability watch --color =", ["auto", "always", "never"]),
            ("reachability completions ", ["bash", "zsh", "fish"]), ("reachability path --x", []),
            ("reachability check --interface lo", ["lo"]), ("reachability wait ::1 -- compge", ["compgen"]),
            ("reachability check ::1 -- compge", []),
            // What an option takes is neither a verb nor the end of the options.
            ("reachability wait --stable -- def", ["default"]), ("reachability wait --stable -- compge", []),
            ("reachability wait --stable -- ::1 -- compge", ["compgen"]),
            ("reachability wait --stable = 2 -- compge", ["compgen"]),
            ("reachability check --interface wait --co", ["--color"]), ("reachability check wait --co", ["--color"]),
            ("reachability def", []), ("reachability explain def", ["default"]), ("reachability version ", []),
        ])
    func bash(line: String, words: [String]) throws {
        let script = """
            . "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _reachability; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let typed = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let output = try CallingThread.execute(
            ["bash", "-c", script, "bash", PackageFiles.path("completions/reachability")] + typed)
        #expect(output.split(separator: "\n").map(String.init) == words)
    }

    @Test("bash runs nothing that the name of an interface says, and quotes it", .needs(.namespaces, .sysfs))
    func strangeNames() throws {
        let topology = try Machine(sysfs: true)
        try topology.ip("link add $(>x) type veth peer name other")
        let script = """
            . "$1"; COMP_WORDS=(reachability check -i ''); COMP_CWORD=3; folder=$(mktemp -d); cd "$folder"
            _reachability; printf '%s\n' "${COMPREPLY[@]}" *; rm -r "$folder"
            """
        let output = try topology.run {
            try CallingThread.execute(
                ["bash", "-c", script, "bash", PackageFiles.path("completions/reachability")])
        }
        // The last line is the pattern, as the folder is empty.
        #expect(output == #"\$\(\>x\)"# + "\nlo\nother\n*\n")
    }

    /// readline quotes what is the name of a file (compopt(1)).
    @Test("bash takes the name of a command as one word, and has it quoted")
    func strangeCommands() throws {
        let script = """
            . "$1"; COMP_WORDS=(reachability wait ::1 -- ./m); COMP_CWORD=4; folder=$(mktemp -d); cd "$folder"
            : > 'my $(>x)'; chmod +x my*; compopt() { echo "$@"; }
            _reachability; printf '%s\n' "${#COMPREPLY[@]}" "${COMPREPLY[@]}" *; rm -r "$folder"
            """
        let output = try CallingThread.execute(
            ["bash", "-c", script, "bash", PackageFiles.path("completions/reachability")])
        #expect(output == "-o filenames\n1\n./my $(>x)\nmy $(>x)\n")
    }

    @Test(
        "the units run the program with words that it takes, and cannot do more than it needs",
        arguments: ["reachability-wait@.service", "reachability-connect@.service"],
        [
            "db-1.example", "[2001:db8::7]", #"\x5b2001:db8::7\x5d"#, #"db\x2d1.example"#,
        ])
    func units(name: String, host: String) throws {
        let unit = try PackageFiles.text("Units/\(name).in")
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=@bindir@/reachability ") })
        // As people type them, and as systemd-escape(1) writes them.
        let instance = name.contains("connect") ? "\(host):5432" : host
        let meant = instance.replacing(#"\x5b"#, with: "[").replacing(#"\x5d"#, with: "]").replacing(
            #"\x2d"#, with: "-")
        let words = line.split(separator: " ").dropFirst().flatMap { word in
            word == "$OPTIONS" ? ["--stable", "2", "--dns"] : [word == "%i" ? instance : String(word)]
        }
        let arguments = try ArgumentParser.accepted(words)
        #expect(arguments.verb == .wait)
        #expect(
            name.contains("connect")
                ? arguments.waiting.connections.map(\.text) == [meant] : arguments.targets == [.word(meant)]
        )
        for setting in [
            "NoNewPrivileges=yes", "RestrictAddressFamilies=AF_NETLINK AF_INET AF_INET6 AF_UNIX",
            "CapabilityBoundingSet=",
            "DynamicUser=yes", "ProtectSystem=strict", "MemoryDenyWriteExecute=yes", "SystemCallFilter=@system-service",
            "NotifyAccess=main", "Type=notify", "RemainAfterExit=yes",
        ] {
            #expect(unit.contains("\n\(setting)\n"), "\(setting)")
        }
        // Only the program's READY=1 makes it active, and no signal does.
        #expect(!unit.contains("\nSuccessExitStatus="))
        // What is enabled holds the boot, but not for ever.
        #expect(unit.contains("\nTimeoutStartSec=\(unit.contains("[Install]") ? "120" : "infinity")\n"))
    }
}

// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import ReachabilityKit
import SystemConfigurationCore
import TestTopology
import Testing

@testable import scutil

@Suite("scutil and the dynamic store", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct ScutilStoreTests {
    private let topology: Topology

    init() throws {
        topology = try Topology()
        try topology.wire("eth0", address: "10.0.0.1/24", "fd00::1/64")
        try topology.ip("route add default via 10.0.0.254")
    }

    private static let program = "\(Built.directory)/scutil"

    /// The output of a session that reads these lines.
    private func session(_ lines: String...) throws -> Built.Outcome {
        try Built.run(["sh", "-c", "printf '%s\\n' \"$@\" | \(Self.program)", "sh"] + lines, in: topology)
    }

    @Test("shows a value, as scripts ask for it")
    func show() throws {
        #expect(
            try session("show State:/Network/Global/IPv4")
                == Built.Outcome(
                    output: """
                        <dictionary> {
                          PrimaryInterface : eth0
                          PrimaryService : \(ServiceIdentifier(interface: "eth0"))
                          Router : 10.0.0.254
                        }

                        """))
        #expect(try session("show State:/Nothing").output == "  No such key\n")
    }

    @Test("lists keys in alphabetical order")
    func list() throws {
        #expect(
            try session("list State:/Network/Interface/eth0/.*").output == """
                  subKey [0] = State:/Network/Interface/eth0/IPv4
                  subKey [1] = State:/Network/Interface/eth0/IPv6
                  subKey [2] = State:/Network/Interface/eth0/Link

                """)
        #expect(try session("list nothing").output == "  no keys.\n")
        #expect(try session("list (").output == "  Failed!\n")
        #expect(
            try session("show State:/Network/Interface/[^/]+/Link pattern").output.contains(
                "  State:/Network/Interface/eth0/Link : <dictionary> {\n    Active : TRUE\n  }\n"))
    }

    @Test("gets a value and shows it, as older scripts do")
    func get() throws {
        #expect(
            try session("d.show", "open", "get State:/Network/Global/IPv4", "get State:/Nothing", "d.show").output
                == """
                <dictionary> {
                }
                  No such key
                <dictionary> {
                  PrimaryInterface : eth0
                  PrimaryService : \(ServiceIdentifier(interface: "eth0"))
                  Router : 10.0.0.254
                }

                """)
    }

    @Test("refuses to write, and goes on")
    func writing() throws {
        #expect(
            try session(
                "set com.example.key", "add a.key temporary", "remove a.key", "notify State:/Network/Global/IPv4",
                "d.init", "d.add key value", "d.remove key", "get com.example.key", "quit", "d.show"
            ).output == """
                  Permission denied
                  Permission denied
                  Permission denied
                  Permission denied
                d.add: unknown, type "help" for command info
                d.remove: unknown, type "help" for command info
                  No such key

                """)
    }

    @Test("watches keys")
    func watch() throws {
        #expect(
            try session(
                "n.list", "n.add a.key", "n.add a.key", "n.add b.* pattern", "n.add ( pattern", "n.list",
                "n.list pattern", "n.remove c", "n.changes", "n.cancel", "close", "n.list"
            ).output == """
                  no notifier keys.
                  Key already defined
                  Invalid argument
                  notifier key [0] = a.key
                  notifier pattern [0] = b.*
                  No such key
                  no changedKey's.
                  Configuration daemon session not active

                """)
    }

    @Test("prints notifications while it waits for the next command")
    func notification() throws {
        let script = """
            { echo "n.add State:/Network/Global/IPv4"; echo n.watch; echo list nothing; read -r go <&4; echo quit; } | \
            \(Self.program) | while read -r line; do echo "$line"; case $line in
            *"no keys"*) ip route del default;; *changedKey*) echo go >&4;; esac; done
            """
        let outcome = try Built.run(
            ["sh", "-c", "d=$(mktemp -d); mkfifo $d/f; exec 4<> $d/f; \(script); rm -r $d"], in: topology)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        #expect(lines.first == "no keys.")
        #expect(lines[1].wholeMatch(of: /notification callback \(store address = 0x[0-9a-f]+\)\./) != nil)
        #expect(lines[2].hasSuffix(" changedKey [0] = State:/Network/Global/IPv4"))
    }

    @Test("complains of commands that are wrong or not offered, and goes on")
    func complaints() throws {
        #expect(
            try session("frob", "lock", "show", "\u{1B}[31m", "help", "d.show").output.hasPrefix(
                """
                frob: unknown, type "help" for command info
                lock: not offered on Linux
                show: too few arguments
                \\u{1b}[31m: unknown, type "help" for command info

                Available commands:

                 help                          : list available commands
                """))
        #expect(try session("frob").status == 0)
    }

    @Test("-w waits for a key")
    func wait() throws {
        func scutil(_ words: String...) throws -> Int32 { try Built.run([Self.program] + words, in: topology).status }
        #expect(try scutil("-w", "State:/Network/Global/IPv4") == 0)
        #expect(try scutil("-w", "State:/Network/Global/IPv6", "-t", "1") == 1)
        let script = """
            { \(Self.program) -w State:/Network/Interface/br0/Link -t 60; echo $?; } &
            ip link add br0 type bridge; wait
            """
        #expect(try Built.run(["sh", "-c", script], in: topology).output == "0\n")
    }

    @Test("--get, --proxy and --dns print settings")
    func settings() throws {
        let name = try Built.run(["hostname"], in: topology).output.split(separator: ".")[0]
        let local = try Built.run([Self.program, "--get", "LocalHostName"], in: topology)
        #expect(local.output.split(separator: "\n") == [name.split(separator: "\n")[0]])
        let names = ["http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"]
        let clean = ["env"] + (names + names.map { $0.uppercased() }).flatMap { ["-u", $0] }
        #expect(try Built.run(clean + [Self.program, "--proxy"], in: topology).output == "<dictionary> {\n}\n")
        #expect(
            try Built.run(clean + ["https_proxy=proxy.example:443", Self.program, "--proxy"], in: topology).output
                == "<dictionary> {\n  HTTPSEnable : 1\n  HTTPSPort : 443\n  HTTPSProxy : proxy.example\n}\n")
        for command in ["--set", "--prefs", "--nc", "-p"] {
            let outcome = try Built.run([Self.program, command], in: topology)
            #expect(outcome == Built.Outcome(status: 64, complaints: "scutil: \(command) is not offered on Linux\n"))
        }
    }

    @Test("--dns has Apple's layout")
    func nameServers() {
        var path = NetworkPath()
        path.servers = [ServerAddress(.v4(IPv4Address(192, 0, 2, 53)))]
        path.ipv4 = NetworkPath.DefaultRoute(interface: InterfaceIndex(2)!, flags: .reachable, gateway: nil)
        let state = NetworkState(path: path, searchDomains: ["example.com"])
        #expect(
            DNSText(state, flags: { _ in .reachable })?.lines == [
                "DNS configuration", "", "resolver #1", "  search domain[0] : example.com",
                "  nameserver[0] : 192.0.2.53", "  flags    : Request A records",
                "  reach    : 0x00000002 (Reachable)",
            ])
        #expect(DNSText(NetworkState()) == nil)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import SystemConfigurationCore
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes
@testable import scutil

@Suite("scutil", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct ScutilTests {
    private let topology: Topology

    init() throws {
        topology = try Topology()
        try topology.wire("eth0", address: "10.0.0.1/24", "fd00::1/64")
        try topology.ip("route add default via 10.0.0.254")
    }

    private func scutil(_ arguments: String) throws -> Built.Outcome {
        try Built.run(["\(Built.directory)/scutil"] + arguments.split(separator: " ").map(String.init), in: topology)
    }

    @Test(
        "prints one line of Apple's words",
        arguments: [
            ("-r 127.0.0.1", "Reachable,Local Address,Directly Reachable Address"),
            ("-r localhost", "Reachable,Local Address,Directly Reachable Address"),
            ("-r 10.0.0.2", "Reachable,Directly Reachable Address"),
            ("-r 10.0.0.1 192.0.2.1", "Reachable"),
            ("-r 10.0.0.9 192.0.2.1", "Not Reachable"),
            ("-r 1", "Reachable"),
            ("-r fd00::2", "Reachable,Directly Reachable Address"),
            ("-r fd00::1 fd00::2", "Reachable,Directly Reachable Address"),
            ("-r 2001:db8::1", "Not Reachable"),
            ("-r 192.0.2.1%eth0", "Reachable"),
            ("-r 192.0.2.1 interface eth0", "Reachable"),
            ("-r 192.0.2.1 INTERFACE lo", "Not Reachable"),
            ("-r some.example no-resolve", "Reachable"),
            ("-vr 192.0.2.1 no-connection-on-demand", "Reachable"),
            ("-d -r 192.0.2.1", "flags = 0x00000002 (Reachable)"),
            ("-r -d 127.0.0.1", "flags = 0x00030002 (Reachable,Local Address,Directly Reachable Address)"),
        ])
    func lines(_ arguments: String, _ line: String) throws {
        #expect(try scutil(arguments) == Built.Outcome(output: line + "\n"))
    }

    @Test(
        "complains in Apple's words, and ends with 1",
        arguments: [
            ("-r 1.2.3.4 ::1", "Unrecognized option: ::1"),
            ("-r 1.2.3.4 word", "Unrecognized option: word"),
            ("-r 1.2.3.4%lo 1.2.3.5%eth0", "Interface mismatch \"lo\" != \"eth0\""),
            ("-r name interface", "No interface"),
            ("-r name interface nosuch", "No interface: nosuch"),
            ("-r name ptr", "No address"),
            ("-r 1.2.3.4%nosuch", "  Could not determine status: Invalid argument"),
            (
                "-r 1.2.3.4 ptr",
                "scutil: 'ptr' is not offered on Linux\n  Could not determine status: Invalid argument"
            ),
        ])
    func complaints(_ arguments: String, _ complaint: String) throws {
        #expect(try scutil(arguments) == Built.Outcome(status: 1, complaints: complaint + "\n"))
    }

    @Test("escapes control characters")
    func controlCharacters() throws {
        let evil = "\u{1B}[31mred"
        for words in [[evil, evil], [evil, "interface", evil], ["1.2.3.4%\(evil)", "1.2.3.5%lo"]] {
            let outcome = try Built.run(["\(Built.directory)/scutil", "-r"] + words, in: topology)
            #expect(outcome.status == 1)
            #expect(outcome.complaints.contains("\\u{1b}[31mred"))
            #expect(!outcome.complaints.contains("\u{1B}"))
        }
        let words = try TargetWords([evil])
        var options = LegacyOptions()
        options.name = evil
        let target = try #require(LegacyTarget.make(options: options))
        #expect("\(Description(target: target, words: words))".contains("{name = \\u{1b}[31mred}"))

        try topology.ip("link set eth0 down")
        try topology.ip("link set eth0 name \(evil)")
        try topology.ip("link set \(evil) up")
        try topology.waitForLink(evil, .up)
        try topology.ip("route add default via 10.0.0.254")
        let outcome = try Built.run(["\(Built.directory)/scutil", "--nwi"], in: topology)
        #expect(outcome.output.contains("\\u{1b}[31mred : flags"))
        #expect(!outcome.output.contains("\u{1B}"))
    }

    @Test(
        "refuses what is wrong with 64, a cure and the usage",
        arguments: [
            ("-r", "-r needs a name or an address"), ("-x", "there is no option '-x'"),
            ("--bogus=1 x", "there is no option '--bogus'"),
            ("-W", "-W needs -r and a host, or --nwi"), ("-W --get HostName", "-W needs -r and a host, or --nwi"),
            ("x y", "'x y' needs a command before it, such as -r for a host or --nwi for an interface"),
            ("--get", "--get needs one of ComputerName, LocalHostName, HostName"),
            ("--get Foo", "--get needs one of ComputerName, LocalHostName, HostName, and not 'Foo'"),
            ("--get HostName x", "leave out 'x' behind --get HostName"), ("--proxy x", "leave out 'x'"),
            ("--dns x", "leave out 'x'"), ("--nwi a b", "--nwi takes one interface, and not 'a b'"),
            ("-r -r name", "give one command only"), ("--nwi -r name", "give one command only"),
            ("--dns -r name", "give one command only"),
        ])
    func refusals(_ arguments: String, _ complaint: String) throws {
        let outcome = try scutil(arguments)
        #expect(outcome.status == 64 && outcome.output.isEmpty)
        #expect(outcome.complaints.hasPrefix("scutil: \(complaint)\nusage: scutil"), "\(outcome.complaints)")
        let empty = try Built.run(["\(Built.directory)/scutil", "-r", ""], in: topology)
        #expect(empty.status == 64 && empty.complaints.hasPrefix("scutil: -r needs a name or an address\n"))
    }

    @Test("--nwi prints the interfaces that packets can leave by", arguments: ["--nwi", "--nwi -a", "--nwi eth0"])
    func networkInformation(_ arguments: String) throws {
        let outcome = try scutil(arguments)
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("Network information\n\nIPv4 network interface information\n   eth0 : flags"))
        #expect(outcome.output.hasSuffix("\nNetwork interfaces: eth0\n"))
        try topology.ip("route del default")
        #expect(try scutil(arguments).status == 1)
    }

    @Test("--nwi prints in Apple's layout")
    func layout() throws {
        let index = try #require(InterfaceIndex(2))
        var path = NetworkPath()
        path.servers = [ServerAddress(IPAddress(text: "10.0.2.53"))]
        path.ipv4 = .init(interface: index, flags: .reachable, gateway: nil)
        let address = InterfaceAddress(interface: index, address: IPAddress(text: "10.0.2.1"), prefixLength: 24)
        path.interfaces = [
            .init(
                linkIndex: index, name: "eth0", kind: .wiredEthernet, isTunnel: false, isMetered: false,
                ownAddresses: [address], ipv4: .init(flags: .reachable))
        ]
        let text = NetworkInformationText(path)
        #expect(text.hasState)
        #expect(
            text.text == """
                Network information

                IPv4 network interface information
                   eth0 : flags      : 0x5 (IPv4,DNS)
                           address    : 10.0.2.1
                           reach      : 0x00000002 (Reachable)

                   REACH : flags 0x00000002 (Reachable)

                IPv6 network interface information
                   No IPv6 states found


                   REACH : flags 0x00000000 (Not Reachable)

                Network interfaces: eth0
                """)
        #expect(NetworkInformationText(path, only: "eth9").text == "No network information")
        #expect(!NetworkInformationText(NetworkPath()).hasState)
    }

    @Test("prints how the target was made")
    func kinds() throws {
        let expected = [
            ["localhost"]: "by name", ["localhost", "no-resolve"]: "by name w/options",
            ["127.0.0.1"]: "by address", ["127.0.0.1%lo"]: "by address w/scope",
            ["127.0.0.1%lo", "no-resolve"]: "by address w/scope and options",
            ["127.0.0.1", "127.0.0.2"]: "by address pair", ["::1"]: "by (v6) address",
            ["::1", "::1"]: "by (v6) address pair",
        ]
        for (words, kind) in expected { #expect(try TargetWords(words).kind == kind) }
    }

    @Test("-W prints the present state, and then each change", arguments: ["", "-D"])
    func watch(_ option: String) throws {
        // The script ends it after the first callback.
        let script = """
            mkfifo "$1/fifo"; "$0" -W \(option) -r 192.0.2.1 > "$1/fifo" & exec 3< "$1/fifo"
            while read -r line <&3; do echo "$line"; case $line in
            *"2: on "*) watched=1;;
            Reachable) [ -z "$watched" ] || [ -n "$changed" ] || { changed=1; ip route del default; };;
            "Not Reachable") break;; esac; done
            kill $!; wait $! 2> /dev/null; true
            """
        let folder = try TemporaryFolder()
        let outcome = try Built.run(["sh", "-c", script, "\(Built.directory)/scutil", folder.path], in: topology)
        withExtendedLifetime(folder) {}
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let shape = lines.map { line in
            if line.hasPrefix("<SCNetworkReachability 0x") { return String(line.drop { $0 != "{" }) }
            return line.hasPrefix("*** ") ? "***" : line
        }
        #expect(
            shape == [
                "0: direct", "{address = 192.0.2.1}", "Reachable", "", "1: start", "{address = 192.0.2.1}", "",
                option == "-D" ? "2: on dispatch queue" : "2: on runloop",
                "{address = 192.0.2.1, flags = 0x00000002, if_index = \(try topology.index(of: "eth0").rawValue)}",
                "Reachable", "", "", "***", "", "3: callback w/flags=0x00000000 (info=\"by address\")",
                "{address = 192.0.2.1, flags = 0x00000000, if_index = 0}", "Not Reachable", "",
            ])
    }
}

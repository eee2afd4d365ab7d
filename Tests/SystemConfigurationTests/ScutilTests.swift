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
    private let topology: Machine

    init() throws {
        topology = try Machine()
        try topology.wire("eth0", address: "10.0.0.1/24", "fd00::1/64")
        try topology.ip("route add default via 10.0.0.254")
    }

    @Test("escapes control characters")
    func controlCharacters() throws {
        let evil = "\u{1B}[31mred"
        for words in [[evil, evil], [evil, "interface", evil], ["1.2.3.4%\(evil)", "1.2.3.5%lo"]] {
            let outcome = try topology.outcome(of: ["\(BuiltProduct.folder)/scutil", "-r"] + words)
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
        let outcome = try topology.outcome(of: ["\(BuiltProduct.folder)/scutil", "--nwi"])
        #expect(outcome.output.contains("\\u{1b}[31mred : flags"))
        #expect(!outcome.output.contains("\u{1B}"))
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
        let folder = TemporaryFolder()
        let outcome = try topology.outcome(of: ["sh", "-c", script, "\(BuiltProduct.folder)/scutil", folder.path])
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

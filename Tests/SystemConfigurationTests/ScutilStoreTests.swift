// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
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

    /// What the program does with these lines.
    private func scutil(_ lines: String...) throws -> Built.Outcome {
        try Built.run(["sh", "-c", "printf '%s\\n' \"$@\" | \(Self.program)", "sh"] + lines, in: topology)
    }

    @Test("shows a value, as scripts ask for it")
    func show() throws {
        #expect(
            try scutil("show State:/Network/Global/IPv4")
                == Built.Outcome(
                    output: """
                        <dictionary> {
                          PrimaryInterface : eth0
                          PrimaryService : \(ServiceIdentifier(interface: "eth0"))
                          Router : 10.0.0.254
                        }

                        """))
        #expect(try scutil("show State:/Nothing").output == "  No such key\n")
    }

    @Test("lists keys in alphabetical order")
    func list() throws {
        #expect(
            try scutil("list State:/Network/Interface/eth0/.*").output == """
                  subKey [0] = State:/Network/Interface/eth0/IPv4
                  subKey [1] = State:/Network/Interface/eth0/IPv6
                  subKey [2] = State:/Network/Interface/eth0/Link

                """)
        #expect(try scutil("list nothing").output == "  no keys.\n")
        #expect(try scutil("list (").output == "  Failed!\n")
    }

    @Test("reads on after lines that scripts have around these, and stops at quit")
    func otherLines() throws {
        #expect(
            try scutil("open", "# comment", "", "SHOW \"State:/Network/Interface/eth0/Link\"", "close", "quit", "list")
                == Built.Outcome(output: "<dictionary> {\n  Active : TRUE\n}\n"))
    }

    @Test(
        "ends at a line that is not offered",
        arguments: ["get State:/Network/Global/IPv4", "d.init", "set a", "n.add a", "show", "show a b", "\u{1B}[31m"])
    func notOffered(_ line: String) throws {
        let outcome = try scutil(line, "list")
        #expect(outcome.status == 64 && outcome.output.isEmpty)
        #expect(
            outcome.complaints
                == "scutil: '\(line.printable)' is not offered on Linux. Offered are show KEY, list [PATTERN] and quit.\n"
        )
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
        for command in ["--set", "--prefs", "--nc", "-p", "-w", "-t"] {
            let outcome = try Built.run([Self.program, command, "3"], in: topology)
            let cure = ["-w", "-t"].contains(command) ? "`reachability wait` waits" : "`scutil --help` lists what is"
            #expect(
                outcome
                    == Built.Outcome(status: 64, complaints: "scutil: \(command) is not offered on Linux; \(cure)\n"))
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

// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemConfigurationCore
import TestTopology
import Testing

/// Runs programs that were written from Apple's documentation, by an author who had not seen this package. What they print
/// was said beforehand in the comments at their heads.
@Suite("Programs by another author", .timeLimit(.minutes(10)), .needs(.namespaces, .tun, .settings))
struct PortTests {
    private let topology: Machine

    init() throws {
        topology = try Machine()
        try topology.wire("eth0", address: "192.0.2.10/24")
        try topology.ip("route add default via 192.0.2.1")
    }

    private static let service = "service \(ServiceIdentifier(interface: "eth0"))"

    private func start(_ name: String, _ arguments: String...) throws -> RunningProgram {
        try RunningProgram(["\(BuiltProduct.folder)/\(name)"] + arguments, in: topology)
    }

    /// The output of a program that ends by itself.
    private func output(of name: String, _ environment: String...) throws -> [String] {
        let outcome = try topology.outcome(of: ["env"] + environment + ["\(BuiltProduct.folder)/\(name)"])
        #expect(outcome.status == 0 && outcome.complaints.isEmpty, "\(outcome)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    @Test("follow the primary interface on a run loop")
    func primaryInterface5() throws {
        let program = try start("PrimaryInterface5", "2")
        defer { program.end() }
        try program.waitForOutput("primary=eth0 router=192.0.2.1 addresses=192.0.2.10\n")
        try topology.ip("route del default")
        #expect(
            try program.waitForOutput("no primary interface\n")
                == "changed: State:/Network/Global/IPv4\nno primary interface\n")
        try topology.ip("route add default via 192.0.2.2")
        try program.waitForOutput("primary=eth0 router=192.0.2.2 addresses=192.0.2.10\ndone\n")
    }

    @Test("follow the primary interface as an asynchronous stream")
    func primaryInterface6() throws {
        let program = try start("PrimaryInterface6", "3")
        defer { program.end() }
        try program.waitForOutput("eth0 via 192.0.2.1\n")
        try topology.ip("link set eth0 down")
        #expect(try program.waitForOutput("offline\n") == "offline\n")
        try topology.ip("link set eth0 up")
        try topology.ip("route add default via 192.0.2.1")
        try program.waitForOutput("eth0 via 192.0.2.1\n")
    }

    @Test("watch for tunnels and services by patterns")
    func tunnels5() throws {
        let program = try start("VPNWatcher5")
        defer { program.end() }
        #expect(
            try program.waitForOutput("watching\n") == """
                no VPN interface
                \(Self.service): InterfaceName=eth0 Addresses=192.0.2.10
                watching

                """)
        let tunnel = try topology.startTunnel()
        let key = "State:/Network/Interface/tun0/IPv4"
        #expect(try program.waitForOutput("\n") == "+ \(key) Addresses=10.8.0.2\n")
        try topology.ip("address del 192.0.2.10/24 dev eth0")
        let lost = "State:/Network/Service/\(ServiceIdentifier(interface: "eth0"))/IPv4"
        #expect(try program.waitForOutput("\n") == "- \(lost)\n")
        try topology.ip("link del tun0")
        #expect(try program.waitForOutput("\n") == "- \(key)\n")
        withExtendedLifetime(tunnel) {}
    }

    @Test("watch for tunnels and services in an actor")
    func tunnels6() throws {
        let program = try start("VPNWatcher6")
        defer { program.end() }
        let service = Self.service.replacing(" ", with: ":")
        #expect(try program.waitForOutput("\n") == "up   \(service) eth0 192.0.2.10\n")
        let tunnel = try topology.startTunnel()
        #expect(try program.waitForOutput("\n") == "up   interface:tun0 tun0 10.8.0.2\n")
        try topology.ip("address del 192.0.2.10/24 dev eth0")
        #expect(try program.waitForOutput("\n") == "down \(service) eth0\n")
        withExtendedLifetime(tunnel) {}
    }

    @Test("read proxies")
    func proxies() throws {
        let proxies = ["http_proxy=http://proxy.example.test:3128", "no_proxy=localhost"]
        #expect(
            try output(of: "ProxyReader5", proxies[0], proxies[1]) == [
                "HTTP: proxy.example.test:3128", "HTTPS: off", "FTP: off", "SOCKS: off", "PAC: off", "WPAD: off",
                "exceptions: localhost *.localhost", "simple host names excluded: no",
            ])
        let unset = ["-u", "no_proxy", "-u", "NO_PROXY"]
        #expect(
            try output(of: "ProxyReader6", unset[0], unset[1], unset[2], unset[3], proxies[0]) == [
                "http: proxy.example.test:3128", "https: direct", "ftp: direct", "socks: direct", "exceptions: []",
            ])
    }

    @Test("read names")
    func names() throws {
        let lines = try output(of: "HostNames5")
        #expect(lines.contains("location: none") && lines.contains("Setup:/System agrees: true"), "\(lines)")
        #expect(lines.first { $0.hasPrefix("computer name: ") }?.hasSuffix("(encoding 0x08000100)") == true)
        let program = try start("HostNames6")
        defer { program.end() }
        #expect(try program.waitForOutput("\n").contains(" encoding=UTF-8 location=- "))
    }

    @Test("list interfaces")
    func interfaces() throws {
        try topology.ip("link set eth0 mtu 1400")
        let listed = try output(of: "Interfaces5").filter { !$0.contains("MAC:") }
        #expect(
            listed.drop { $0 != "eth0" }.prefix(6) == [
                "eth0", "  type:      Ethernet", "  name:      Ethernet (eth0)",
                "  protocols: DNS IPv4 IPv6 Proxies", "  MTU:       1400", "  link:      active",
            ])
        let captive = try output(of: "Captive5")
        #expect(captive.count == 1 && captive[0].hasPrefix("no interface supports"), "\(captive)")
    }
}

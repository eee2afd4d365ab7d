// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import ReachabilityKit
import ReachabilityLinuxSystem
import Synchronization
import TestTopology
import Testing

@testable import NetworkTesting

/// What a test may do on a machine of its own. `DeedTests` runs each with the variable DEED, and looks at what is told of it.
enum Deed: String {
    case useMachine, stay, block
    case pass, fail, failOnce, record, warn, know, cancel
    case crash, exit, exitLate, print
    case takeTurns
    case passExitTest, failExitTest
    case ask

    static let isChosen = EnvironmentVariable.value(of: "DEED") != nil
    /// In a run of all tests only a deed that leads to no failure.
    static let chosen =
        EnvironmentVariable.value(of: "DEED").map { $0.split(separator: ",").map(String.init) }
        ?? [Deed.useMachine.rawValue]
}

@Suite(.network) struct Deeds {
    @Test(.network, arguments: Deed.chosen)
    func does(_ name: String) async throws {
        switch try #require(Deed(rawValue: name)) {
        case .useMachine: try useMachine()
        case .stay:
            try Data("\(getpid())".utf8).write(to: URL(filePath: #require(EnvironmentVariable.value(of: "DEED_FILE"))))
            try await Task.sleep(for: .seconds(3600))
        case .block, .cancel: break
        case .pass: print("what a passing test prints")
        case .fail: #expect(1 + 1 == 3, "sums")
        case .failOnce: #expect(name != "failOnce")
        case .record: Issue.record("two\nlines")
        #if compiler(>=6.3)
        case .warn: Issue.record("careful", severity: .warning)
        #else
        case .warn: break
        #endif
        case .know: withKnownIssue("as expected") { Issue.record("known") }
        case .crash:
            print("a last word")
            fatalError("a crash")
        case .exit: exit(0)
        case .exitLate: atexit { _exit(5) }
        case .takeTurns: await takeTurns()
        case .print:
            print("to the output")
            FileHandle.standardError.write(Data("to the error output\n".utf8))
            Issue.record("failed")
        case .passExitTest: await #expect(processExitsWith: .success) { try Self.requireOwnNetwork() }
        case .failExitTest: await #expect(processExitsWith: .success) { exit(3) }
        case .ask: try await ask()
        }
    }

    static func requireOwnNetwork() throws {
        let own = EnvironmentVariable.value(of: "REACHABILITY_TEST_MACHINE")
        try #require(own != nil && own == Files.linkTarget(of: "/proc/self/ns/net"))
    }

    private static let running = Atomic(0)

    private func takeTurns() async {
        #expect(Self.running.add(1, ordering: .relaxed).newValue == 1)
        for _ in 0..<1000 { await Task.yield() }
        Self.running.subtract(1, ordering: .relaxed)
    }

    private func useMachine() throws {
        try Self.requireOwnNetwork()
        let links = try CallingThread.execute(["ip", "-brief", "link"])
        #expect(links.hasPrefix("lo ") && links.split(separator: "\n").count == 1, "\(links)")
        #expect(links.contains("LOOPBACK,UP,LOWER_UP"), "\(links)")
        // A program that the test starts has the test's rights in its network, and its user.
        try CallingThread.ip(
            "link add eth0 type veth peer name eth1\nlink set eth0 up\naddress add 10.0.0.1/24 dev eth0")
        let user = EnvironmentVariable.value(of: "DEED_USER").flatMap(UInt32.init)
        #expect(geteuid() == user ?? geteuid())

        for path in ["/run/dbus/system_bus_socket", "/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve"] {
            #expect(Files.isMissing(path), "\(path) is the host's")
        }
        #expect(try Files.contents(of: "/etc/resolv.conf") == [])
        #expect(try text("/etc/nsswitch.conf").contains("hosts: files dns\n"))
        #expect(try text("/etc/hosts").hasPrefix("127.0.0.1 localhost\n"))
        for name in ["http_proxy", "HTTPS_PROXY", "DBUS_SYSTEM_BUS_ADDRESS"] {
            #expect(EnvironmentVariable.value(of: name) == nil)
        }
        for path in ["/etc/resolv.conf", "/etc/hosts"] { try Data("# mine\n".utf8).write(to: URL(filePath: path)) }
        #expect(try text("/etc/resolv.conf") == "# mine\n")
    }

    private func text(_ path: String) throws -> String { String(decoding: try Files.contents(of: path), as: UTF8.self) }

    /// Asks everything that could be asked outside of the machine. Nothing answers.
    private func ask() async throws {
        var found: UnsafeMutablePointer<addrinfo>?
        #expect(unsafe getaddrinfo("example.com", "80", nil, &found) != 0)
        #expect(unsafe getpwuid(12_345_678) == nil)
        #expect(try ReachabilityRef(hostname: "example.com").getFlags().contains(.reachable) == false)
        _ = try NetworkPath.current()
        await #expect(throws: URLError.self) {
            _ = try await URLSession.shared.data(from: #require(URL(string: "http://example.com/")))
        }
    }
}

#if compiler(>=6.3)
@Test(.network) func cancels() throws {
    if Deed.chosen == ["cancel"] { try Test.cancel("it \"rains\"") }
}
#endif

/// A test that blocks its thread, for which no limit of the testing library helps.
@Test(NetworkTrait(limit: .seconds(Deed.isChosen ? 3 : 300)), arguments: Deed.chosen)
func blocks(_ name: String) {
    if name == "block" { while true { pause() } }
}

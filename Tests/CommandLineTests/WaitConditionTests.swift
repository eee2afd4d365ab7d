// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ReachabilityLinuxSystem
import TestBus
import TestTopology
import Testing

@Suite("reachability wait, what for", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct WaitConditionTests {
    private let topology: Machine

    init() throws {
        topology = try Machine.wired()
    }

    private func start(_ line: String, _ more: [String] = [], wrapper: [String] = []) throws -> RunningProgram {
        try RunningProgram(
            ["wait", "-q"] + line.split(separator: " ").map(String.init) + more, in: topology, wrapper: wrapper)
    }

    // MARK: Which, and how long

    @Test("--any is content with one")
    func any() throws {
        #expect(try start("--any 192.0.2.1 10.0.0.9").outcome() == .silent())
        let program = try start("--any 192.0.2.1 198.51.100.1")
        try topology.ip("route add 198.51.100.1 via 10.0.0.254")
        #expect(try program.outcome() == .silent())
        let outcome = try start("--any --timeout 0 192.0.2.1 203.0.113.1").outcome()
        #expect(outcome.status == 124 && outcome.complaints.split(separator: "\n").count == 2)
    }

    @Test("--not waits for the end")
    func negated() throws {
        #expect(try start("--not 192.0.2.1").outcome() == .silent())
        let program = try start("--not 10.0.0.9 192.0.2.1")
        try topology.ip("link set eth0 down")
        #expect(try program.outcome() == .silent())
        let outcome = try start("--not --timeout 0 127.0.0.1").outcome()
        #expect(outcome == .complaint(124, "'127.0.0.1' was still reachable when the time was up"))
        #expect(try start("--not --connect 10.0.0.9:1").outcome().status == 64)
    }

    @Test("--stable waits until it has lasted, and starts again after a break")
    func stable() throws {
        try topology.ip("route add default via 10.0.0.254")
        // It lasts too short a time for the limit, which is found out when the limit is over.
        let short = try start("--stable 3600 --timeout 0 192.0.2.1").outcome()
        #expect(short == .complaint(124, "the time was up before that had been so for long enough"))
        #expect(try start("--stable 20ms 192.0.2.1").outcome() == .silent())
        // A break ends the time that has begun: nothing is left that would end the program.
        let socket = try NotifySocket("@stable", in: topology)
        let program = try start("--stable 3600 192.0.2.1", wrapper: socket.wrapper)
        while try socket.next() != "STATUS=waiting until this has lasted" {}
        try program.waitUntilStableTimer()
        try topology.ip("route del default")
        #expect(try socket.next() == "STATUS=waiting for 192.0.2.1 (no route)")
        try program.waitUntilAsleep()
        try topology.ip("route add default via 10.0.0.254")
        #expect(try socket.next() == "STATUS=waiting until this has lasted")
        try program.waitUntilStableTimer()
    }

    // MARK: The network

    @Test("--not-expensive waits until NetworkManager says so, and connects to nothing before")
    func metered() throws {
        let listener = try topology.run { () throws(Errno) in try TCPListener(port: 7000) }
        let peer = try Machine()
        try topology.wire("eth1", address: "10.0.1.1/24", peer: "eth1", peerAddress: "10.0.1.2/24", in: peer)
        let remote = try peer.run { () throws(Errno) in try TCPListener(port: 7000) }
        let socket = try topology.run { () throws(Errno) in
            let socket = UnixListener()
            try socket.listen(at: .abstract(Array("bus".utf8)))
            return socket
        }
        let model = ManagerModel(.yes, interface: "eth1")
        let bus = try ScriptedBus(socket, model: model)
        defer { bus.stop() }
        let told = try NotifySocket("@metered", in: topology)
        let program = try start(
            "--not-expensive --not-constrained 10.0.1.2:7000",
            wrapper: ["/usr/bin/env", "DBUS_SYSTEM_BUS_ADDRESS=unix:abstract=bus", "NOTIFY_SOCKET=@metered"])
        let words = "an expensive network leads there, a metered network leads there"
        while try told.next() != "STATUS=waiting for 10.0.1.2:7000 (\(words))" {}
        bus.set(.no)
        #expect(try program.outcome() == .silent())
        // This is the program's first connection: it had made none before.
        let client = try remote.accept()
        #expect(client.seesEnd())
        // This machine itself costs nothing, and without NetworkManager nothing does.
        #expect(try start("--not-expensive 127.0.0.1:7000").outcome() == .silent())
        _ = try listener.accept()
        bus.set(.yes)
        let outcome = try start(
            "--not-expensive --timeout 0 10.0.1.2",
            wrapper: ["/usr/bin/env", "DBUS_SYSTEM_BUS_ADDRESS=unix:abstract=bus"]
        ).outcome()
        #expect(outcome.status == 124)
        #expect(
            outcome.complaints.contains("'10.0.1.2' was not reachable as required when the time was up (an expensive"))
        // The reason why there is no way at all is told as ever.
        let unreachable = try start("--not-expensive --timeout 0 192.0.2.1").outcome()
        #expect(unreachable == .complaint(124, "'192.0.2.1' was not reachable when the time was up (no route)"))
    }

    // MARK: Name servers

    @Test("--dns waits for a name server; one on this machine counts if packets can leave")
    func nameServers() throws {
        let remote = try start("--dns --server 192.0.2.53")
        let local = try start("--dns --server 127.0.0.53")
        try topology.ip("route add 192.0.2.53 via 10.0.0.254")
        #expect(try remote.outcome() == .silent())
        // The other has seen the same change, and waits.
        try local.waitUntilAsleep()
        try topology.ip("route add default via 10.0.0.254")
        #expect(try local.outcome() == .silent())
        try topology.ip("route flush default")
        let outcome = try start("--dns --server 198.51.100.53 --timeout 0").outcome()
        #expect(outcome.status == 124)
        #expect(
            outcome.complaints
                == "reachability: no name server was reachable when the time was up (none is reachable)\n")
    }

    @Test("--online waits for the default route and a name server that can be reached")
    func online() throws {
        let socket = try NotifySocket("@online", in: topology)
        let program = try start("--online --online --server 192.0.2.53", wrapper: socket.wrapper)
        while try socket.next() != "STATUS=waiting for default (no route), a name server (none is reachable)" {}
        try topology.ip("route add 192.0.2.53 via 10.0.0.254")
        while try socket.next() != "STATUS=waiting for default (no route)" {}
        try topology.ip("route add default via 10.0.0.254")
        #expect(try program.outcome() == .silent())
        // A server on this machine itself has to ask others.
        #expect(try start("--online --server 127.0.0.53").outcome() == .silent())
        try topology.ip("route replace prohibit 192.0.2.53")
        let outcome = try start("--online --timeout 0 --server 192.0.2.53").outcome()
        #expect(outcome == .complaint(124, "no name server was reachable when the time was up (none is reachable)"))
        let other = try start("--online -6 --timeout 0 --server 127.0.0.53").outcome()
        #expect(other == .complaint(124, "'default' was not reachable when the time was up (no route)"))
    }

    // MARK: Connections

    @Test("--connect succeeds with a listener, at once or after a refusal")
    func connect() throws {
        let listener = try topology.run { () throws(Errno) in try TCPListener() }
        let address = "127.0.0.1:\(listener.port)"
        #expect(try start("--connect \(address)").outcome() == .silent())
        _ = try listener.accept()
        let socket = try NotifySocket("@connect", in: topology)
        let port = try topology.run { () throws(Errno) in try TCPListener().port }
        let program = try start("--connect 127.0.0.1:\(port)", wrapper: socket.wrapper)
        while try socket.next() != "STATUS=waiting for 127.0.0.1:\(port) (Connection refused)" {}
        let late = try topology.run { () throws(Errno) in try TCPListener(port: port) }
        let peer = try late.accept()
        #expect(peer.seesEnd())
        #expect(try program.outcome() == .silent())
    }

    @Test("--connect of a name tries its addresses")
    func connectToName() throws {
        let (server, words) = topology.nameServer { question in
            .answer(
                question.isA
                    ? [.address(question.name, .v4(IPv4Address(127, 0, 0, 2)))]
                    : [.address(question.name, .v6(IPv6Address("fd99::1")!))])
        }
        defer { server.stop() }
        let listener = try topology.run { () throws(Errno) in try TCPListener() }
        #expect(try start("--connect db.example:\(listener.port)", words).outcome() == .silent())
    }

    @Test("--connect sends nothing while there is no route, and tries when there is one")
    func connectWithoutRoute() throws {
        let other = try Machine()
        try topology.ip("link add eth1 type veth peer name eth0 netns \(other.namespacePath)")
        try topology.ip("link set eth1 up")
        try other.ip("link set eth0 up")
        try other.ip("addr add 10.9.0.2/24 dev eth0")
        let listener = try other.run { () throws(Errno) in try TCPListener() }
        let socket = try NotifySocket("@route", in: topology)
        let program = try start(
            "--connect 10.9.0.2:\(listener.port)", wrapper: socket.wrapper)
        while try socket.next() != "STATUS=waiting for 10.9.0.2:\(listener.port) (no route)" {}
        // The kernel counts the SYNs it sends, also those it cannot route (ActiveOpens in RFC 2012).
        #expect(try Self.activeOpens(of: program) == 0)
        try topology.ip("addr add 10.9.0.1/24 dev eth1")
        _ = try listener.accept()
        #expect(try program.outcome() == .silent())
    }

    private static func activeOpens(of program: RunningProgram) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(program.identifier)/net/snmp", encoding: .utf8)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("Tcp:") }.map { $0.split(separator: " ") }
        let column = try #require(lines.first?.firstIndex(of: "ActiveOpens"))
        return try #require(Int(lines[1][column]))
    }

    /// Waits until the program pauses for 1.6 seconds between two connections, which is more than a second after its first.
    private func waitForLongPause(_ program: RunningProgram) throws {
        try ProcessState.wait("it pauses") { try program.timers().contains { (1_000_000_000...1_600_000_000) ~= $0 } }
    }

    @Test("a connection that was made long ago is made once more when the last thing is there, and a refusal is told")
    func connectionOnceMore() throws {
        let first = try topology.run { () throws(Errno) in try TCPListener() }
        let (firstPort, secondPort) = try topology.run { () throws(Errno) in (first.port, try TCPListener().port) }
        let socket = try NotifySocket("@again", in: topology)
        let program = try start("127.0.0.1:\(firstPort) 127.0.0.1:\(secondPort)", wrapper: socket.wrapper)
        while try socket.next() != "STATUS=waiting for 127.0.0.1:\(secondPort) (Connection refused)" {}
        first.stop()
        try waitForLongPause(program)
        let second = try topology.run { () throws(Errno) in try TCPListener(port: secondPort) }
        while try socket.next() != "STATUS=waiting for 127.0.0.1:\(firstPort) (Connection refused)" {}
        let again = try topology.run { () throws(Errno) in try TCPListener(port: firstPort) }
        _ = try again.accept()
        _ = try second.accept()
        #expect(try program.outcome() == .silent())
    }

    @Test("--stable connects once more at its end, and begins anew after a refusal")
    func stableConnection() throws {
        let listener = try topology.run { () throws(Errno) in try TCPListener() }
        let target = "127.0.0.1:\(listener.port)"
        let socket = try NotifySocket("@end", in: topology)
        let program = try start("--stable 1.2 \(target)", wrapper: socket.wrapper)
        while try socket.next() != "STATUS=waiting until this has lasted" {}
        listener.stop()
        while try socket.next() != "STATUS=waiting for \(target) (Connection refused)" {}
        let again = try topology.run { () throws(Errno) in try TCPListener(port: listener.port) }
        while try socket.next() != "STATUS=waiting until this has lasted" {}
        #expect(try program.outcome() == .silent())
        _ = try again.accept()
        _ = try again.accept()
    }

    @Test("--any --stable goes on when another one takes over, and ends when none is left")
    func anyStable() throws {
        let listener = try topology.run { () throws(Errno) in try TCPListener() }
        let target = "10.0.0.1:\(listener.port)"
        let socket = try NotifySocket("@any", in: topology)
        let program = try start("--any --stable 3600 10.0.0.9 \(target)", wrapper: socket.wrapper)
        while try socket.next() != "STATUS=waiting until this has lasted" {}
        _ = try listener.accept()
        try topology.ip("link set eth0 down")
        try program.waitUntilStableTimer()
        #expect(!program.hasEnded)
        try topology.ip("address del 10.0.0.1/24 dev eth0")
        #expect(try socket.next().hasPrefix("STATUS=waiting for 10.0.0.9 ("))
    }

    @Test("the time limit of --connect is told with the reason")
    func connectTimeout() throws {
        let port = try topology.run { () throws(Errno) in try TCPListener().port }
        // The refusal has to come before the limit.
        let outcome = try start("--connect 127.0.0.1:\(port) --timeout 4").outcome()
        #expect(
            outcome
                == .complaint(
                    124, "no connection to '127.0.0.1:\(port)' was made when the time was up (Connection refused)"))
    }

    // MARK: Sleeping

    @Test(
        "between events it does not wake up",
        arguments: [
            "192.0.2.1", "--dns --server 192.0.2.53", "--connect 192.0.2.1:80", "--not --stable 9 127.0.0.1",
            "--not-expensive --not-constrained 192.0.2.1",
        ])
    func idle(line: String) throws {
        let socket = try NotifySocket("@idle", in: topology)
        let program = try start(line, wrapper: socket.wrapper)
        #expect(try socket.next().hasPrefix("STATUS=waiting for "))
        // The command asks the kernel a second time a little later, and a third time if it finds out only then that there is no
        // NetworkManager. Events of another network do not concern it.
        try WaitLimit.wait(for: "it to sleep while another network is made") {
            guard try program.timers().isEmpty else { return false }
            try program.waitUntilAsleep()
            let before = try program.switches()
            _ = try Machine.wired()
            return try program.switches() == before && program.timers().isEmpty
        }
    }

    // MARK: The command

    @Test("the command gets its arguments, the signals of the caller, and no descriptor of ours")
    func command() throws {
        let script =
            "printf '%s|' \"$@\"; grep -E 'SigBlk|SigIgn' /proc/self/status | cut -f2 | cut -c10-; ls /proc/self/fd | wc -l"
        let words = ["127.0.0.1", "--", "/bin/sh", "-c", script, "sh", "a b", "--json", ""]
        func normal(_ words: [String]) throws -> String {
            try RunningProgram(words, in: topology, wrapper: ["/bin/sh", "-c", "shift; exec \"$@\"", "sh"]).outcome()
                .output
        }
        // The same without our program in between. The upper signals, two of which libc uses itself, are left out.
        let direct = try normal(Array(words.dropFirst(2)))
        let program = try RunningProgram(["wait", "-q"] + words, in: topology)
        let outcome = try program.outcome()
        #expect(outcome.output == direct)
        #expect(outcome.status == 0 && outcome.complaints == "")
        #expect(direct.hasPrefix("a b|--json||"))
    }

    @Test("the command's status is the program's, and one that cannot run is told as shells do")
    func commandStatus() throws {
        #expect(try start("127.0.0.1 -- sh -c", ["exit 7"]).outcome().status == 7)
        // The command may end with 1, so a wait that ran out of time does not.
        #expect(try start("127.0.0.1 -- false").outcome().status == 1)
        let missing = try start("127.0.0.1 -- nosuchcommand").outcome()
        #expect(missing.status == 127)
        #expect(missing.complaints == "reachability: cannot run 'nosuchcommand': No such file or directory\n")
        #expect(try start("127.0.0.1 -- /etc/passwd").outcome().status == 126)
        let late = try start("--timeout 0 192.0.2.1 -- echo ran").outcome()
        #expect(late.status == 124 && late.output == "")
    }

    // MARK: The service manager

    @Test("the service manager is told what is missing and why, and that it has come", arguments: [true, false])
    func notify(isAbstract: Bool) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        let socket = try NotifySocket(isAbstract ? "@notify" : path, in: topology)
        let wrapper = socket.wrapper
        let program = try start("127.0.0.1 192.0.2.1 --dns --server 192.0.2.53", wrapper: wrapper)
        let status = "STATUS=waiting for 192.0.2.1 (no route), a name server (none is reachable)"
        while try socket.next() != status {}
        try topology.ip("route add 192.0.2.0/24 via 10.0.0.254")
        var message = ""
        while !message.hasPrefix("READY=1") { message = try socket.next() }
        #expect(message == "READY=1\nSTATUS=reachable")
        #expect(try program.outcome() == .silent())
        // A command tells by itself that it is ready.
        let second = try start("127.0.0.1 -- true", wrapper: wrapper)
        #expect(try second.outcome() == .silent())
        while message != "STATUS=starting true" {
            message = try socket.next()
            #expect(!message.contains("READY"))
        }
    }

    @Test("a service manager that is not there is no error", arguments: ["/nowhere", "@nobody", "vsock:2:1", "", "@"])
    func noManager(name: String) throws {
        #expect(try start("127.0.0.1", wrapper: ["/usr/bin/env", "NOTIFY_SOCKET=\(name)"]).outcome() == .silent())
    }
}

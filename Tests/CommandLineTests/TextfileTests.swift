// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import reachability

@Suite("reachability export --textfile", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct TextfileTests {
    private let topology: Machine
    private let folder: MetricsFolder

    private static let up = "reachability_up{target=\"10.0.0.9\"}"
    private static let changes = "reachability_changes_total{target=\"10.0.0.9\"}"

    init() throws {
        topology = try Machine.wired()
        folder = try MetricsFolder()
    }

    private func start(
        _ words: String..., targets: [String] = ["10.0.0.9"], wrapper: [String] = []
    ) throws -> RunningProgram {
        try RunningProgram(
            ["export", "--textfile", folder.path] + words + targets, in: topology, wrapper: wrapper)
    }

    // MARK: Changes

    @Test("keeps the file current: states, counts and the time of the last change")
    func changes() throws {
        let before = Date().timeIntervalSince1970
        let program = try start()
        try folder.wait(for: Self.up, "1")
        #expect(folder.samples[Self.changes] == "0")
        let time = "reachability_last_change_timestamp_seconds{target=\"10.0.0.9\"}"
        let began = try #require(folder.samples[time].flatMap(Double.init))
        // It is written in whole milliseconds, without what is left.
        #expect(began > before - 0.001 && began <= Date().timeIntervalSince1970)
        try topology.ip("link set eth0-peer down")
        try folder.wait(for: Self.up, "0")
        #expect(folder.samples[Self.changes] == "1")
        #expect(try #require(folder.samples[time].flatMap(Double.init)) > began)
        #expect(folder.samples.keys.contains { $0.hasSuffix("reason=\"lower_layer_down\"}") })
        try topology.ip("link set eth0-peer up")
        try folder.wait(for: Self.changes, "2")
        // The gateway alone is a change of the way, and of no flag.
        try topology.ip("route add 10.0.0.9/32 via 10.0.0.253")
        try folder.wait(for: Self.changes, "3")
        try topology.ip("route replace 10.0.0.9/32 via 10.0.0.252")
        try folder.wait(for: Self.changes, "4")
        #expect(folder.samples.keys.contains { $0.contains("gateway=\"10.0.0.252\"") })
        #expect(folder.samples.keys.filter { $0.hasPrefix("reachability_info{") }.count == 1)
        program.send(SIGTERM)
        #expect(try program.outcome() == .silent(-SIGTERM))
    }

    @Test("has the default routes, and a name from when it is resolved")
    func namesAndPaths() throws {
        let (server, words) = topology.nameServer(with: "10.0.0.9", isHolding: true)
        defer { server.stop() }
        let program = try start(targets: ["host.example", "10.0.0.9"] + words)
        try server.wait(forQuestions: 2)
        try folder.wait(for: Self.up, "1")
        #expect(folder.text?.contains("host.example") == false)
        try folder.wait(for: "reachability_path_up{family=\"ipv4\"}", "0")
        server.answer(with: "10.0.0.9")
        try folder.wait(for: "reachability_up{target=\"host.example\"}", "1")
        try topology.ip("route add default via 10.0.0.254")
        try folder.wait(for: "reachability_path_up{family=\"ipv4\"}", "1")
        withExtendedLifetime(program) {}
    }

    @Test("is readable for others, whatever the mask is, and leaves nothing else in the folder")
    func mode() throws {
        let program = try start(wrapper: ["sh", "-c", "umask 077; exec \"$@\"", "sh"])
        try folder.wait(for: Self.up, "1")
        try topology.ip("link set eth0-peer down")
        try folder.wait(for: Self.up, "0")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
        #expect(attributes[.posixPermissions] as? Int == 0o644)
        #expect(folder.names == ["reachability.prom"])
        withExtendedLifetime(program) {}
    }

    // MARK: The end

    @Test("removes the file when it ends, as it would no longer be current", arguments: [SIGTERM, SIGINT, SIGHUP])
    func removal(signal: Int32) throws {
        let program = try start()
        try folder.wait(for: Self.up, "1")
        program.send(signal)
        #expect(try program.outcome() == .silent(-signal))
        #expect(folder.allNames.isEmpty)
    }

    @Test("replaces what a program that was killed has left behind")
    func killed() throws {
        let first = try start()
        try folder.wait(for: Self.up, "1")
        first.send(SIGKILL)
        _ = try first.outcome()
        #expect(folder.samples[Self.up] == "1")
        try topology.ip("link set eth0-peer down")
        let second = try start()
        try folder.wait(for: Self.up, "0")
        #expect(folder.names == ["reachability.prom"])
        withExtendedLifetime(second) {}
    }

    @Test("does not write a file that another one keeps current")
    func second() throws {
        let first = try start()
        try folder.wait(for: Self.up, "1")
        let outcome = try start().outcome()
        #expect(
            outcome == .complaint(2, "another process keeps '\(folder.path)' current; stop it, or pass another file"))
        // The first one's file is still there, and current.
        try topology.ip("link set eth0-peer down")
        try folder.wait(for: Self.up, "0")
        first.send(SIGTERM)
        _ = try first.outcome()
        let third = try start()
        try folder.wait(for: Self.up, "0")
        withExtendedLifetime(third) {}
    }

    @Test("ends with an error, and removes what it found, if it cannot observe a target")
    func notObservable() throws {
        try "reachability_up 1\n".write(toFile: folder.path, atomically: true, encoding: .utf8)
        let outcome = try start("--mark", "7", wrapper: [BuiltProduct.path("deny-netlink"), "1"]).outcome()
        #expect(outcome.status == 2)
        #expect(outcome.complaints.hasPrefix("reachability: cannot "))
        #expect(folder.allNames.isEmpty)
    }

    @Test("is kept current where netlink is forbidden")
    func noNetlink() throws {
        let program = try start(wrapper: [BuiltProduct.path("deny-netlink"), "1"])
        try folder.wait(for: Self.up, "1")
        // At once: a lost carrier takes its time.
        try topology.ip("link set eth0 down")
        try folder.wait(for: Self.up, "0")
        program.send(SIGTERM)
        #expect(try program.outcome().status == -SIGTERM)
    }

    @Test("tells the service manager that it is ready, and leaves out a target that the kernel refuses to answer about")
    func refusedTarget() throws {
        try topology.ip("route add default via 10.0.0.254\nxfrm policy add dir out dst 192.0.2.1/32 action block")
        let socket = try NotifySocket("@refused", in: topology)
        let program = try start(
            targets: ["192.0.2.1", "10.0.0.9"],
            wrapper: socket.wrapper + [BuiltProduct.path("deny-netlink"), "1"])
        while !(try socket.next().contains("READY=1")) {}
        #expect(folder.samples[Self.up] == "1")
        #expect(folder.samples[#"reachability_up{target="192.0.2.1"}"#] == nil)
        try topology.ip("xfrm policy delete dir out dst 192.0.2.1/32")
        try folder.wait(for: #"reachability_up{target="192.0.2.1"}"#, "1")
        program.send(SIGTERM)
        #expect(try program.outcome().status == -SIGTERM)
    }

    // MARK: Others

    @Test("comes back if another process removes, renames, overwrites or replaces it")
    func touched() throws {
        let program = try start()
        try folder.wait(for: Self.up, "1")
        func isBack() throws {
            try ProcessState.wait("the file is back") { folder.samples[Self.up] == "1" }
        }
        try FileManager.default.removeItem(atPath: folder.path)
        try isBack()
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + ".old")
        try isBack()
        for isAtomic in [true, false] {
            try "nonsense\n".write(toFile: folder.path, atomically: isAtomic, encoding: .utf8)
            try isBack()
        }
        // Until then it may write the next version, under another name, because of what it has not seen yet.
        try program.waitUntilAsleep()
        #expect(folder.names == ["reachability.prom", "reachability.prom.old"])
        #expect(!program.hasEnded)
    }

    @Test(
        "says what is wrong with the place of the file", arguments: ["missing", "folder", "link", "pipe", "forbidden"])
    func badPlaces(kind: String) throws {
        var path = folder.path
        var wrapper: [String] = []
        var words = "'\(path)' is a folder, a symbolic link or a device; pass the path of a file"
        switch kind {
        case "missing":
            path = "\(folder.folder)/none/x.prom"
            words = "cannot write '\(path)': No such file or directory; make the folder, or pass a file in another one"
        case "folder":
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "link":
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
        case "pipe":
            try #require(unsafe mkfifo(path, 0o600) == 0)
        default:
            // Without capabilities, root is a user as any other.
            unsafe chmod(folder.folder, 0o555)
            wrapper = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
            words = "cannot write '\(path)': Permission denied; this user has to be allowed to write in the folder"
        }
        let program = try RunningProgram(
            ["export", "--textfile", path, "10.0.0.9"], in: topology, wrapper: wrapper)
        #expect(try program.outcome() == .complaint(2, words))
    }

    @Test("on a full disk says so, removes the old state, and writes again when there is room")
    func full() throws {
        let socket = try NotifySocket("@full", in: topology)
        // Two pages: enough for a version and the next one.
        let script = "mount -t tmpfs -o size=8k tmpfs '\(folder.folder)' && exec \"$@\""
        let program = try start(
            wrapper: ["env", "NOTIFY_SOCKET=@full", "unshare", "--mount", "sh", "-c", script, "sh"])
        while try !socket.next().hasPrefix("READY=1") {}
        let seen = MetricsFolder(folder, seenBy: program.identifier)
        #expect(seen.names == ["reachability.prom"])
        try "x".write(toFile: "\(seen.folder)/filler", atomically: false, encoding: .utf8)
        try topology.ip("link set eth0-peer down")
        while try socket.next() != "STATUS=cannot write '\(folder.path)': No space left on device" {}
        // The removal of the old version has made room.
        try seen.wait(for: Self.up, "0")
        #expect(try socket.next() == "STATUS=0 of 1 targets reachable; not: 10.0.0.9 (the link below is down)")
        program.send(SIGTERM)
        #expect(
            try program.outcome().complaints
                == "reachability: cannot write '\(folder.path)': No space left on device\n")
    }

    // MARK: Sleeping

    /// Starts the program, and waits until it sleeps.
    private func startedAndAsleep() throws -> RunningProgram {
        let socket = try NotifySocket("@idle", in: topology)
        let program = try start(targets: ["10.0.0.9", "default"], wrapper: socket.wrapper)
        while try !socket.next().hasPrefix("READY=1") {}
        // What a start repeats is over.
        try ProcessState.wait("the last timer") { try program.timers().isEmpty }
        try program.waitUntilAsleep()
        return program
    }

    @Test("between events it does not wake up")
    func idle() throws {
        let program = try startedAndAsleep()
        let (before, version) = (try program.switches(), try Files.identity(of: folder.path))
        // It does not wake up for another network, for other files in the folder, or for readers of its file.
        _ = try Machine.wired()
        for number in 0..<100 {
            try "x 1\n".write(toFile: "\(folder.folder)/\(number).prom", atomically: true, encoding: .utf8)
            #expect(folder.samples[Self.up] == "1")
        }
        #expect(try program.switches() == before)
        #expect(try program.timers().isEmpty)
        #expect(try Files.identity(of: folder.path) == version)
    }

    @Test("writes nothing if a change does not matter to any metric")
    func irrelevant() throws {
        let program = try startedAndAsleep()
        let (before, version) = (try program.switches(), try Files.identity(of: folder.path))
        // The engine looks at every target after a change of a link.
        try topology.ip("link set eth0 mtu 1400")
        try ProcessState.wait("it has looked") { try program.switches() > before }
        try program.waitUntilAsleep()
        #expect(try Files.identity(of: folder.path) == version)
        try topology.ip("link set eth0-peer down")
        try folder.wait(for: Self.up, "0")
        #expect(folder.samples[Self.changes] == "1")
    }

    // MARK: The service manager

    @Test("tells the service manager that it is ready as soon as that has room for it")
    func fullManager() throws {
        let socket = try NotifySocket("@full-manager", in: topology)
        let messages = try socket.fill(in: topology)
        let program = try start(wrapper: socket.wrapper)
        try folder.wait(for: Self.up, "1")
        // What the manager has not taken does not hold up the export.
        try topology.ip("link set eth0-peer down")
        try folder.wait(for: Self.up, "0")
        for _ in 0..<messages { #expect(try socket.next() == "full") }
        #expect(try socket.next() == "READY=1\nSTATUS=0 of 1 targets reachable; not: 10.0.0.9 (the link below is down)")
        withExtendedLifetime(program) {}
    }

    @Test("tells the service manager that it is ready when every state is in the file, and what is missing")
    func notify() throws {
        let (server, words) = topology.nameServer(with: "10.0.0.9", isHolding: true)
        defer { server.stop() }
        let socket = try NotifySocket("@export", in: topology)
        let program = try start(
            targets: ["host.example", "10.0.0.9", "192.0.2.1"] + words, wrapper: socket.wrapper)
        let status = "1 of 3 targets reachable; not: host.example (being resolved), 192.0.2.1 (no route)"
        while try socket.next() != "STATUS=\(status)" {}
        server.answer(with: "10.0.0.9")
        #expect(try socket.next() == "READY=1\nSTATUS=2 of 3 targets reachable; not: 192.0.2.1 (no route)")
        #expect(folder.samples["reachability_up{target=\"host.example\"}"] == "1")
        try topology.ip("route add 192.0.2.0/24 via 10.0.0.254")
        #expect(try socket.next() == "STATUS=3 of 3 targets reachable")
        withExtendedLifetime(program) {}
    }
}

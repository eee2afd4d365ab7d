// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestTopology
import Testing

@Suite("Pipes, folders and devices in the place of files", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct StrangeFileTests {
    private let topology: Topology
    private let folder: MetricsFolder
    private var pipe: String { "\(folder.folder)/pipe" }

    init() throws {
        topology = try Topology()
        folder = try MetricsFolder()
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
    }

    @Test("as a list of targets end with 64 and a sentence", arguments: ["pipe", "folder", "/dev/zero"])
    func lists(kind: String) throws {
        let path = kind == "pipe" ? pipe : kind == "folder" ? folder.folder : kind
        let outcome = try topology.reachability("check", "--file", path)
        #expect(
            outcome
                == .complaint(
                    64,
                    "cannot read the targets in '\(path)': it is no file; pass one, or redirect a pipe to standard "
                        + "input, with `--file -`"))
    }

    @Test("a list that is too long is refused, and not cut")
    func longList() throws {
        let path = "\(folder.folder)/list"
        let line = "127.0.0.1 # " + String(repeating: "x", count: 1011) + "\n"
        try String(repeating: line, count: 16 << 10).write(toFile: path, atomically: false, encoding: .utf8)
        let whole = try topology.reachability("check", "--quiet", "--file", path)
        #expect(whole == .silent())
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data("\n".utf8))
        let outcome = try topology.reachability("check", "--quiet", "--file", path)
        #expect(outcome == .complaint(64, "cannot read the targets in '\(path)': it has more than 16 MiB"))
    }

    @Test(
        "as a network namespace end with 64 and a sentence",
        arguments: ["pipe", "folder", "/dev/zero", "/etc/passwd", "/proc/self/ns/uts"])
    func namespaces(kind: String) throws {
        let path = kind == "pipe" ? pipe : kind == "folder" ? folder.folder : kind
        let outcome = try topology.reachability("check", "--netns", path, "127.0.0.1")
        #expect(outcome.status == 64 && outcome.output.isEmpty)
        #expect(
            outcome.complaints
                == "reachability: cannot use the network namespace '\(path)': it is not a network namespace; pass a file "
                + "such as /proc/123/ns/net\n")
    }

    private static let configuration = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"]

    /// Words that run a program with the strange file in these places.
    private func wrapper(_ strange: String, _ places: [String]) -> [String] {
        let mounts = places.map { "mount --bind '\(strange)' \($0) && " }.joined()
        return ["unshare", "--mount", "sh", "-c", "\(mounts)exec \"$@\"", "sh"]
    }

    @Test("as configuration count as empty, and SIGTERM ends the wait", arguments: ["pipe", "/dev/zero"])
    func waiting(kind: String) throws {
        let socket = try NotifySocket("@strange-\(kind.hash)", in: topology)
        let program = try RunningProgram(
            ["wait", "--dns"], in: topology,
            wrapper: socket.wrapper + wrapper(kind == "pipe" ? pipe : kind, Self.configuration)
        )
        #expect(try socket.next() == "STATUS=waiting for a name server (none is configured)")
        program.send(SIGTERM)
        #expect(try program.outcome() == .silent(-SIGTERM))
    }

    @Test("as configuration hold up neither the path nor an answer", arguments: ["pipe", "/dev/zero"])
    func answers(kind: String) throws {
        let words = wrapper(kind == "pipe" ? pipe : kind, Self.configuration)
        let path = try RunningProgram(["path", "--watch"], in: topology, wrapper: words)
        #expect(try path.nextLine().contains(" unsatisfied"))
        path.send(SIGTERM)
        #expect(try path.outcome().status == -SIGTERM)
        let local = try RunningProgram(["check", "localhost"], in: topology, wrapper: words).outcome()
        #expect(local.status == 0 && local.complaints.isEmpty)
    }
}

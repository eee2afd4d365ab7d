// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestTopology
import Testing

@Suite("Pipes, folders and devices in the place of files", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct StrangeFileTests {
    private let topology: Machine
    private let folder: MetricsFolder
    private var pipe: String { "\(folder.folder)/pipe" }

    init() throws {
        topology = try Machine()
        folder = try MetricsFolder()
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
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

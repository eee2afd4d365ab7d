// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReachabilityLinuxSystem
import TestTopology
import Testing

/// The static programs that `make install` links, in an otherwise empty directory.
@Suite(
    "Static programs", .timeLimit(.minutes(10)), .needs(.namespaces, .objects),
    .disabled(if: Sanitizer.isOn, "a sanitizer cannot be linked into a static program"))
struct StaticProgramTests {
    private let folder: MetricsFolder
    private var directory: String { folder.folder }
    private let topology: Machine

    init() throws {
        topology = try Machine.routed()
        folder = try MetricsFolder()
    }

    /// Links a program from the objects that were built together with these tests.
    private func link(_ name: String) throws {
        let install = #filePath.replacing("Tests/CommandLineTests/StaticProgramTests.swift", with: "Scripts/install")
        let objects = BuiltProduct.path("")
        try CallingThread.execute([install, "--program", name, objects, "\(directory)/\(name)"])
    }

    /// - Parameter script: runs "$@" with `$directory` as its root.
    private func start(
        _ words: [String], by script: String = "exec chroot \"$directory\" \"$@\""
    ) throws -> RunningProgram {
        // Drops the path that RunningProgram adds.
        let whole = "directory=$1; shift 2; \(script)"
        return try RunningProgram(words, in: topology, wrapper: ["/bin/sh", "-c", whole, "sh", directory])
    }

    @Test("answer and watch without /proc and any other file")
    func alone() throws {
        try link("reachability")
        #expect(try start(["/reachability", "--version"]).outcome().output.hasPrefix("reachability "))
        let expected = """
            192.0.2.1: Reachable
            default: Reachable
            localhost: Reachable,Local Address,Directly Reachable Address

            """
        let once = try start(["/reachability", "check", "192.0.2.1", "default", "localhost"]).outcome()
        #expect(once == .init(status: 0, output: expected, complaints: ""))
        let path = try start(["/reachability", "path"]).outcome()
        #expect(path.status == 0 && path.complaints.isEmpty, "\(path)")

        let program = try start(["/reachability", "watch", "192.0.2.1"])
        #expect(try program.nextLine().hasSuffix(" 192.0.2.1: Reachable"))
        try topology.ip("route del default")
        #expect(try program.nextLine().contains(" 192.0.2.1: Not Reachable ("))
    }

    /// Stands for a container made from scratch: the root has the program and the files that a runtime mounts.
    @Test("do what the pages say of containers, as they say it")
    func containers() throws {
        try link("reachability")
        try FileManager.default.createDirectory(atPath: "\(directory)/etc", withIntermediateDirectories: false)
        try "127.0.0.1 db\n".write(toFile: "\(directory)/etc/hosts", atomically: true, encoding: .utf8)
        // What the entry point starts when the database is there. Not a copy: a program that another test starts at
        // that moment would hold the copy open for writing until its execve(2), and ours would fail with ETXTBSY.
        try FileManager.default.linkItem(atPath: "\(directory)/reachability", toPath: "\(directory)/server")
        let page = try PackageFiles.text("Docs/Commands.md")
        let commands = try page.matches(of: /(?:ENTRYPOINT|HEALTHCHECK CMD|command:) (\[.*\])\n/).map {
            try JSONDecoder().decode([String].self, from: Data($0.1.utf8))
        }
        #expect(commands.count == 3)
        for command in commands {
            let listener = try topology.run { () throws(Errno) in try TCPListener() }
            let words = command.map { $0.replacing(/:(5432|8080)$/, with: ":\(listener.port)") }
            #expect(words != command)
            let program = try start(words)
            _ = try listener.accept()
            let outcome = try program.outcome()
            // /server is our own program here, and without a verb it says what it wants.
            #expect(outcome.status == (words.contains("/server") ? 64 : 0), "\(outcome)")
        }
    }

    @Test("answer or report an error with few descriptors")
    func fewDescriptors() throws {
        try link("reachability")
        let limits = 3...64
        for limit in limits {
            for target in ["192.0.2.1", "localhost"] {
                // Without chroot(1), which needs a descriptor itself.
                let script = "ulimit -n \(limit) && exec \"$directory$@\""
                let outcome = try start(["/reachability", "check", target], by: script).outcome()
                let isRight = outcome.status == 0 && outcome.output.hasPrefix("\(target): Reachable")
                let isError = outcome.status == 2 && !outcome.complaints.isEmpty
                #expect(isRight || isError && limit < limits.last!, "\(limit): \(outcome)")
                #expect(isError || limit > limits.first!, "\(limit): \(outcome)")
            }
        }
    }

    /// glibc cannot load modules into them.
    @Test("count a source of names that is a module as unavailable, and say so once")
    func modules() throws {
        try link("reachability")
        try FileManager.default.createDirectory(atPath: "\(directory)/etc", withIntermediateDirectories: false)
        try "10.0.0.9 listed.test\n".write(toFile: "\(directory)/etc/hosts", atomically: true, encoding: .utf8)
        let words = "not asked, because this static program cannot load modules: mymachines"
        for (line, flags) in [
            ("mymachines files", "Reachable,Directly Reachable Address"),
            ("mymachines [UNAVAIL=return] files", "Not Reachable"),
        ] {
            try "hosts: \(line)\n".write(
                toFile: "\(directory)/etc/nsswitch.conf", atomically: true, encoding: .utf8)
            let outcome = try start(["/reachability", "explain", "listed.test"]).outcome()
            #expect(outcome.output.hasPrefix("listed.test: \(flags)"), "\(outcome)")
            #expect(outcome.output.components(separatedBy: words).count == 2, "\(outcome)")
            #expect(outcome.complaints.isEmpty)
        }
    }

    @Test("do so as scutil")
    func scutil() throws {
        try link("scutil")
        #expect(try start(["/scutil", "-r", "192.0.2.1"]).outcome().output == "Reachable\n")
        #expect(try start(["/scutil", "--nwi"]).outcome().status == 0)
    }
}

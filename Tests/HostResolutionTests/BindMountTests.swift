// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import TestTopology
import Testing

/// Configuration files that are mounted over others, as in containers.
///
/// Each test has a thread with its own mount namespace. The rest of the process does not see the mounts.
@Suite("Configuration files that are mount points", .timeLimit(.minutes(10)), .needs(.sysfs))
struct BindMountTests {
    /// The files outside of the container.
    let outside = ResolverFixture()
    /// The files as the container sees them.
    let inside = ResolverFixture()
    let container: Machine
    let started = Started()

    init() throws {
        container = try Machine(sysfs: true)
        outside.write("hosts", "192.0.2.1 a.test\n")
        inside.write("hosts", "192.0.2.100 a.test\n")
        try mount(outside.path("hosts"))
    }

    private func mount(_ path: String) throws {
        try container.run { _ = try CallingThread.execute(["mount", "--bind", path, inside.path("hosts")]) }
    }

    private func unmount() throws {
        try container.run { try unmount(inside.path("hosts")) }
    }

    /// A process that another test forked may hold a file of the mount for a moment, and then it is busy.
    private func unmount(_ path: String) throws {
        try WaitLimit.wait(for: "the end of the mount at \(path)") {
            (try? CallingThread.execute(["umount", path])) != nil
        }
    }

    private func resolver() -> Resolver {
        container.run { Resolver(inside.environment([])) }
    }

    /// The resolver's answer inside, once it is fresh.
    ///
    /// It may not be so at once: a process that another test forked while a file was open here closes the file too, later,
    /// and that counts as a write (inotify(7), IN_CLOSE_WRITE).
    private func addresses(_ resolver: Resolver) throws -> [String] {
        try container.run {
            var known: Resolution?
            try WaitLimit.wait(for: "a fresh answer") {
                known = resolver.known(host("a.test"))
                return known.map { resolver.isFresh($0, at: .distantFuture) } != false
            }
            return known?.addresses.map(\.description) ?? []
        }
    }

    @Test(arguments: [false, true])
    func `written over from outside, truncated before or not`(isTruncated: Bool) throws {
        let resolver = resolver()
        #expect(try addresses(resolver) == ["192.0.2.1"])
        for number in 2...9 {
            let first = container.run { resolver.known(host("a.test")) }
            // The size stays the same.
            let file = unsafe fopen(outside.path("hosts"), isTruncated ? "we" : "r+e")!
            unsafe fputs("192.0.2.\(number) a.test\n", file)
            unsafe fclose(file)
            #expect(container.run { first.map { resolver.isFresh($0, at: .distantFuture) } } == false)
            #expect(try addresses(resolver) == ["192.0.2.\(number)"])
        }
    }

    @Test func `replaced outside by a rename, which shows inside with the next mount`() throws {
        let resolver = resolver()
        #expect(try addresses(resolver) == ["192.0.2.1"])
        outside.replace("hosts", "192.0.2.2 a.test\n")
        #expect(try addresses(resolver) == ["192.0.2.1"])
        try unmount()
        try mount(outside.path("hosts"))
        #expect(try addresses(resolver) == ["192.0.2.2"])
        outside.write("hosts", "192.0.2.3 a.test\n")
        #expect(try addresses(resolver) == ["192.0.2.3"])
    }

    @Test func `unmounted, and mounted again`() throws {
        let resolver = resolver()
        #expect(try addresses(resolver) == ["192.0.2.1"])
        try unmount()
        #expect(try addresses(resolver) == ["192.0.2.100"])
        try mount(outside.path("hosts"))
        #expect(try addresses(resolver) == ["192.0.2.1"])
        // A second mount covers the first.
        outside.write("real.conf", "192.0.2.7 a.test\n")
        try mount(outside.path("real.conf"))
        #expect(try addresses(resolver) == ["192.0.2.7"])
        try unmount()
        #expect(try addresses(resolver) == ["192.0.2.1"])
    }

    @Test func `unmounted together with the file system it is on`() throws {
        try unmount()
        try container.run {
            _ = try CallingThread.execute(["mount", "-t", "tmpfs", "none", outside.directory])
            outside.write("hosts", "192.0.2.5 a.test\n")
            _ = try CallingThread.execute(["mount", "--bind", outside.path("hosts"), inside.path("hosts")])
            try unmount(outside.directory)
        }
        let resolver = resolver()
        #expect(try addresses(resolver) == ["192.0.2.5"])
        try unmount()
        #expect(try addresses(resolver) == ["192.0.2.100"])
    }

    @Test func `a loop is told of writes, and of what is unmounted`() throws {
        let resolver = resolver()
        let told = ReceivedValues<[String]>()
        let loop = try container.run { () throws(Errno) in try started.loop() }
        // Nothing is expected in the handler: it may be called once more after the test, when the files are gone.
        let observation = resolver.whenFilesChange(on: loop) {
            told.record(resolver.known(host("a.test"))?.addresses.map(\.description) ?? [])
        }
        defer { observation.cancel() }
        try loop.block().signal()
        outside.write("hosts", "192.0.2.2 a.test\n")
        try told.next { $0 == ["192.0.2.2"] }
        try unmount()
        try told.next { $0 == ["192.0.2.100"] }
        try mount(outside.path("hosts"))
        try told.next { $0 == ["192.0.2.2"] }
    }

    @Test func `a loop is told of a change also if another thread has noticed it before`() throws {
        let resolver = resolver()
        let told = ReceivedValues<[String]>()
        let loop = try container.run { () throws(Errno) in try started.loop() }
        let observation = resolver.whenFilesChange(on: loop) {
            told.record(resolver.known(host("a.test"))?.addresses.map(\.description) ?? [])
        }
        defer { observation.cancel() }
        let known = try #require(container.run { resolver.known(host("a.test")) })
        let freed = try loop.block()
        // This thread takes the events while the loop is blocked.
        outside.write("hosts", "192.0.2.2 a.test\n")
        #expect(!container.run { resolver.isFresh(known, at: .distantFuture) })
        freed.signal()
        try told.next { $0 == ["192.0.2.2"] }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ReachabilityLinuxSystem
import Synchronization
import TestHosts
import TestWaiting
import Testing

@testable import reachability

@Suite("A published file", .timeLimit(.minutes(10)))
struct PublishedFileTests {
    private typealias Failure = PublishedFile.Failure
    private let folder: MetricsFolder

    init() throws {
        folder = try MetricsFolder()
    }

    /// A version of many lines, all with its number. It is longer than what one read(2) of a reader takes.
    private static func version(_ number: Int) -> [UInt8] {
        Array(String(repeating: "x \(number)\n", count: 2000 + number % 1000).utf8)
    }

    @Test("is read whole, in one version or another, and is never absent")
    func whole() throws {
        let file = try PublishedFile(path: folder.path)
        try file.replace(with: Self.version(0))
        let (path, place) = (folder.path, folder.folder)
        let progress = Progress()
        let reader = try TestThread("reader") {
            defer { progress.end() }
            while !progress.isOver {
                let lines = String(decoding: try Files.contents(of: path), as: UTF8.self).split(separator: "\n")
                let number = try #require(lines.first?.split(separator: " ").last.flatMap { Int($0) })
                try #require(lines.count == 2000 + number % 1000 && lines.allSatisfy { $0 == lines[0] })
                // A program that looks for *.prom finds no other file.
                let names = try FileManager.default.contentsOfDirectory(atPath: place)
                try #require(names.filter { $0.hasSuffix(".prom") } == ["reachability.prom"])
                try #require(names.allSatisfy { $0 == "reachability.prom" || $0.hasPrefix(".") })
                progress.noteVersion(number)
            }
        }
        // Until the reader has seen many versions, however the two share the processor.
        for number in 1... {
            try file.replace(with: Self.version(number))
            if number >= 2000 && progress.versionCount >= 100 || progress.isOver { break }
        }
        progress.end()
        try reader.join()
        #expect(folder.names == ["reachability.prom"])
    }

    @Test("belongs to one process or object at a time, and is free after that")
    func lock() throws {
        let first = try PublishedFile(path: folder.path)
        #expect(throws: Failure.inUse) { try PublishedFile(path: folder.path) }
        try first.replace(with: [1])
        #expect(throws: Failure.inUse) { try PublishedFile(path: folder.path) }
        // Also if another process removes the file.
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(throws: Failure.inUse) { try PublishedFile(path: folder.path) }
        try first.replace(with: [2])
        first.end()
        #expect(folder.allNames.isEmpty)
        let second = try PublishedFile(path: folder.path)
        try second.replace(with: [3])
        #expect(try Files.contents(of: folder.path) == [3] && folder.names == ["reachability.prom"])
    }

    @Test("is no matter of who locks what can be read")
    func otherLocks() throws {
        try "left over".write(toFile: folder.path, atomically: false, encoding: .utf8)
        let other = try Files.open(folder.path)
        try #require(flock(other.rawValue, LOCK_SH | LOCK_NB) == 0)
        let file = try PublishedFile(path: folder.path)
        try file.replace(with: [1])
        #expect(try Files.contents(of: folder.path) == [1])
        let lock = try FileManager.default.attributesOfItem(atPath: "\(folder.folder)/.reachability.prom.lock")
        #expect(lock[.posixPermissions] as? Int == 0o600)
    }

    @Test("may have a name of any length that a file may have")
    func longName() throws {
        for length in [200, 242, 249, 250, 255] {
            let path = "\(folder.folder)/\(String(repeating: "n", count: length))"
            let file = try PublishedFile(path: path)
            try file.replace(with: [1])
            #expect(try Files.contents(of: path) == [1])
            file.end()
        }
        #expect(folder.allNames.isEmpty)
    }

    @Test("knows whether it is as it was written")
    func intact() throws {
        let file = try PublishedFile(path: folder.path)
        #expect(!file.isIntact)
        try file.replace(with: [1])
        #expect(file.isIntact)
        unsafe chmod(folder.path, 0o600)
        #expect(file.isIntact)
        try "22".write(toFile: folder.path, atomically: false, encoding: .utf8)
        #expect(!file.isIntact)
        try file.replace(with: [3])
        #expect(file.isIntact)
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(!file.isIntact)
    }

    @Test("is not touched if a new version cannot be written, and nothing is left of that")
    func failures() async {
        // Faults are those of a process.
        await #expect(processExitsWith: .success) {
            let folder = try MetricsFolder()
            let file = try PublishedFile(path: folder.path)
            try file.replace(with: [1])
            for (call, error) in [
                (FaultInjection.Call.open, Errno.tooManyOpenFiles), (.write, .noSpace), (.rename, .noSpace),
            ] {
                FaultInjection.fail(call, with: error)
                #expect(throws: PublishedFile.Failure.system(error)) { try file.replace(with: [2]) }
                FaultInjection.reset()
                try #require(try Files.contents(of: folder.path) == [1])
                try #require(folder.names == ["reachability.prom"])
                try #require(file.isIntact)
            }
        }
    }
}

/// What the reader has seen so far.
private final class Progress: Sendable {
    private struct State {
        var versions: Set<Int> = []
        var isOver = false
    }
    private let state = Mutex(State())

    var isOver: Bool { state.withLock(\.isOver) }
    var versionCount: Int { state.withLock(\.versions.count) }

    func noteVersion(_ number: Int) {
        state.withLock { _ = $0.versions.insert(number) }
    }

    func end() {
        state.withLock { $0.isOver = true }
    }
}

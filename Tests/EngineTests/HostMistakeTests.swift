// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostResolution
import LinuxSystem
import TestHosts
import TestTopology
import Testing

@testable import ReachabilityKit

/// What a program may do to its own descriptors. Each test has a process of its own.
@Suite("A program", .timeLimit(.minutes(10)), .needs(.namespaces))
struct HostMistakeTests {
    private static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) != -1 }

    @Test func `that has closed its standard streams finds none of ours there`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let topology = try Topology()
            try topology.wire("eth0", address: "10.0.0.1/24")
            for stream in Int32(0)...2 { close(stream) }
            let options = topology.options
            let references = [
                try ReachabilityRef(address: "10.0.0.7", options: options),
                try ReachabilityRef(hostname: "localhost", options: options),
                try ReachabilityRef(address: "10.0.0.7"),
            ]
            for reference in references { _ = try reference.explain() }
            let watcher = try ReachabilityWatcher()
            var calls = 0
            for reference in references { try watcher.add(reference) { _ in calls += 1 } }
            try watcher.turn { calls == references.count }
            _ = try PathSource().current(hintTimeout: .milliseconds(1))
            exit((Int32(0)...2).contains { Self.isOpen($0) } ? 1 : 7)
        }
    }

    @Test func `that closes our descriptors gets answers all the same`() async {
        await #expect(processExitsWith: .success) { try Self.closeOurSockets(andTakeTheirNumbers: false) }
    }

    @Test func `that closes our descriptors and takes their numbers keeps its own`() async {
        await #expect(processExitsWith: .success) { try Self.closeOurSockets(andTakeTheirNumbers: true) }
    }

    private static func closeOurSockets(andTakeTheirNumbers areTaken: Bool) throws {
        let topology = try Topology()
        try topology.wire("eth0", address: "10.0.0.1/24")
        let direct: ReachabilityFlags = [.reachable, .isDirect]
        try topology.run {
            let (first, second) = (try ReachabilityRef(address: "10.0.0.7"), try ReachabilityRef(address: "10.0.0.8"))
            try #require(try first.getFlags() == direct)
            let ours = (3..<Int32(256)).filter { descriptor in
                Files.linkTarget(of: "/proc/self/fd/\(descriptor)")?.hasPrefix("socket:") == true
            }
            try #require(!ours.isEmpty)
            for descriptor in ours { close(descriptor) }
            // What takes the numbers is no socket.
            if areTaken {
                for descriptor in ours { try #require(fcntl(1, F_DUPFD, descriptor) == descriptor) }
            }
            for _ in 0..<3 { try #require(try second.getFlags() == direct && first.getFlags() == direct) }
            if areTaken { try #require(ours.allSatisfy { isOpen($0) }) }
        }
    }

    @Test func `in which a loop cannot wait is not ended, and is told`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
            let reference = try network.topology.reference("10.0.0.7")
            let watcher = try ReachabilityWatcher()
            var told: [ReachabilityFlags] = []
            try watcher.add(reference) { told.append($0) }
            FaultInjection.fail(.epollWait, with: .badDescriptor)
            watcher.process()
            #expect(watcher.failure?.errno == EBADF)
            watcher.process()
            let error = #expect(throws: ReachabilityError.self) { try watcher.add(reference) { _ in } }
            #expect(error?.errno == EBADF)
            #expect(told == [])
            // A lookup of a name, which begins anew with the next.
            FaultInjection.fail(.epollWait, with: .notPermitted)
            let name = try network.reference("a.test")
            #expect(throws: ReachabilityError.self) { try name.getFlags() }
            #expect(try name.getFlags() == .reachable)
            // The engine's thread: the next to be scheduled starts another.
            try network.recorder.watch(reference)
            FaultInjection.fail(.epollWait, with: .badDescriptor)
            let engine = try #require(reference.namespace.sharedEngine.present)
            engine.loop.enqueue {}
            try ProcessState.wait("the loop has ended") { engine.loop.failure != nil }
            let later = CallbackRecorder()
            let other = try network.topology.reference("192.0.2.7")
            try later.watch(other)
            try network.topology.ip("route del default")
            #expect(try later.next() == [])
            try other.setDispatchQueue(nil)
            try reference.setDispatchQueue(nil)
            network.server.stop()
        }
    }
}

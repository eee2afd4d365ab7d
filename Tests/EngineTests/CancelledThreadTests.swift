// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology
import Testing

/// Threads that were cancelled (pthread_cancel(3)) before they call us. Such a thread ends at its next cancellation point
/// (pthreads(7)). That must not be inside a call of ours, where it may hold locks that other threads wait for.
///
/// Each test has its own process: after a call that was left half-way, shared state cannot be trusted.
@Suite("A thread that is cancelled", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct CancelledThreadTests {
    /// Whether `body` returns on a cancelled thread in the topology's namespace.
    private static func completes(
        in topology: Machine, _ body: @escaping @Sendable () throws -> Void
    ) throws -> Bool {
        let isOver = Flag()
        let namespace = topology.namespace
        let thread = try ReachabilityLinuxSystem.Thread.start(name: "cancelled", stackBytes: 1 << 20) {
            try? namespace.enter()
            pthread_cancel(pthread_self())
            if (try? body()) != nil { isOver.set() }
        }
        thread.join()
        return isOver.isSet
    }

    @Test func `gets its answer for an address first`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.routed()
            let reference = try topology.run { try ReachabilityRef(address: "192.0.2.1") }
            try #require(try Self.completes(in: topology) { _ = try reference.getFlags() })
            try topology.ip("route add 192.0.2.0/24 via 10.0.0.253")
            try #require(try Self.completes(in: topology) { _ = try reference.getFlags() })
            for _ in 0..<3 { _ = try reference.getFlags() }
            try #require(try Self.completes(in: topology) { _ = try reference.getFlags() }, "with a kept answer")
            try #require(try Self.completes(in: topology) { _ = try reference.explain() })
            try #require(try Self.completes(in: topology) { _ = try ReachabilityRef(address: "10.0.0.2").getFlags() })
            try #require(try reference.getFlags() == .reachable)
        }
    }

    @Test func `gets the path first, schedules and unschedules`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.routed()
            let reference = try topology.run { try ReachabilityRef(address: "192.0.2.1") }
            try #require(try Self.completes(in: topology) { _ = try PathSource().current() })
            try #require(
                try Self.completes(in: topology) { try reference.setDispatchQueue(DispatchQueue(label: "callbacks")) })
            try #require(try Self.completes(in: topology) { try reference.setDispatchQueue(nil) })
            try #require(
                try Self.completes(in: topology) {
                    let watcher = try ReachabilityWatcher()
                    try watcher.add(reference) { _ in }
                    watcher.close()
                })
        }
    }

    @Test func `gets the answer for a name first`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.routed()
            let (server, options) = topology.run {
                let server = NameServer(NamedNetwork.answering("192.0.2.1"))
                var options = ReachabilityOptions()
                options.nameServers = ["127.0.0.1:\(server.port)"]
                return (server, options)
            }
            try #require(try Self.completes(in: topology) { _ = try ReachabilityRef(hostname: "localhost").getFlags() })
            try #require(
                try Self.completes(in: topology) {
                    _ = try ReachabilityRef(hostname: "host.example", options: options).getFlags()
                })
            let reference = try topology.run { try ReachabilityRef(hostname: "other.example", options: options) }
            try #require(try topology.run { try reference.getFlags() } == .reachable)
            server.stop()
        }
    }
}

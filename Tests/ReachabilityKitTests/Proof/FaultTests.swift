// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

/// Makes system calls fail. A planned failure affects the whole process, so each test runs in its own.
@Suite("A system call that fails", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct FaultTests {
    /// Makes a call fail from each point on while a reference is made and asked, and then succeed again.
    ///
    /// - Returns: the errors, one for each point at which a failure was reported.
    static func errors(
        failing call: FaultInjection.Call, with error: Errno, points: Int, in wired: Wired
    ) throws -> [ReachabilityError] {
        var errors: [ReachabilityError] = []
        for skipping in 0..<points {
            // The sockets of a namespace go with its last reference, so each iteration opens new ones.
            FaultInjection.fail(call, with: error, skipping: skipping, times: 10_000)
            defer { FaultInjection.reset() }
            let reference = try wired.topology.run { try ReachabilityRef(address: "10.0.0.2") }
            do throws(ReachabilityError) {
                // Sockets that are not open yet must be opened by a thread in the namespace.
                let flags = try wired.topology.run { () throws(ReachabilityError) in try reference.getFlags() }
                #expect(flags == .direct)
            } catch {
                errors.append(error)
            }
            FaultInjection.reset()
            #expect(try wired.topology.run { try reference.getFlags() } == .direct)
            #expect(try wired.topology.run { try reference.explain() }.flags == .direct)
        }
        for found in errors {
            #expect(found.code == .kernelUnavailable)
            #expect(found.errno == error.rawValue)
            #expect(found.description.hasPrefix("cannot "))
            #expect(found.description.contains("\(error)"))
        }
        return errors
    }

    private struct Row {
        let call: FaultInjection.Call
        let error: Errno
        let points: Int
        /// How many of the points report an error.
        let count: Int
        var operation: String?
        /// Errors of questions name the target.
        var object: String?
    }

    private static let rows = [
        // One that proves answers, one to ask with, and a new socket of each family. Each error is that of the second attempt,
        // in which the first socket is refused.
        Row(call: .socket, error: .tooManyOpenFiles, points: 7, count: 4, operation: "open a netlink socket"),
        Row(call: .bind, error: .outOfMemory, points: 5, count: 2),
        // Two for each new socket, and the port of the one to ask with.
        Row(call: .getOption, error: .noBufferSpace, points: 7, count: 5),
        // One question for the rules, one for the route, one for its link.
        Row(
            call: .send, error: .noBufferSpace, points: 5, count: 3, operation: "send a netlink request",
            object: "10.0.0.2"),
        // Two for the rules and their end, one for the route and its match, one for the link.
        Row(
            call: .receive, error: .outOfMemory, points: 8, count: 4, operation: "receive a netlink answer",
            object: "10.0.0.2"),
    ]

    @Test func `is an error where it matters, and later calls work`() async {
        await #expect(processExitsWith: .success) {
            for row in FaultTests.rows {
                let errors = try FaultTests.errors(failing: row.call, with: row.error, points: row.points, in: Wired())
                #expect(errors.count == row.count, "\(row.call)")
                for error in errors {
                    #expect(row.operation == nil || error.operation == row.operation)
                    #expect(row.object == nil || error.object == row.object)
                }
            }
            let errors = try FaultTests.errors(failing: .setOption, with: .noBufferSpace, points: 5, in: Wired())
            #expect(errors.count >= 1)
        }
    }

    @Test func `at the file with the type of a device is not kept, so that a modem is recognised later`() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired()
            let (files, eth0) = (ResolverFixture(), try wired.topology.index(of: "eth0"))
            unsafe mkdir(files.path("eth0"), 0o755)
            files.write("eth0/uevent", "DEVTYPE=wwan\nIFINDEX=\(eth0.rawValue)\n")
            let socket = try wired.topology.run {
                try RouteClient(NetlinkRequester(), DeviceTypes(directory: files.directory), SocketDefaults(in: nil))
            }
            FaultInjection.fail(.open, with: .tooManyOpenFiles, skipping: 0, times: 10_000)
            try #require(socket.state(of: eth0)?.isCellular == false)
            FaultInjection.reset()
            try #require(socket.state(of: eth0)?.isCellular == true)
            try #require(socket.facts(of: eth0)?.deviceType == "wwan")
        }
    }

    @Test func `at epoll is no error, as poll can be asked instead`() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired()
            for call in [FaultInjection.Call.epollCreate, .epollControl] {
                let errors = try FaultTests.errors(failing: call, with: .tooManyOpenFiles, points: 5, in: wired)
                #expect(errors.isEmpty)
                FaultInjection.fail(call, with: .noSpace, times: 10_000)
                let reference = try wired.view.reference("8.8.8.8")
                FaultInjection.reset()
                for _ in 0..<2 { #expect(try reference.getFlags() == []) }
                try wired.topology.ip("route add default via 10.0.0.254")
                for _ in 0..<2 { #expect(try reference.getFlags() == .routed) }
                try wired.topology.ip("route del default")
                for _ in 0..<2 { #expect(try reference.getFlags() == []) }
            }
        }
    }

    @Test func `to bring an answer, time and again, is an error, and later calls work`() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired()
            let reference = try wired.view.reference("10.0.0.2")
            FaultInjection.fail(.receive, with: .wouldBlock, times: 10_000)
            let error = try #require(throws: ReachabilityError.self) { try reference.getFlags() }
            #expect(error.code == .kernelUnavailable)
            #expect(error.description.contains("lost"))
            FaultInjection.reset()
            #expect(try reference.getFlags() == .direct)
        }
    }

    @Test("after an answer was cached is reported by the next question only, and no stale answer hides it")
    func afterCaching() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired()
            let reference = try wired.view.reference("192.0.2.1")
            // Answers are kept from the second question of a generation on.
            for _ in 0..<2 { #expect(try reference.getFlags() == .nothing) }
            FaultInjection.fail(.send, with: .noBufferSpace, times: 10_000)
            #expect(try reference.getFlags() == .nothing)
            FaultInjection.reset()
            try wired.topology.ip("route add 192.0.2.0/24 via 10.0.0.254")
            FaultInjection.fail(.send, with: .noBufferSpace, times: 10_000)
            for _ in 0..<3 { #expect(throws: ReachabilityError.self) { try reference.getFlags() } }
            FaultInjection.reset()
            #expect(try reference.getFlags() == .routed)
        }
    }

    @Test func `to start a thread is an error for a foreign namespace, and later calls work`() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired()
            var options = ReachabilityOptions()
            options.networkNamespace = .path(wired.topology.namespacePath)
            FaultInjection.fail(.threadCreate, with: .wouldBlock, times: 10_000)
            let reference = try ReachabilityRef(address: "10.0.0.2", options: options)
            let error = try #require(throws: ReachabilityError.self) { try reference.getFlags() }
            #expect(error.code == .kernelUnavailable)
            FaultInjection.reset()
            #expect(try reference.getFlags() == .direct)
        }
    }
}

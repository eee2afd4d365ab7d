// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology
import Testing

/// Each test has a process of its own, because it closes a descriptor of the engine, or has system calls fail.
@Suite("A connection", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct FailedEngineTests {
    /// An address of the link, and nothing that answers there.
    private static func silentHost() throws -> WiredHost {
        let host = try WiredHost()
        try host.network.ip("neighbour add 10.0.0.2 lladdr 02:00:00:00:00:02 dev eth0")
        try host.network.configureServers("10.0.0.2")
        return host
    }

    /// When it has done what it has to do.
    private static func fail(_ engine: EngineAccess) throws {
        let isDone = DispatchSemaphore(value: 0)
        engine.loop.enqueue { isDone.signal() }
        try isDone.wait(for: "the engine")
        close(engine.loop.rawDescriptor)
        engine.loop.enqueue {}
    }

    @Test func `fails in every state if the engine cannot wait any more, and ends its requests`() async {
        await #expect(processExitsWith: .success) {
            let host = try Self.silentHost()
            let listener = try host.listen()
            let engine = try host.network.topology.run { try PathSource().engine() }
            let connections = [
                host.connection("10.0.0.2", 80), host.connection("somewhere.test", 80),
                host.connection("192.0.2.1", 80), host.connection("10.0.0.9", listener.port),
            ]
            let recorders = connections.map { _ in ConnectionRecorder() }
            for (connection, recorder) in zip(connections, recorders) { host.start(connection, recorder) }
            for recorder in recorders { try #require(try recorder.next() == "preparing") }
            try #require(try recorders[2].next() == "waiting(POSIXErrorCode(rawValue: 101): Network is unreachable)")
            try #require(try recorders[3].next(2) == ["ready", "viable"])
            for (connection, recorder) in zip(connections, recorders) {
                for _ in 0..<2 {
                    connection.receive(minimumIncompleteLength: 1, maximumLength: 1) { _, _, _, error in
                        recorder.record("received \(error.map { "\($0.errorCode)" } ?? "")")
                    }
                }
            }
            try Self.fail(engine)
            for (connection, recorder) in zip(connections, recorders) {
                try #require(try recorder.next(2) == ["received 9", "received 9"])
                try #require(
                    try recorder.next() == "failed(POSIXErrorCode(rawValue: 9): Bad file descriptor)")
                connection.send(
                    content: Data([1]),
                    completion: .contentProcessed { recorder.record("sent \($0?.errorCode ?? 0)") })
                try #require(try recorder.next() == "sent 9")
                connection.cancel()
                try #require(try recorder.next() == "cancelled")
            }
            // The next one has another engine.
            let (next, recorder) = (host.connection("10.0.0.9", listener.port), ConnectionRecorder())
            try host.connect(next, recorder)
            next.cancel()
            try #require(try recorder.next() == "cancelled")
        }
    }

    /// It still waits for the end of its peer.
    @Test func `that was cancelled is closed if the engine cannot wait any more`() async {
        await #expect(processExitsWith: .success) {
            let host = try Self.silentHost()
            let (listener, recorder) = (try host.listen(), ConnectionRecorder())
            let engine = try host.network.topology.run { try PathSource().engine() }
            let connection = host.connection("10.0.0.9", listener.port)
            try host.connect(connection, recorder)
            let peer = try listener.accept()
            connection.cancel()
            try #require(try recorder.next() == "cancelled")
            try #require(peer.seesEnd())
            try Self.fail(engine)
            try ProcessState.wait("the engine has failed") { engine.loop.failure != nil }
            // Nobody reads what comes to a closed socket, so the kernel resets the connection.
            try ProcessState.wait("the connection is closed") { !peer.write([1]) }
        }
    }

    @Test func `fails at its start if there can be no engine`() async {
        await #expect(processExitsWith: .success) {
            let host = try Self.silentHost()
            let (connection, recorder) = (host.connection("10.0.0.9", 80), ConnectionRecorder())
            FaultInjection.fail(.epollCreate, with: .notPermitted, times: .max)
            connection.send(
                content: Data([1]), completion: .contentProcessed { recorder.record("sent \($0?.errorCode ?? 0)") })
            host.start(connection, recorder)
            try #require(
                try recorder.next(2) == [
                    "failed(POSIXErrorCode(rawValue: 1): Operation not permitted)", "sent 1",
                ])
            connection.cancel()
            try #require(try recorder.next() == "cancelled")
        }
    }

    @Test func `fails without descriptors, also to a host whose name has to be asked for`() async {
        await #expect(processExitsWith: .success) {
            let host = try Self.silentHost()
            let engine = try host.network.topology.run { try PathSource().engine() }
            FaultInjection.fail(.socket, with: .tooManyOpenFiles, times: .max)
            for name in ["10.0.0.9", "somewhere.test"] as [NWEndpoint.Host] {
                let (connection, recorder) = (host.connection(name, 80), ConnectionRecorder())
                host.start(connection, recorder)
                try #require(
                    try recorder.next(2) == ["preparing", "failed(POSIXErrorCode(rawValue: 24): Too many open files)"])
                connection.cancel()
                try #require(try recorder.next() == "cancelled")
            }
            FaultInjection.reset()
            withExtendedLifetime(engine) {}
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import ReachabilityRoutes
import TestTopology
import Testing

/// The descriptors that resolvers hold, and for how long. Each test has its own process, because descriptors are counted per
/// process.
@Suite("The descriptors of names", .timeLimit(.minutes(10)), .needs(.namespaces))
struct ResolverLifetimeTests {
    private static let names = 1...200

    /// A network with a name server. Its engine and sockets are open already.
    private struct Network {
        let topology: Machine
        let server: NameServer
        let fence: ReachabilityRef
        let recorder = CallbackRecorder()

        init() throws {
            let topology = try Machine()
            self.topology = topology
            server = topology.run { NameServer(NamedNetwork.answering("127.0.0.1")) }
            fence = try topology.reference("127.0.0.1")
            _ = try fence.getFlags()
        }

        /// A reference to a name with settings of its own.
        func reference(_ mark: Int) throws -> ReachabilityRef {
            var options = topology.options
            options.nameServers = ["127.0.0.1:\(server.port)"]
            options.resolutionTimeout = .seconds(30)
            options.mark = UInt32(mark)
            return try ReachabilityRef(hostname: "a.test", options: options)
        }
    }

    @Test func `are closed with the last reference`() async {
        await #expect(processExitsWith: .success) {
            let network = try Network()
            try network.fence.openRouteClients()
            let before = ProcessState.descriptors
            for mark in Self.names { try #require(try network.reference(mark).getFlags().isReachable) }
            try #require(ProcessState.descriptors == before)
            network.server.stop()
        }
    }

    @Test func `are closed with the last reference, also after watching`() async {
        await #expect(processExitsWith: .success) {
            let network = try Network()
            try network.fence.setDispatchQueue(network.recorder.queue)
            _ = try network.fence.getFlags()
            func watchAll(_ marks: [Int]) throws {
                for mark in marks {
                    let reference = try network.reference(mark)
                    try network.recorder.watch(reference)
                    try #require(try network.recorder.next().isReachable)
                    try reference.setDispatchQueue(nil)
                    reference.setCallback(nil)
                }
                try network.recorder.finishDeliveries()
            }
            try watchAll([1, 2])
            let before = ProcessState.descriptors
            try watchAll(Array(Self.names))
            // The engine's thread closes what it has used.
            try ProcessState.wait("everything is closed") { ProcessState.descriptors <= before }
            try network.fence.setDispatchQueue(nil)
            network.server.stop()
        }
    }

    @Test func `are one watch of the files for all, and one for each that has asked`() async {
        await #expect(processExitsWith: .success) {
            let network = try Network()
            let before = ProcessState.descriptors
            let references = try Self.names.map(network.reference)
            try #require(ProcessState.inotifyCount == 1)
            try #require(ProcessState.descriptors - before <= 3)
            for reference in references { try #require(try reference.getFlags().isReachable) }
            try #require(ProcessState.descriptors - before <= 3 + references.count)
            for reference in references { try network.recorder.watch(reference) }
            for reference in references {
                _ = try network.recorder.next()
                try #require(reference.getFlags().isReachable)
            }
            try #require(ProcessState.inotifyCount == 1)
            for reference in references { try reference.setDispatchQueue(nil) }
            network.server.stop()
        }
    }

    @Test func `are one watch of the files for all, also where these change between the questions`() async {
        await #expect(processExitsWith: .success) {
            let network = try Network()
            let fixture = ResolverFixture()
            let files = network.fence.namespace.configurationFiles { ConfigurationFiles(fixture.environment([])) }
            let references = try (1...50).map(network.reference)
            for (number, reference) in references.enumerated() {
                fixture.replace("hosts", "192.0.2.1 \(number).test\n")
                try #require(try reference.getFlags().isReachable)
            }
            try #require(ProcessState.inotifyCount == 1)
            for reference in references { try network.recorder.watch(reference) }
            for _ in references { try #require(try network.recorder.next().isReachable) }
            for (number, reference) in references.enumerated() {
                fixture.replace("hosts", "192.0.2.2 \(number).test\n")
                _ = try reference.getFlags()
            }
            // The engine's thread notices the last change later.
            try ProcessState.wait("the files are watched once") { ProcessState.inotifyCount == 1 }
            for reference in references { try reference.setDispatchQueue(nil) }
            withExtendedLifetime(files) {}
            network.server.stop()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NetworkFacts
import ReachabilityKit
import TestHosts
import TestTopology
import Testing

/// What resolvers hold of the process's descriptors, and until when. Each test has a process of its own, as these are
/// the whole process's.
@Suite("What names hold", .timeLimit(.minutes(10)), .needs(.namespaces))
struct ResolverLifetimeTests {
    private static let names = 1...200

    /// A network with a name server, whose engine and sockets are there already.
    private struct Network {
        let topology: Topology
        let server: ScriptedDNSServer
        let fence: ReachabilityRef
        let recorder = CallbackRecorder()

        init() throws {
            let topology = try Topology()
            self.topology = topology
            server = topology.run { ScriptedDNSServer(NamedNetwork.answering("127.0.0.1")) }
            var options = ReachabilityOptions()
            options.networkNamespace = .path(topology.namespacePath)
            fence = try ReachabilityRef(address: "127.0.0.1", options: options)
            _ = try fence.getFlags()
        }

        /// A reference to a name with settings that no other has.
        func reference(_ mark: Int) throws -> ReachabilityRef {
            var options = ReachabilityOptions()
            options.networkNamespace = .path(topology.namespacePath)
            options.nameServers = ["127.0.0.1:\(server.port)"]
            options.resolutionTimeout = .seconds(30)
            options.mark = UInt32(mark)
            return try ReachabilityRef(hostname: "a.test", options: options)
        }
    }

    private static var inotifyCount: Int {
        (0..<Int32(1024)).count { Files.linkTarget(of: "/proc/self/fd/\($0)") == "anon_inode:inotify" }
    }

    @Test func `is given back with the last reference`() async {
        await #expect(processExitsWith: .success) {
            let network = try Network()
            let before = ProcessState.descriptors
            for mark in Self.names {
                let flags = try network.reference(mark).getFlags()
                try #require(flags.isReachable)
            }
            try #require(ProcessState.descriptors == before)
            network.server.stop()
        }
    }

    @Test func `is given back with the last reference, also after watching`() async {
        await #expect(processExitsWith: .success) {
            let network = try Network()
            try network.fence.setDispatchQueue(network.recorder.queue)
            _ = try network.fence.getFlags()
            for mark in [1, 2] {
                let reference = try network.reference(mark)
                try network.recorder.watch(reference)
                let told = try network.recorder.next()
                try #require(told.isReachable)
                try reference.setDispatchQueue(nil)
                reference.setCallback(nil)
            }
            try network.recorder.finishDeliveries()
            let before = ProcessState.descriptors
            for mark in Self.names {
                let reference = try network.reference(mark)
                try network.recorder.watch(reference)
                let told = try network.recorder.next()
                try #require(told.isReachable)
                try reference.setDispatchQueue(nil)
                reference.setCallback(nil)
            }
            try network.recorder.finishDeliveries()
            // What lived on the engine's thread is closed there.
            try ProcessState.wait("everything is closed") { ProcessState.descriptors <= before }
            try network.fence.setDispatchQueue(nil)
            network.server.stop()
        }
    }

    @Test func `is one watch of the files for all, and a descriptor for each that has asked`() async {
        await #expect(processExitsWith: .success) {
            let network = try Network()
            let before = ProcessState.descriptors
            let references = try Self.names.map(network.reference)
            try #require(Self.inotifyCount == 1)
            try #require(ProcessState.descriptors - before <= 3)
            for reference in references {
                let flags = try reference.getFlags()
                try #require(flags.isReachable)
            }
            try #require(ProcessState.descriptors - before <= 3 + references.count)
            for reference in references { try network.recorder.watch(reference) }
            for reference in references {
                _ = try network.recorder.next()
                try #require(reference.getFlags().isReachable)
            }
            try #require(Self.inotifyCount == 1)
            for reference in references { try reference.setDispatchQueue(nil) }
            network.server.stop()
        }
    }
}

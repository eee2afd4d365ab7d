// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

/// /proc is empty for the threads of these topologies only, as each has its own mount namespace.
@Suite("Without /proc", .timeLimit(.minutes(10)), .needs(.namespaces, .sysfs))
struct WithoutProcTests {
    private static func topology() throws -> Machine {
        let topology = try Machine(sysfs: true)
        try topology.run {
            _ = try CallingThread.execute(["mount", "-t", "tmpfs", "none", "/proc"])
        }
        return topology
    }

    @Test func `the references of a namespace share its sockets, and those of two namespaces do not`() throws {
        let topologies = [try Self.topology(), try Self.topology()]
        let contexts = try topologies.flatMap { topology in
            try topology.run { try (0..<10).map { _ in try ReachabilityRef(address: "127.0.0.1").namespace } }
        }
        #expect(Set(contexts.map(ObjectIdentifier.init)).count == 2 && contexts[0] === contexts[9])
    }

    @Test func `no further socket is opened in another namespace than the reference's`() throws {
        let topology = try Self.topology()
        let reference = try topology.run { try ReachabilityRef(address: "127.0.0.1") }
        #expect(throws: NetlinkError.self) { try reference.namespace.inside { () throws(NetlinkError) in } }
        try topology.run { try reference.namespace.inside { () throws(NetlinkError) in } }
    }

    /// Neither is one that is connected to find the source of a packet.
    @Test func `no address is told that belongs to another namespace than the reference's`() throws {
        let topology = try Self.topology()
        let identity = topology.run { NamespaceIdentity.current() }
        let requester = ConnectedRequester(in: NamespacePlace(identity: identity, handle: nil))
        let query = RouteQuery(destination: .v4(IPv4Address(127, 0, 0, 1)))
        #expect(throws: NetlinkError.self) { try requester.source(for: query) }
        #expect(try topology.run { try requester.source(for: query) } == query.destination)
    }
}

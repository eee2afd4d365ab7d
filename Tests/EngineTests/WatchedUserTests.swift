// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import TestHosts
import TestTopology
import Testing

@Suite("A watched target", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .otherUsers))
struct WatchedUserTests {
    @Test("is watched for the owner of the sockets of the thread that scheduled it")
    func user() throws {
        let network = try WatchedNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        try network.topology.ip("route add default via 10.0.0.254\nroute add prohibit default table 1000")
        let reference = try network.reference("192.0.2.1")
        try CallingThread.asUserOfFiles(1000) { try network.recorder.watch(reference) }
        try network.topology.ip("rule add uidrange 1000-1999 table 1000 priority 100")
        #expect(try network.recorder.next() == [])
        try network.topology.ip("rule delete priority 100")
        #expect(try network.recorder.next() == .reachable)
        try network.topology.ip("rule add uidrange 0-0 table 1000 priority 100")
        try network.settle()
        #expect(network.recorder.untaken == 0)
        try reference.setDispatchQueue(nil)
        try network.end()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Netlink
import TestHosts
import TestTopology
import Testing

@_implementationOnly import CTestTopology

@testable import ReachabilityKit

/// What other processes do to this one and to its network.
@Suite("With hostile processes on the machine", .timeLimit(.minutes(10)), .needs(.namespaces))
struct HostileTests {
    /// The ports of all netlink sockets of the namespace but the kernel's own (netlink(7)).
    private static func ports(in topology: Topology) throws -> [UInt32] {
        let text = try topology.run { try Files.contents(of: "/proc/thread-self/net/netlink") }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").dropFirst().compactMap { line in
            let columns = line.split(separator: " ")
            // sk, Eth (the protocol, 0 is NETLINK_ROUTE), Pid
            guard columns.count > 2, columns[1] == "0", let port = UInt32(columns[2]), port != 0 else { return nil }
            return port
        }
    }

    @Test func `forged announcements and answers reach no one, however many they are`() throws {
        let network = try WatchedNetwork("10.0.0.1/24", "route add default via 10.0.0.254")
        let reference = try network.watch("192.0.2.1")
        try network.settle()
        // Takes what is still queued from the beginning.
        _ = try reference.getFlags()
        // What the kernel would send if the route were gone. To the sockets that ask, these are answers without a question.
        let forgeries = [
            TestTopology.Change.route(.delete, "0.0.0.0/0"),
            .route(.add, "192.0.2.1/32", kind: .blackhole), .link(try network.topology.index(of: "eth0"), up: false),
        ]
        var deceived: Set<UInt32> = []
        for count in [1, 5000] {
            let before = reference.statistics
            // To each socket, and to all that are subscribed to links or routes.
            let groups = [NotificationGroup.link, .ipv4Route].map { (port: 0 as UInt32, group: $0.number) }
            for (port, group) in try Self.ports(in: network.topology).map({ ($0, 0) }) + groups {
                for forgery in forgeries {
                    let taken = unsafe forgery.withBytes { bytes in
                        network.topology.run {
                            unsafe topology_forge_netlink(
                                port, group, bytes.baseAddress, bytes.count, Int32(count))
                        }
                    }
                    // The earlier ones may have filled a queue.
                    if taken <= 0 {
                        #expect([-ECONNREFUSED, -EAGAIN].contains(taken))
                    } else if port != 0 {
                        deceived.insert(port)
                    }
                }
                #expect(try reference.getFlags() == .reachable)
            }
            try network.settle()
            #expect(reference.statistics.foreignMessages >= before.foreignMessages + forgeries.count)
            #expect(network.recorder.all == [])
        }
        // Otherwise nothing was tested. These are the sockets of the feed and of the routing generation. The sockets that
        // ask are connected to the kernel, and refuse unicasts from others (netlink_getsockbyportid in
        // net/netlink/af_netlink.c).
        #expect(deceived.count >= 2)
        // True announcements still come through.
        try network.topology.ip("route del default")
        #expect(try network.recorder.next() == [])
        #expect(try reference.getFlags() == [])
    }

    @Test func `without a descriptor left a question is an error, and watching goes on`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork("10.0.0.1/24")
            let reference = try network.watch("192.0.2.1")
            try network.settle()
            let other = try Topology()
            let changer = try Changer(in: network.topology)

            try ProcessState.withoutDescriptors {
                // Without an open socket the kernel cannot be asked. That is an error, not the answer "not reachable".
                var failure: ReachabilityError?
                do throws(ReachabilityError) {
                    _ = try other.run { () throws(ReachabilityError) in
                        try ReachabilityRef(address: "127.0.0.1").getFlags()
                    }
                } catch {
                    failure = error
                }
                try #require(failure?.errno == EMFILE, "\(String(describing: failure))")
                // Open sockets keep working.
                try changer.apply(.route(.add, "192.0.2.0/24", via: "10.0.0.254"))
                try #require(try network.recorder.next() == .reachable)
                try #require(try reference.getFlags() == .reachable)
            }
            let later = try other.run { try ReachabilityRef(address: "127.0.0.1") }
            try #require(try later.getFlags().isReachable)
            try network.topology.ip("route del 192.0.2.0/24")
            try #require(try network.recorder.next() == [])
        }
    }

    /// 10,000 in the full run, because making them takes the kernel a while.
    private static let linkCount = unsafe getenv("REACHABILITY_FULL") != nil ? 10_000 : 300

    @Test func `very many links beside the one that counts are not looked at`() throws {
        let network = try WatchedNetwork("10.0.0.1/24", "route add default via 10.0.0.254")
        let reference = try network.watch("192.0.2.1")
        let pairs = (0..<Self.linkCount / 2).map { "link add a\($0) type veth peer name b\($0)" }
        try network.topology.ip(pairs.joined(separator: "\n"))
        try network.settle()
        #expect(network.recorder.all == [])
        #expect(try reference.getFlags() == .reachable)
        // The links were never listed.
        #expect(reference.statistics.interfaceListings == 0)
        try network.topology.ip("link set eth0 down")
        #expect(try network.recorder.next() == [])
    }
}

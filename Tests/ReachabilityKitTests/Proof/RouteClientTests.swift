// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("The remembered facts about links", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct RouteClientTests {
    private let topology: Machine
    private let changer: Changer
    private let socket: RouteClient
    private let requester: NetlinkRequester
    private let eth0: InterfaceIndex

    init() throws {
        topology = try Machine.wired()
        changer = try Changer(in: topology)
        requester = try topology.run { try NetlinkRequester() }
        socket = try topology.run { [requester] in try RouteClient(requester, DeviceTypes(), SocketDefaults(in: nil)) }
        eth0 = try topology.index(of: "eth0")
    }

    private func flags() throws -> ReachabilityFlags {
        try socket.verdict(on: .address(IPAddress(text: "10.0.0.2")), keys: RoutingKeys()).flags
    }

    @Test(arguments: [20, 1_000, 10_000])
    func `are forgotten if announcements were lost`(changes: Int) throws {
        #expect(try flags() == .direct)
        for _ in 0..<changes / 2 {
            try changer.apply(.link(eth0, dormant: true))
            try changer.apply(.link(eth0, dormant: false))
        }
        try changer.apply(.link(eth0, dormant: true))
        #expect(try flags() == .dormantDirect)
        // The queue holds fewer than a hundred.
        #expect(requester.counters.overruns == (changes >= 1_000 ? 1 : 0))
        // The next announcement arrives again.
        try changer.apply(.link(eth0, dormant: false))
        #expect(try flags() == .direct)
    }

    @Test func `stay beside changes of routes`() throws {
        #expect(try flags() == .direct)
        let generation = requester.linkGeneration
        for number in 0..<200 {
            try changer.apply(.route(.add, "198.51.\(number).0/24", via: "10.0.0.254", through: eth0))
        }
        #expect(try flags() == .direct)
        #expect(requester.linkGeneration == generation)
    }

    @Test func `are not those of the last link once another has been asked about`() throws {
        #expect(try flags() == .direct)
        try changer.apply(.link(eth0, dormant: true))
        _ = try requester.link(InterfaceIndex(1)!)
        _ = try socket.facts(of: InterfaceIndex(1)!)
        #expect(try flags() == .dormantDirect)
    }

    @Test func `are those of the interface that has the name when the kernel answers`() throws {
        let keys = RoutingKeys(interface: .name(try #require(InterfaceName("eth0"))))
        let target = Target.address(IPAddress(text: "10.0.0.2"))
        #expect(try socket.verdict(on: target, keys: keys).flags == .direct)
        try topology.ip(
            "link set eth0 down\nlink set eth0 name uplink\nlink set uplink up\nlink add eth0 type bridge")
        try topology.waitForLink("uplink", .up)
        // This question brings the announcements.
        #expect(try socket.verdict(on: target, keys: keys).flags == .nothing)
        #expect(try flags() == .direct)
    }

    /// The thread of an engine may have been started by any user's.
    @Test(.needs(.otherUsers))
    func `are asked for the owner of the caller's sockets only if the caller would make one`() throws {
        try topology.ip("rule add uidrange 1000-1999 prohibit")
        for (owns, expected) in [(true, ReachabilityFlags.nothing), (false, .direct)] {
            let flags = try CallingThread.asUserOfFiles(1000) {
                try socket.verdict(
                    on: .address(IPAddress(text: "10.0.0.2")), keys: RoutingKeys(), ofCallingThread: owns
                ).flags
            }
            #expect(flags == expected)
        }
    }

    @Test func `include the index of a name, until another interface has that name`() throws {
        #expect(try socket.index(of: #require(InterfaceName("eth0"))) == eth0)
        try topology.ip("link set eth0 down\nlink set eth0 name uplink\nlink add eth0 type bridge")
        _ = try requester.link(InterfaceIndex(1)!)
        #expect(try socket.index(of: #require(InterfaceName("uplink"))) == eth0)
        #expect(try socket.index(of: #require(InterfaceName("eth0"))) == topology.index(of: "eth0"))
        #expect(try socket.index(of: #require(InterfaceName("eth1"))) == nil)
    }

    /// While rules change without a pause, what was read of them is out of date at once.
    @Test func `are asked for with rules that are read once for many targets`() throws {
        var ruleDumps = 0
        let transport = try topology.run {
            try WitnessedTransport { [topology] type, _ in
                // RTM_GETRULE of linux/rtnetlink.h.
                guard type == 34 else { return }
                ruleDumps += 1
                try topology.ip("rule add from 203.0.113.1 pref \(10_000 + ruleDumps) table main")
            }
        }
        let changing = try topology.run {
            RouteClient(NetlinkRequester(transport: transport), DeviceTypes(), try SocketDefaults(in: nil))
        }
        let keys = RoutingKeys()
        var lookups = (1...32).map { TargetLookup(.address(IPAddress(text: "10.0.0.\($0 + 1)")), keys: keys) }
        try changing.answer(&lookups)
        #expect(lookups.allSatisfy { $0.result.flags == .direct })
        #expect((1...8).contains(ruleDumps))
    }
}

/// The kernel's transport. It passes the type of each request, and the bytes after its header, before that is sent.
final class WitnessedTransport: NetlinkTransport {
    private let kernel: NetlinkSocket
    private let witness: (_ type: UInt16, _ payload: [UInt8]) throws -> Void

    init(_ witness: @escaping (_ type: UInt16, _ payload: [UInt8]) throws -> Void) throws(Errno) {
        kernel = try NetlinkSocket(hearing: [.link, .ipv4Rule, .ipv6Rule])
        self.witness = witness
    }

    var port: UInt32 { kernel.port }

    func send(_ datagram: RawSpan) throws(Errno) {
        try? WireReader.forEachMessage(in: datagram) { (header, payload) throws(WireError) in
            try? witness(header.type, unsafe payload.withUnsafeBytes { unsafe Array($0) })
        }
        try kernel.send(datagram)
    }

    func receive(into buffer: ReceiveBuffer, slots: Int) throws(Errno) -> Int {
        try kernel.receive(into: buffer, slots: slots)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology

/// The network that workloads ask about, in which the main thread is, a name server and a TCP server.
///
/// eth0 has 10.0.0.1/24, 10.0.0.2/24 and fd00::1/64, and the default route leads over 10.0.0.254. A route to 2001:db8:5::/48 is
/// for packets from fd00::/64 alone.
final class Network {
    let topology: Machine
    let files = ResolverFixture()
    let server: NameServer
    let listener: TCPListener
    let eth0: InterfaceIndex
    private let changer: Changer

    init() throws {
        topology = try Machine.routed()
        try topology.ip("address add 10.0.0.2/24 dev eth0\naddress add fd00::1/64 dev eth0 nodad")
        try topology.waitForOwn(["fd00::1/64"])
        try topology.ip("-6 route add 2001:db8:5::/48 from fd00::/64 via fd00::fe dev eth0")
        eth0 = try topology.index(of: "eth0")
        changer = try Changer(in: topology)
        try topology.namespace.enter()
        server = NameServer { question in
            let isKnown = question.isA && question.name == "served.test"
            return .answer(isKnown ? [.address(question.name, IPAddress(text: "10.0.0.7"))] : [])
        }
        files.write("hosts", "10.0.0.8 listed.test\n")
        files.write("resolv.conf", "nameserver 192.0.2.53\n")
        files.write("nsswitch.conf", "hosts: files dns\n")
        listener = try TCPListener()
        try Self.echo(listener)
    }

    func apply(_ change: Change) throws { try changer.apply(change) }

    /// Takes the way to 192.0.2.0/24 away, and gives it back.
    func forbid() throws { try apply(.route(.add, "192.0.2.0/24", kind: .unreachable)) }
    func allow() throws { try apply(.route(.delete, "192.0.2.0/24", kind: .unreachable)) }

    /// Another default route.
    func leaveDefault() throws { try apply(.route(.delete, "0.0.0.0/0", via: "10.0.0.254")) }
    func enterDefault() throws { try apply(.route(.add, "0.0.0.0/0", via: "10.0.0.254", through: eth0)) }

    /// Sends back what comes, a byte at a time.
    private static func echo(_ listener: TCPListener) throws {
        try Thread.start(name: "echo", stackBytes: 1 << 20) {
            while true {
                guard let peer = try? listener.accept() else { continue }
                while case let bytes = peer.read(1), !bytes.isEmpty { peer.write(bytes) }
            }
        }.detach()
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import ReachabilityConnections

/// What a reference is bound to counts wherever a connection asks about the ways.
@Suite("The keys of a connection's reference", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct KeysTests {
    @Test("decide whether it is viable: a route by another interface does not help")
    func viability() throws {
        let hosts = try TwoHosts()
        let recorder = Recorder()
        let listener = try hosts.listen()
        try hosts.client.wire("eth1", address: "10.1.0.1/24")
        let connection = try hosts.connection(port: listener.port, required: "eth0")
        hosts.start(connection, recorder)
        #expect(try recorder.next(3) == ["preparing", "ready", "viable"])
        try hosts.client.ip("route add 10.0.0.2/32 dev eth1")
        try hosts.server.ip("link set eth0 down")
        #expect(try recorder.next() == "not viable")
        connection.cancel()
        #expect(try recorder.next() == "cancelled")
    }

    @Test("tell interfaces apart whose names are equal as text, and differ in their bytes")
    func equalText() throws {
        let topology = try Machine()
        let names = ["e\u{301}0", "\u{e9}0"]
        try topology.wire(names[0], address: "10.0.0.1/24")
        try topology.wire(names[1], address: "10.1.0.1/24")
        let path = try topology.run { try PathSource().current() }
        func allowed(_ choice: InterfaceChoice) -> [[UInt8]] {
            choice.allowed(path).map { Array($0.name.utf8) }
        }
        for name in names { #expect(allowed(InterfaceChoice(required: name)) == [Array(name.utf8)]) }
        #expect(allowed(InterfaceChoice(prohibited: [names[0], "lo"])) == [Array(names[1].utf8)])
        #expect(allowed(InterfaceChoice(prohibited: names + ["lo"])) == [])
    }

    @Test("decide which interface is chosen")
    func choice() throws {
        let topology = try Machine.wired()
        try topology.ip("rule add fwmark 7 prohibit\nrule add uidrange 1234-1234 prohibit")
        let address = IPAddress(text: "10.0.0.2")
        try topology.run {
            let choice = InterfaceChoice(restriction: PathRestriction(required: .wiredEthernet))
            let plain = try ReachabilityRef(target: .address(address), options: ReachabilityOptions())
            #expect(try choice.device(towards: address, plain, nil) == nil)
            var options = ReachabilityOptions()
            options.mark = 7
            let marked = try ReachabilityRef(target: .address(address), options: options)
            #expect(throws: Errno.networkDown) { try choice.device(towards: address, marked, nil) }
            var users = ReachabilityOptions()
            users.userID = 1234
            let foreign = try ReachabilityRef(target: .address(address), options: users)
            #expect(throws: Errno.networkDown) { try choice.device(towards: address, foreign, nil) }
        }
    }
}

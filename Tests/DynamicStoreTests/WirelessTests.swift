// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import SystemConfigurationCore
import TestTopology
import Testing

@Suite("Generic netlink")
struct WirelessTests {
    /// A network of a scan.
    private static func network(status: UInt8?, elements: [UInt8], address: [UInt8] = [2, 0, 0, 0, 0, 1]) -> [UInt8] {
        var bss: [UInt8] = .attribute(1, address) + .attribute(6, elements)
        if let status { bss += .attribute(9, [status, 0, 0, 0]) }
        return [34, 1, 0, 0] + .attribute(3, [7, 0, 0, 0]) + .attribute(47, bss)
    }

    private static func joined(_ payload: [UInt8]) throws -> WirelessNetwork? {
        try WirelessCodec.joinedNetwork(RawSpan(_elements: payload.span))
    }

    private static let elements: [UInt8] = [1, 2, 0x82, 0x84, 0, 4] + Array("Home".utf8) + [3, 1, 6]

    @Test func `finds the network that was joined`() throws {
        let expected = WirelessNetwork(name: Array("Home".utf8), accessPoint: [2, 0, 0, 0, 0, 1])
        #expect(try Self.joined(Self.network(status: 1, elements: Self.elements)) == expected)
        #expect(try Self.joined(Self.network(status: 2, elements: Self.elements)) == expected)
        #expect(try Self.joined(Self.network(status: 0, elements: Self.elements)) == nil)
        #expect(try Self.joined(Self.network(status: nil, elements: Self.elements)) == nil)
        #expect(try Self.joined(Self.network(status: 1, elements: [0, 0]))?.name == [])
        #expect(try Self.joined(Self.network(status: 1, elements: []))?.name == [])
        #expect(try Self.joined(Self.network(status: 1, elements: Self.elements, address: [1, 2])) == nil)
    }

    @Test func `refuses what is cut off, wherever that is`() throws {
        let whole = Self.network(status: 1, elements: Self.elements)
        for length in whole.indices {
            let part = Array(whole[..<length])
            // It may end between two attributes.
            do { #expect(try Self.joined(part) == nil) } catch is WireError {}
        }
    }

    /// What an access point sends does not fail the question, whether the network was joined or not.
    @Test func `has no name where an access point's elements are cut off`() throws {
        #expect(try Self.joined(Self.network(status: 1, elements: [0, 9, 65]))?.name == [])
        #expect(try Self.joined(Self.network(status: 1, elements: [1, 9, 65]))?.name == [])
        #expect(try Self.joined(Self.network(status: nil, elements: [0, 9, 65])) == nil)
    }

    @Test(.needs(.namespaces))
    func `knows the families of the kernel`() throws {
        let topology = try Machine()
        // "nlctrl" is the family that answers this question (net/netlink/genetlink.c).
        #expect(try topology.run { try WirelessRequester().family(named: "nlctrl") } == 0x10)
        #expect(try topology.run { try WirelessRequester().family(named: "no such family") } == nil)
        #expect(try topology.run { try WirelessRequester().network(of: InterfaceIndex(1)!) } == nil)
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import Testing

@Suite("Reachability flags")
struct FlagsTests {
    static let rows: [(ReachabilityFlags, UInt32, word: String, name: String)] = [
        (.transientConnection, 0x1, "Transient Connection", "transientConnection"),
        (.reachable, 0x2, "Reachable", "reachable"),
        (.connectionRequired, 0x4, "Connection Required", "connectionRequired"),
        (.connectionOnTraffic, 0x8, "Automatic Connection On Traffic", "connectionOnTraffic"),
        (.interventionRequired, 0x10, "Intervention Required", "interventionRequired"),
        (.connectionOnDemand, 0x20, "Automatic Connection On Demand", "connectionOnDemand"),
        (.isLocalAddress, 0x10000, "Local Address", "isLocalAddress"),
        (.isDirect, 0x20000, "Directly Reachable Address", "isDirect"),
        (.isWWAN, 0x40000, "WWAN", "isWWAN"),
    ]

    @Test("each has Apple's bit, word and name", arguments: rows)
    func bits(_ flag: ReachabilityFlags, _ bit: UInt32, _ word: String, _ name: String) {
        #expect(flag.rawValue == bit)
        #expect(flag.description == word)
        #expect(flag.memberNames == [name])
    }

    @Test func `the older name means the same bit`() {
        #expect(ReachabilityFlags.connectionAutomatic == .connectionOnTraffic)
    }

    @Test(
        arguments: [
            (0, "Not Reachable"), (0x30002, "Reachable,Local Address,Directly Reachable Address"),
            (0x3, "Reachable,Transient Connection"),
            (0x4000F, "Reachable,Transient Connection,Connection Required,Automatic Connection On Traffic,WWAN"),
            (
                0x3F,
                "Reachable,Transient Connection,Connection Required,Automatic Connection On Traffic,"
                    + "Automatic Connection On Demand,Intervention Required"
            ),
            (0x1, "Transient Connection"), (0x0100_0002, "Reachable,0x01000000"), (0x40, "0x00000040"),
        ] as [(UInt32, String)])
    func `are told in Apple's words and order`(_ flags: UInt32, _ text: String) {
        #expect(ReachabilityFlags(rawValue: flags).description == text)
    }

    @Test(
        "are reachable as one word where no connection has to be made first",
        arguments: [
            (0, .none), (0x2, .reachable), (0x30002, .reachable), (0x40003, .reachable), (0x6, .connectionRequired),
            (0xF, .connectionRequired), (0x4, .none), (0x20000, .none), (0x1, .none),
        ] as [(UInt32, ReachabilityFlags.Rank)])
    func ranks(_ flags: UInt32, _ rank: ReachabilityFlags.Rank) {
        let flags = ReachabilityFlags(rawValue: flags)
        #expect(flags.rank == rank)
        #expect(flags.isReachable == (rank == .reachable))
        #expect(flags.needsConnection == (rank == .connectionRequired))
    }

    @Test("have a property for each kind of address and link", arguments: rows)
    func properties(_ flag: ReachabilityFlags, _ bit: UInt32, _ word: String, _ name: String) {
        #expect(flag.isLocalAddress == (name == "isLocalAddress"))
        #expect(flag.isDirect == (name == "isDirect"))
        #expect(flag.isWWAN == (name == "isWWAN"))
    }
}

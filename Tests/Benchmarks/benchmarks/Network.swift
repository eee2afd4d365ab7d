// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology

extension Machine {
    /// One Ethernet link with a default route in both families, as in an office.
    static func office() throws -> Machine {
        let topology = try Machine()
        try topology.wire("eth0", address: "10.0.0.1/24", "fd00::1/64")
        try topology.ip("route add default via 10.0.0.2")
        try topology.ip("-6 route add default via fd00::2")
        return topology
    }

    func reference(_ address: String) throws -> ReachabilityRef {
        try run { try ReachabilityRef(address: address) }
    }

    /// Compares questions whose answers are kept.
    func compareRepeated(
        _ ours: ReachabilityRef, against limit: ReachabilityRef
    ) throws -> (ours: Double, limit: Double) {
        _ = try (ours.getFlags(), limit.getFlags())
        return try run {
            try inTurns {
                try duration { for _ in 0..<2_000 { _ = try ours.getFlags() } } / 2_000
            } against: {
                try duration { for _ in 0..<2_000 { _ = try limit.getFlags() } } / 2_000
            }
        }
    }

    /// References to random addresses behind the default route, for first questions.
    func references(_ count: Int, _ family: AddressFamily = .v4) throws -> [ReachabilityRef] {
        try run {
            try (0..<count).map { _ in try ReachabilityRef(target: Target(.random(family)), options: .init()) }
        }
    }
}

extension IPAddress {
    /// A global unicast address outside the prefixes that benchmarks change.
    static func random(_ family: AddressFamily) -> IPAddress {
        switch family {
        case .v4: .v4(IPv4Address(rawValue: 0x1400_0000 | .random(in: 1..<0xFF_FFFF)))
        case .v6: .v6(IPv6Address(high: 0x2A00_0000_0000_0000, low: .random(in: 1..<(.max))))
        }
    }
}

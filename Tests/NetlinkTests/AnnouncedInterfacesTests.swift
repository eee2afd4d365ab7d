// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import ReachabilityNetlink

/// RTM_NEWLINK and the others (linux/rtnetlink.h).
private let (newLink, delLink, newAddress, delAddress) = (16, 17, 20, 21) as (UInt16, UInt16, UInt16, UInt16)

@Suite("What is announced of links and addresses")
struct AnnouncedInterfacesTests {
    private var known = AnnouncedInterfaces()

    private mutating func isRepeated(_ type: UInt16, _ payload: [UInt8]) throws -> Bool {
        let header = MessageHeader(type: type, flags: 0, sequence: 0, port: 0)
        return try payload.withRawSpan { bytes throws(WireError) in try known.isRepeated(header, bytes) }
    }

    private func link(
        family: UInt8 = 0, flags: UInt32 = 0x11043, name: String = "eth0", state: UInt8 = 6, master: UInt32? = nil,
        group: UInt32 = 0, mtu: UInt32 = 1500, statistics: UInt8 = 0, otherName: String? = nil
    ) -> [UInt8] {
        var payload: [UInt8] = [family, 0, 1, 0, 5, 0, 0, 0]
        payload.append(little: flags)
        payload.append(little: 0 as UInt32)
        payload += .attribute(3, Array("\(name)\0".utf8)) + .attribute(16, [state]) + .attribute(4, mtu.bytes)
        payload += .attribute(27, group.bytes) + .attribute(7, [statistics])
        if let master { payload += .attribute(10, master.bytes) }
        // IFLA_ALT_IFNAME in IFLA_PROP_LIST.
        if let otherName { payload += .attribute(0x8000 | 52, .attribute(53, Array("\(otherName)\0".utf8))) }
        return payload
    }

    private func address(
        _ last: UInt8 = 1, prefixLength: UInt8 = 24, flags: UInt32 = 0, scope: UInt8 = 0, preferred: UInt32 = 600,
        valid: UInt32 = 900
    ) -> [UInt8] {
        var payload: [UInt8] = [2, prefixLength, 0, scope, 5, 0, 0, 0]
        payload += .attribute(1, [10, 0, 0, last]) + .attribute(2, [10, 0, 0, last]) + .attribute(8, flags.bytes)
        return payload + .attribute(6, preferred.bytes + valid.bytes + [0, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test mutating func `is news the first time, and whenever it is not as it was`() throws {
        let links = [
            link(), link(flags: 0x1003), link(), link(state: 2), link(name: "eth1"), link(master: 7), link(group: 3),
            link(mtu: 1400), link(family: 7), link(otherName: "uplink"), link(otherName: "downlink"),
        ]
        for payload in links {
            #expect(try !isRepeated(newLink, payload))
            #expect(try isRepeated(newLink, payload))
        }
        let addresses = [
            address(), address(flags: 0x40), address(), address(flags: 0x20), address(scope: 253),
            address(preferred: 0),
            address(prefixLength: 25), address(2),
        ]
        for payload in addresses {
            #expect(try !isRepeated(newAddress, payload))
            #expect(try isRepeated(newAddress, payload))
        }
    }

    @Test mutating func `is news of an IPv6 address that had another peer when it was gone`() throws {
        func address(peer: UInt8) -> [UInt8] {
            func ipv6(_ last: UInt8) -> [UInt8] {
                [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [last]
            }
            return [10, 128, 0, 0, 5, 0, 0, 0] + .attribute(1, ipv6(peer)) + .attribute(2, ipv6(1))
        }
        #expect(try !isRepeated(newAddress, address(peer: 2)))
        #expect(try !isRepeated(newAddress, address(peer: 3)))
        #expect(try !isRepeated(delAddress, address(peer: 3)))
        #expect(try !isRepeated(newAddress, address(peer: 2)))
    }

    @Test mutating func `is no news if only counters or the rests of lifetimes have changed`() throws {
        _ = try isRepeated(newLink, link())
        #expect(try isRepeated(newLink, link(statistics: 9)))
        _ = try isRepeated(newAddress, address())
        #expect(try isRepeated(newAddress, address(preferred: 1, valid: 2)))
    }

    /// A link is announced as a port of a bridge, too, and an address may be there with several prefixes.
    @Test mutating func `is no news if it was told before of the same link or address in another way`() throws {
        let (links, addresses) = ([link(), link(family: 7, master: 9)], [address(), address(prefixLength: 32)])
        for isKnown in [false, true] {
            for payload in links { #expect(try isRepeated(newLink, payload) == isKnown) }
            for payload in addresses { #expect(try isRepeated(newAddress, payload) == isKnown) }
        }
    }

    @Test mutating func `is news after it was gone, and after announcements were lost`() throws {
        _ = try (isRepeated(newLink, link()), isRepeated(newAddress, address()))
        #expect(try !isRepeated(delLink, link()) && !isRepeated(delAddress, address()))
        #expect(try !isRepeated(newLink, link()) && !isRepeated(newAddress, address()))
        known.forget()
        #expect(try !isRepeated(newLink, link()) && !isRepeated(newAddress, address()))
    }

    /// A driver's event has flags, a name and IFLA_WIRELESS (11).
    @Test mutating func `is no news if a wireless link tells an event, unless its flags are others`() throws {
        func event(_ flags: UInt32) -> [UInt8] {
            var payload: [UInt8] = [0, 0, 1, 0, 5, 0, 0, 0]
            payload.append(little: flags)
            payload.append(little: 0 as UInt32)
            return payload + .attribute(3, Array("eth0\0".utf8)) + .attribute(11, [1, 2, 3, 4])
        }
        #expect(try !isRepeated(newLink, event(0x11043)), "nothing is known")
        _ = try isRepeated(newLink, link())
        #expect(try isRepeated(newLink, event(0x11043)))
        #expect(try !isRepeated(newLink, event(0x1003)))
        #expect(try isRepeated(newLink, link()), "an event says nothing of the rest")
    }

    @Test mutating func `of other kinds is always news`() throws {
        for _ in 0..<2 { #expect(try !isRepeated(24, [2, 24, 0, 0])) }
    }
}

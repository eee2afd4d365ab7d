// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import Testing

@Suite struct AnnouncementTests {
    private func read(_ message: [UInt8]) throws -> [Announcement?] {
        var found: [Announcement?] = []
        try message.withRawSpan { bytes throws(WireError) in
            try WireReader.forEachMessage(in: bytes) { (header, payload) throws(WireError) in
                found.append(try Announcement.read(header: header, payload: payload))
            }
        }
        return found
    }

    private static func prefix(_ address: IPv4Address, _ length: UInt8, isDeleted: Bool = false) -> Announcement {
        .route(Prefix(.v4(address), length: length), isDeleted: isDeleted)
    }

    private static func prefix(
        _ high: UInt64, _ low: UInt64, _ length: UInt8, isDeleted: Bool = false
    ) -> Announcement {
        .route(Prefix(.v6(IPv6Address(high: high, low: low)), length: length), isDeleted: isDeleted)
    }

    static let recordings: [([UInt8], Announcement)] = [
        (RecordedAnnouncements.routeAdded4, prefix(IPv4Address(198, 51, 100, 0), 24)),
        (RecordedAnnouncements.routeDeleted4, prefix(IPv4Address(198, 51, 100, 0), 24, isDeleted: true)),
        (RecordedAnnouncements.hostRouteAdded4, prefix(IPv4Address(203, 0, 113, 7), 32)),
        (RecordedAnnouncements.multipathAdded4, prefix(IPv4Address(10, 0, 0, 0), 8)),
        (RecordedAnnouncements.blackholeAdded4, prefix(IPv4Address(10, 9, 0, 0), 16)),
        (RecordedAnnouncements.defaultAdded4, .route(.all(.v4))),
        (RecordedAnnouncements.defaultDeleted4, .route(.all(.v4), isDeleted: true)),
        (RecordedAnnouncements.routeAdded6, prefix(0x2001_0DB8_0002_0000, 0, 48)),
        (RecordedAnnouncements.routeDeleted6, prefix(0x2001_0DB8_0002_0000, 0, 48, isDeleted: true)),
        (RecordedAnnouncements.hostRouteAdded6, prefix(0x2001_0DB8_0009_0000, 9, 128)),
        (RecordedAnnouncements.defaultAdded6, .route(.all(.v6))),
        (RecordedAnnouncements.defaultDeleted6, .route(.all(.v6), isDeleted: true)),
        (RecordedAnnouncements.addressAdded4, .addresses),
        (RecordedAnnouncements.addressAdded6, .addresses),
        (RecordedAnnouncements.addressDeleted4, .addresses),
        (RecordedAnnouncements.ruleAdded4, .rules),
        (RecordedAnnouncements.ruleDeleted4, .rules),
        (RecordedAnnouncements.ruleAdded6, .rules),
        (RecordedAnnouncements.nextHopAdded, .nextHops),
        (RecordedAnnouncements.nextHopDeleted, .nextHops),
        (RecordedAnnouncements.configurationChanged4, .configuration),
        (RecordedAnnouncements.configurationChanged6, .configuration),
        (RecordedAnnouncements.configurationDeleted, .configuration),
        (RecordedAnnouncements.linkDeleted, .links),
    ]

    @Test("each recorded announcement is recognised", arguments: recordings)
    func recorded(message: [UInt8], expected: Announcement) throws {
        #expect(try read(message) == [expected])
    }

    @Test(
        "the filter passes each recorded announcement to whom it concerns, and drops only others' routes",
        arguments: recordings)
    func filtered(message: [UInt8], announcement: Announcement) {
        var blind = FilterMachine(RouteFilter.program(watching: []))
        guard case .route(let prefix, _) = announcement, prefix.length > 0 else {
            #expect(blind.run(message) == .pass)
            return
        }
        #expect(blind.run(message) == .drop)
        var watching = FilterMachine(RouteFilter.program(watching: [prefix.base]))
        #expect(watching.run(message) == .pass)
    }

    @Test("the clone of a route for one destination affects nothing")
    func clonedRoute() throws {
        #expect(try read(.route(Prefix(.v6(.loopback), length: 128), flags: 0x200)) == [nil])
    }

    @Test("an unknown message affects everything")
    func unknown() throws {
        #expect(try read(.message(type: 68, [0, 0, 0, 0])) == [.other])
        // An IPv6 multicast route, a length no address has, and a destination that is not there.
        var message: [UInt8] = .route(Prefix(.v4(IPv4Address(10, 0, 0, 0)), length: 8))
        message[16] = 129
        #expect(try read(message) == [.other])
        message[16] = 2
        message[17] = 33
        #expect(try read(message) == [.other])
        message[17] = 8
        message[38] = 99
        #expect(try read(message) == [.other])
    }

    @Test("an empty message affects nothing")
    func noOperation() throws {
        #expect(try read(.message(type: 1, [])) == [nil])
    }

    @Test("a route message that ends early is malformed")
    func truncated() {
        let error = #expect(throws: WireError.self) {
            _ = try read(.message(type: 24, [2, 8, 0, 0, 254, 3, 0, 1]))
        }
        #expect(error?.offset == 8)
        #expect(error?.problem == .truncated)
        // An address that is too short for its family.
        var payload: [UInt8] = [10, 64, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0]
        payload += [UInt8].attribute(1, [1, 2, 3, 4])
        #expect(throws: WireError.self) { _ = try read(.message(type: 24, payload)) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@Suite("The filter in the kernel", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct RouteFilterKernelTests {
    private let topology: Machine

    init() throws {
        topology = try Machine()
        try topology.wire("v0", address: "192.0.2.1/24", "2001:db8:1::1/64", peer: "v1")
    }

    /// A socket in all groups, in the calling thread's namespace.
    private static func listener() throws -> NetlinkSocket {
        try NetlinkSocket(groups: NotificationGroup.allCases.mask)
    }

    /// The queued announcements. The kernel announces a change before the call that makes it returns, so this never waits.
    private static func drain(_ socket: NetlinkSocket) throws -> [Announcement] {
        var found: [Announcement] = []
        unsafe try withUnsafeTemporaryAllocation(byteCount: 32 << 10, alignment: 8) { buffer in
            while true {
                let datagram: (length: Int, sender: UInt32)
                do throws(Errno) {
                    datagram = try unsafe socket.receive(into: buffer)
                } catch {
                    if error == .wouldBlock { return }
                    throw error
                }
                found += try announcements(in: unsafe [UInt8](buffer[..<datagram.length])).compactMap(\.self)
            }
        }
        return found
    }

    private static let watched4 = IPAddress.v4(IPv4Address(203, 0, 113, 77))
    private static let watched6 = IPAddress.v6(IPv6Address(high: 0x2001_0DB8_0077_0000, low: 1))

    /// The announcements of changes that pass a filter.
    private func heard(watching: [IPAddress], _ change: () throws -> Void) throws -> [Announcement] {
        try topology.run {
            let socket = try Self.listener()
            try socket.attachFilter(RouteFilter.program(watching: watching))
            // Announcements between opening and filtering stay queued.
            _ = try Self.drain(socket)
            try change()
            return try Self.drain(socket)
        }
    }

    @Test func `the kernel delivers the routes that contain a watched address and keeps the others`() throws {
        let heard = try heard(watching: [Self.watched4, Self.watched6]) {
            try topology.ip(
                """
                route add 198.51.100.0/24 via 192.0.2.2
                route add 203.0.113.76/32 via 192.0.2.2
                route add 203.0.113.77/32 via 192.0.2.2
                route add 203.0.112.0/23 via 192.0.2.2
                route add 203.0.114.0/23 via 192.0.2.2
                route add blackhole 203.0.0.0/16 table 1000
                route del 203.0.113.77/32
                route del 198.51.100.0/24
                -6 route add 2001:db8:76::/48 via 2001:db8:1::2
                -6 route add 2001:db8:77::/48 via 2001:db8:1::2
                -6 route add 2001:db8:77::1/128 via 2001:db8:1::2
                -6 route add 2001:db8:77::2/128 via 2001:db8:1::2
                -6 route add 2001:db8:77:1::/64 via 2001:db8:1::2
                -6 route del 2001:db8:77::1/128
                """)
        }
        func four(_ length: UInt8, isDeleted: Bool = false) -> Announcement {
            .route(Prefix(Self.watched4, length: length), isDeleted: isDeleted)
        }
        func six(_ length: UInt8, isDeleted: Bool = false) -> Announcement {
            .route(Prefix(Self.watched6, length: length), isDeleted: isDeleted)
        }
        // Meanwhile the kernel announces addresses and states of the new links.
        let routes = heard.filter { if case .route = $0 { true } else { false } }
        #expect(
            routes == [
                four(32), four(23), four(16), four(32, isDeleted: true), six(48), six(128), six(128, isDeleted: true),
            ])
    }

    @Test func `the kernel delivers default routes and everything that is no route`() throws {
        let heard = try heard(watching: []) {
            try topology.ip(
                """
                route add 198.51.100.0/24 via 192.0.2.2
                route add default via 192.0.2.2
                -6 route add default via 2001:db8:1::2
                route del default
                -6 route add 2001:db8:77::/48 via 2001:db8:1::2
                rule add to 198.51.100.0/24 table 77
                -6 rule add to 2001:db8::/32 table 77
                nexthop add id 7 via 192.0.2.2 dev v0
                addr add 192.0.2.9/24 dev v0
                link set v0 mtu 1400
                """)
            try topology.set("net.ipv4.conf.v0.ignore_routes_with_linkdown", 1)
        }
        let routes = heard.filter { if case .route = $0 { true } else { false } }
        #expect(routes == [.route(.all(.v4)), .route(.all(.v6)), .route(.all(.v4), isDeleted: true)])
        for expected in [.rules, .nextHops, .configuration, .addresses, .links] as [Announcement] {
            #expect(heard.contains(expected), "\(expected)")
        }
        #expect(!heard.contains(.other))
    }

    /// The kernel charges a program to the socket's option memory, and during an exchange its predecessor as well (sk_filter_charge
    /// in net/core/filter.c). Kernels such as 6.1 allow 20 KiB by default (net.core.optmem_max).
    @Test func `with little option memory the kernel takes large programs, and keeps one that it cannot exchange`()
        throws
    {
        var generator = SeededGenerator(seed: 4)
        // Some programs for a hundred IPv6 addresses do not fit. Then nothing is held back.
        let programs = [
            (1..<100).map { _ in generator.address(.v4) } + [Self.watched4],
            (1..<80).map { _ in generator.address(.v6) } + [Self.watched6], [Self.watched4, Self.watched6],
        ]
        let heard = try topology.run {
            // In older kernels all namespaces share the limit, and new ones lack its file.
            let memory = KernelSetting("net.core.optmem_max", 20_480)
            if memory.present != nil { try topology.set(memory.name, memory.value) }
            var heard: [[Announcement]] = []
            for program in programs {
                let socket = try Self.listener()
                try socket.attachFilter(RouteFilter.program(watching: program))
                // An exchange may be refused.
                try? socket.attachFilter(RouteFilter.program(watching: program.reversed()))
                try topology.ip(
                    "route add 203.0.113.77/32 via 192.0.2.2\n-6 route add 2001:db8:77::1/128 via 2001:db8:1::2")
                try topology.ip(
                    "route add 203.0.113.78/32 via 192.0.2.2\n-6 route add 2001:db8:77::2/128 via 2001:db8:1::2")
                try heard.append(Self.drain(socket).filter { if case .route = $0 { true } else { false } })
                for route in ["203.0.113.77", "203.0.113.78"] { try topology.ip("route del \(route)") }
                for route in ["2001:db8:77::1", "2001:db8:77::2"] { try topology.ip("-6 route del \(route)") }
            }
            return heard
        }
        let (four, six) = (
            Announcement.route(Prefix(Self.watched4, length: 32)),
            Announcement.route(Prefix(Self.watched6, length: 128))
        )
        #expect(heard == [[four], [six], [four, six]])
    }

    @Test func `what is queued stays queued when a filter is attached, exchanged or removed`() throws {
        let heard = try topology.run {
            let socket = try Self.listener()
            for number in 1...3 {
                try topology.ip("route add 198.51.100.\(number)/32 via 192.0.2.2")
                switch number {
                case 1: try socket.attachFilter(RouteFilter.program(watching: [Self.watched4]))
                case 2: try socket.attachFilter(RouteFilter.program(watching: [IPAddress(text: "198.51.100.3")]))
                default: try socket.detachFilter()
                }
            }
            try topology.ip("route add 198.51.100.4/32 via 192.0.2.2")
            return try Self.drain(socket).filter { if case .route = $0 { true } else { false } }
        }
        // The second came while another address was watched.
        #expect(heard == [1, 3, 4].map { .route(Prefix(text: "198.51.100.\($0)/32")) })
    }
}

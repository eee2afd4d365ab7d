// SPDX-License-Identifier: Apache-2.0

import CReachabilityHeaders
import ReachabilityKit
import ReachabilityLinuxSystem
import Testing

@testable import CReachability

@Suite("What a C program sets")
struct OptionTests {
    private static func text(_ text: StaticString) -> UnsafePointer<CChar> {
        // A static text ends with a NUL and is never freed.
        unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private func read(_ change: (inout reachability_options) -> Void) throws -> ReachabilityOptions {
        var options = unsafe reachability_options()
        unsafe options.size = MemoryLayout<reachability_options>.size
        unsafe change(&options)
        return try unsafe ReachabilityOptions(&options)
    }

    private func read(_ change: (inout reachability_conditions) -> Void) throws -> RequestGate.Conditions {
        var conditions = reachability_conditions()
        conditions.size = MemoryLayout<reachability_conditions>.size
        change(&conditions)
        return try unsafe RequestGate.Conditions(&conditions)
    }

    @Test func `is each option of a target`() throws {
        let servers = unsafe [Self.text("192.0.2.53"), Self.text("192.0.2.54"), nil]
        let (mark, user) = (7 as UInt32, 8 as UInt32)
        let options = try unsafe servers.withUnsafeBufferPointer { servers in
            try unsafe withUnsafePointer(to: mark) { mark in
                try unsafe withUnsafePointer(to: user) { user in
                    try unsafe read { (options: inout reachability_options) in
                        unsafe options.interface_name = Self.text("eth0")
                        unsafe options.source_address = Self.text("10.0.0.1")
                        unsafe options.mark = mark
                        unsafe options.user_id = user
                        unsafe options.network_namespace = Self.text("blue")
                        unsafe options.name_servers = servers.baseAddress
                        unsafe options.timeout_milliseconds = 1500
                        unsafe options.transport = UInt32(REACHABILITY_TRANSPORT_UDP)
                        unsafe options.port = 53
                        unsafe options.families = UInt32(REACHABILITY_FAMILY_IPV6)
                        unsafe options.policy = UInt32(REACHABILITY_POLICY_OPTIMISTIC)
                    }
                }
            }
        }
        #expect(options.interface == "eth0" && options.sourceAddress == "10.0.0.1")
        #expect(options.mark == 7 && options.userID == 8 && options.networkNamespace == .name("blue"))
        #expect(
            options.nameServers == ["192.0.2.53", "192.0.2.54"] && options.resolutionTimeout == .milliseconds(1500))
        #expect(options.transport == .udp && options.port == 53 && options.families == [.v6])
        #expect(options.resolutionPolicy == .optimistic)
        let other = try unsafe read { (options: inout reachability_options) in
            unsafe options.network_namespace = Self.text("/run/netns/blue")
            unsafe options.families = UInt32(REACHABILITY_FAMILY_IPV4)
        }
        #expect(other.networkNamespace == .path("/run/netns/blue") && other.families == [.v4])
    }

    @Test func `is each condition of a gate`() throws {
        func bit(_ kind: InterfaceKind) -> UInt32 { 1 << UInt32(InterfaceKind.allCases.firstIndex(of: kind)!) }
        let rows: [(RequestGate.Conditions, (inout reachability_conditions) -> Void)] = [
            (.init(), { _ in }),
            (.init(allowsExpensive: false), { $0.not_expensive = 1 }),
            (.init(allowsConstrained: false), { $0.not_constrained = 1 }),
            (.init(requiredKind: .wifi), { $0.required_kind = bit(.wifi) }),
            (.init(prohibitedKinds: [.wifi, .other]), { $0.prohibited_kinds = bit(.wifi) | bit(.other) }),
            (.init(stableTime: .milliseconds(20)), { $0.stable_milliseconds = 20 }),
        ]
        for (conditions, change) in rows { #expect(try read(change) == conditions) }
    }

    @Test func `is refused if the header has no such number`() {
        func isRefused(_ change: (inout reachability_options) -> Void) -> Bool { (try? unsafe read(change)) == nil }
        #expect(unsafe isRefused { unsafe $0.reserved = 1 })
        #expect(unsafe isRefused { unsafe $0.transport = 99 })
        #expect(unsafe isRefused { unsafe $0.port = 65_536 })
        #expect(unsafe isRefused { unsafe $0.families = 4 })
        #expect(unsafe isRefused { unsafe $0.policy = 99 })
        let conditions: [(inout reachability_conditions) -> Void] = [
            { $0.reserved = 1 }, { $0.required_kind = 3 }, { $0.required_kind = 1 << 31 },
            { $0.prohibited_kinds = 1 << 31 },
        ]
        for change in conditions { #expect(throws: ReachabilityError.self) { try read(change) } }
    }
}

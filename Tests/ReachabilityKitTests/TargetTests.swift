// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import Testing

@Suite("Targets as text")
struct TargetTests {
    @Test(arguments: [
        "127.0.0.1", "127.1", "1", "0x7f000001", "::1", "2001:db8::1", "fe80::1%eth0", "fe80::1%2", "0.0.0.0", "::",
    ])
    func `addresses of either family are addresses`(_ text: String) throws {
        #expect(try TargetText(text) == .address(text))
    }

    @Test func `'default' is the default path`() throws {
        #expect(try TargetText("default") == .defaultPath)
    }

    @Test(arguments: ["localhost", "www.swift.org", "256.1.1.1", "::g", "fe80::1%", "Default", ""])
    func `what is no address is a name`(_ text: String) throws {
        #expect(try TargetText(text) == .name(text))
    }

    @Test func `two addresses with a comma are a pair, either of which may be left out`() throws {
        #expect(try TargetText("10.0.0.1,8.8.8.8") == .pair(local: "10.0.0.1", remote: "8.8.8.8"))
        #expect(try TargetText("10.0.0.1,") == .pair(local: "10.0.0.1", remote: nil))
        #expect(try TargetText(",fe80::1%eth0") == .pair(local: nil, remote: "fe80::1%eth0"))
    }

    @Test(arguments: [",", "1.2.3.4,5.6.7.8,9.9.9.9", "a,b", "1.2.3.4,default", "1.2.3.4, 5.6.7.8", ",,"])
    func `a pair that is none is refused, with what would be right`(_ text: String) throws {
        let error = try #require(throws: ReachabilityError.self) { try TargetText(text) }
        #expect(error.code == .invalidTarget)
        #expect(error.object == text)
        #expect(error.explanation.contains("pair"))
    }

    @Test func `an address keeps its zone, and only an IPv6 one may have one`() throws {
        #expect(AddressText("fe80::1%eth0")?.zone == "eth0")
        #expect(AddressText("fe80::1%eth0%1")?.zone == "eth0%1")
        #expect(AddressText("2001:db8::1")?.zone == nil)
        for text in ["1.2.3.4%eth0", "fe80::1%", "%eth0", "%", "fe80::1 %eth0"] {
            #expect(AddressText(text) == nil, "\(text)")
        }
    }

    @Test func `a zone is an interface's number or its name, whether or not there is one`() throws {
        func scope(_ text: String) throws -> Scope? { try #require(AddressText(text)).scoped().scope }
        #expect(try scope("fe80::1%eth0") == .name(#require(InterfaceName("eth0"))))
        #expect(try scope("fe80::1%nothing") == .name(#require(InterfaceName("nothing"))))
        #expect(try scope("fe80::1%70000") == .index(#require(InterfaceIndex(70000))))
        #expect(try scope("fe80::1") == nil)
        for zone in ["0", "eth0:1", "eth0:80", "a b", "a/b", "averyveryverylongname", "."] {
            let error = try #require(throws: ReachabilityError.self) { try scope("fe80::1%\(zone)") }
            #expect(error.code == .noSuchInterface)
            #expect(error.description.contains("'\(zone)'"))
        }
    }

    /// A single character or one with an accent: to Swift the strings are equal.
    @Test func `the names of two interfaces stay two, however they are written`() throws {
        let names = try ["\u{E9}", "e\u{301}"].map { try #require(InterfaceName($0)) }
        #expect(names[0] != names[1])
        #expect(names.map { Array($0.description.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
    }

    @Test func `an unspecified address stands for the default path`() throws {
        #expect(Target(.v4(.any)) == .defaultPath)
        #expect(Target(.v6(.any)) == .defaultPath)
        #expect(Target(.v6(IPv6Address(high: 0, low: 0xFFFF_0000_0000))) == .defaultPath)
        let one = IPAddress.v4(IPv4Address(0, 0, 0, 1))
        #expect(Target(one) == .address(one))
    }

    @Test func `a pair's unspecified local side says no more than none`() throws {
        let one = IPAddress.v4(IPv4Address(192, 0, 2, 1))
        #expect(Target(local: .v4(.any), remote: one) == .address(one))
        #expect(Target(local: nil, remote: .v6(.any)) == .defaultPath)
        #expect(Target(local: one, remote: nil) == .pair(local: one, remote: nil))
        #expect(Target(local: nil, remote: nil) == nil)
        #expect(Target(local: .v4(.any), remote: nil) == nil)
    }
}

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

    @Test func `a socket address of any type is the address in it`() throws {
        var v4 = sockaddr_in()
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
        var any = v4
        any.sin_addr.s_addr = INADDR_ANY
        var v6 = sockaddr_in6()
        v6.sin6_family = sa_family_t(AF_INET6)
        unsafe withUnsafeMutableBytes(of: &v6.sin6_addr) { bytes in unsafe (bytes[0], bytes[1]) = (0xFE, 0x80) }
        v6.sin6_scope_id = 7
        var storage = sockaddr_storage()
        unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            unsafe withUnsafeBytes(of: v6) { unsafe bytes.copyMemory(from: $0) }
        }
        let references = [
            try ReachabilityRef(sockaddr: v4), try ReachabilityRef(sockaddr: v6),
            try ReachabilityRef(sockaddr: storage),
            try unsafe withUnsafeBytes(of: v4) { try unsafe ReachabilityRef(sockaddr: $0) },
            try ReachabilityRef(sockaddr: any),
        ]
        #expect(
            references.map { $0.subject.description } == ["192.0.2.1", "fe80::%7", "fe80::%7", "192.0.2.1", "default"])
        for make in [
            { try ReachabilityRef(sockaddr: sockaddr_in()) }, { try ReachabilityRef(sockaddr: sockaddr_storage()) },
            { try unsafe withUnsafeBytes(of: v6) { try unsafe ReachabilityRef(sockaddr: .init(rebasing: $0[..<27])) } },
            { try ReachabilityRef(sockaddr: v4, options: ReachabilityOptions(families: [.v6])) },
        ] {
            #expect(try #require(throws: ReachabilityError.self) { try make() }.code == .invalidTarget)
        }
    }

    @Test func `options may be given when they are made`() {
        var options = ReachabilityOptions()
        #expect(ReachabilityOptions(resolutionTimeout: .seconds(5)) == options)
        (options.interface, options.sourceAddress, options.mark, options.userID) = ("eth0", "192.0.2.2", 7, 1000)
        (options.transport, options.port, options.networkNamespace) = (.udp, 53, .name("blue"))
        (options.families, options.nameServers) = ([.v6], ["192.0.2.53"])
        (options.resolutionTimeout, options.resolutionPolicy) = (.seconds(1), .optimistic)
        #expect(
            options
                == ReachabilityOptions(
                    interface: "eth0", sourceAddress: "192.0.2.2", mark: 7, userID: 1000, transport: .udp, port: 53,
                    networkNamespace: .name("blue"), families: [.v6], resolutionTimeout: .seconds(1),
                    resolutionPolicy: .optimistic, nameServers: ["192.0.2.53"]))
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

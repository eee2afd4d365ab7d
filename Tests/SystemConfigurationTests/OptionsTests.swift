// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration
import TestTopology
import Testing

@Suite("CreateWithOptions and the older functions", .needs(.namespaces, .settings))
struct OptionsTests {
    private let topology: Machine
    private let loopback = OptionsTests.data(sockaddr_in.self) {
        $0.sin_family = sa_family_t(AF_INET)
        $0.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    }

    init() throws {
        topology = try Machine()
    }

    private static func data<Address>(_ type: Address.Type, _ fill: (inout Address) -> Void) -> Data {
        var storage = sockaddr_storage()
        return withUnsafeMutableBytes(of: &storage) { bytes in
            let pointer = bytes.baseAddress!.bindMemory(to: Address.self, capacity: 1)
            fill(&pointer.pointee)
            return Data(bytes: pointer, count: MemoryLayout<Address>.size)
        }
    }

    private func flags(_ options: [String: Any]) -> UInt32? {
        let options = NSDictionary(dictionary: options)
        guard let target = topology.run({ SCNetworkReachabilityCreateWithOptions(nil, options) }) else { return nil }
        var flags = SCNetworkReachabilityFlags()
        return SCNetworkReachabilityGetFlags(target, &flags) ? flags.rawValue : nil
    }

    @Test("a name, an address, a local address, and a pair make targets")
    func targets() {
        #expect(flags(["nodename": "127.0.0.1"]) == 0x30002)
        #expect(flags(["nodename": "localhost", "ConnectionOnDemandBypass": true, "ServerBypass": true]) == 0x30002)
        #expect(flags(["remote-address": loopback]) == 0x30002)
        #expect(flags(["local-address": loopback]) == 0x30002)
        #expect(flags(["local-address": loopback, "remote-address": loopback]) == 0x30002)
        #expect(flags(["nodename": "127.0.0.1", "ResolverBypass": true]) == 0x30002)
        #expect(flags([kSCNetworkReachabilityOptionNodeName as String: "127.0.0.1"]) == 0x30002)
    }

    @Test("invalid options are refused")
    func refusals() {
        let refused: [[String: Any]] = [
            [:], ["nodename": ""], ["nodename": 5], ["nodename": "a", "remote-address": loopback],
            ["nodename": "a", "local-address": loopback], ["ptr-address": loopback],
            ["ptr-address": loopback, "remote-address": loopback], ["remote-address": loopback.prefix(15)],
            ["remote-address": Data()], ["remote-address": Data([1])], ["remote-address": "127.0.0.1"],
            ["nodename": "127.0.0.1", "interface": ""], ["nodename": "127.0.0.1", "interface": "nosuchlink"],
            ["nodename": "127.0.0.1", "interface": 1], ["nodename": "127.0.0.1", "ResolverBypass": "yes"],
            ["interface": "lo"],
        ]
        for options in refused {
            let target = SCNetworkReachabilityCreateWithOptions(nil, NSDictionary(dictionary: options))
            #expect(isRefused(target != nil), "\(options)")
        }
        #expect(isRefused(SCNetworkReachabilityCreateWithOptions(nil, nil) != nil))
    }

    @Test("an IPv6 address of 16 bytes is too short")
    func shortAddress() {
        let address = Self.data(sockaddr_in6.self) {
            $0.sin6_family = sa_family_t(AF_INET6)
            $0.sin6_addr = in6addr_loopback
        }
        #expect(flags(["remote-address": address]) == 0x30002)
        #expect(flags(["remote-address": address.prefix(27)]) == nil)
        #expect(flags(["remote-address": address.prefix(16)]) == nil)
    }

    @Test("the older functions return the present flags")
    func older() {
        var flags: SCNetworkConnectionFlags = 0
        #expect(topology.run { SCNetworkCheckReachabilityByName("127.0.0.1", &flags) })
        #expect(flags == 0x30002)
        #expect(isRefused(SCNetworkCheckReachabilityByName("", &flags)))
        loopback.withUnsafeBytes { bytes in
            let address = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            flags = 0
            #expect(topology.run { SCNetworkCheckReachabilityByAddress(address, 16, &flags) })
            #expect(flags == 0x30002)
            #expect(isRefused(SCNetworkCheckReachabilityByAddress(address, 15, &flags)))
            #expect(!SCNetworkCheckReachabilityByAddress(address, 0, &flags))
        }
        #expect(!SCNetworkCheckReachabilityByAddress(nil, 16, &flags))
    }
}

// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestTopology
import Testing

@Suite("What Network does not offer", .timeLimit(.minutes(10)))
struct UnavailableTests {
    @Test("stops a port with a sentence that says what to use")
    func sentences() throws {
        let maps = String(decoding: try Files.contents(of: "/proc/self/maps", limit: 8 << 20), as: UTF8.self)
        let line = try #require(maps.split(separator: "\n").first { $0.hasSuffix("/lib/swift/linux/libFoundation.so") })
        let compiler = line.drop { $0 != "/" }.dropLast("/lib/swift/linux/libFoundation.so".count) + "/bin/swiftc"
        let own = try #require(Files.linkTarget(of: "/proc/self/exe"))
        let modules = own[..<(own.lastIndex(of: "/") ?? own.endIndex)] + "/Modules"
        let source = #filePath.split(separator: "/NetworkTests/")[0] + "/Fixtures/NetworkUnavailable/Everything.swift"
        do throws(TopologyError) {
            _ = try CallingThread.execute([
                String(compiler), "-typecheck", "-diagnostic-style", "llvm", "-I", String(modules), "/" + source,
            ])
            Issue.record("it compiled")
        } catch {
            guard case .command(_, _, let complaints) = error else { throw error }
            let names = Set(complaints.matches(of: /'([A-Za-z.():]+)' is unavailable: (.+)/).map { String($0.1) })
            let expected: Set = [
                "NWListener", "NWBrowser", "NWConnectionGroup", "NWMulticastGroup", "NWMultiplexGroup",
                "NWEthernetChannel", "NWTXTRecord", "NWProtocolTLS", "tls", "udp", "dtls", "quic(alpn:)",
                "init(tls:tcp:)", "init(dtls:)",
                "NWProtocolUDP", "NWProtocolIP", "NWProtocolQUIC", "NWProtocolWebSocket", "NWProtocolFramer",
                "NWProtocolFramerImplementation", "defaultProtocolStack", "includePeerToPeer", "NetworkConnection",
                "NetworkListener", "NetworkBrowser",
            ]
            #expect(names.isSuperset(of: expected), "\(expected.subtracting(names)) \(complaints)")
            #expect(!complaints.contains("cannot find") && !complaints.contains("cannot convert"))
        }
    }
}

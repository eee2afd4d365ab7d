// SPDX-License-Identifier: Apache-2.0

import TestTopology
import Testing

@Suite("What Network does not offer", .timeLimit(.minutes(10)))
struct UnavailableTests {
    @Test("stops a port with a sentence that says what to use")
    func sentences() throws {
        let tests = #filePath.prefix(upTo: #filePath.firstRange(of: "/NetworkTests/")!.lowerBound)
        let complaints = try Compiler.complaints(about: "\(tests)/Fixtures/NetworkUnavailable/Everything.swift")
        let names = Set(complaints.matches(of: /'([A-Za-z.():]+)' is unavailable: (.+)/).map { String($0.1) })
        let expected: Set = [
            "NWListener", "NWBrowser", "NWConnectionGroup", "NWMulticastGroup", "NWMultiplexGroup",
            "NWEthernetChannel", "NWTXTRecord", "NWProtocolTLS", "tls", "udp", "dtls", "quic(alpn:)",
            "init(tls:tcp:)", "init(dtls:)",
            "NWProtocolUDP", "NWProtocolIP", "NWProtocolQUIC", "NWProtocolWebSocket", "NWProtocolFramer",
            "NWProtocolFramerImplementation", "defaultProtocolStack", "NetworkConnection",
            "NetworkListener", "NetworkBrowser",
        ]
        #expect(names.isSuperset(of: expected), "\(expected.subtracting(names)) \(complaints)")
        #expect(!complaints.contains("cannot find") && !complaints.contains("cannot convert"))
    }
}

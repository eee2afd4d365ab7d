// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestTopology
import Testing

@Suite("Bytes that are not UTF-8", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct ByteTextTests {
    private let topology: Machine

    init() throws {
        topology = try Machine()
    }

    @Test("are read back from the text for them, which is another for each name")
    func reading() {
        let names: [[UInt8]] = [
            Array("eth0".utf8), Array("été".utf8), [0xFF], [0xFE], [0x65, 0xC3], [0xC3, 0xA9, 0xA9], Array("\\".utf8),
            Array("\\xff".utf8), Array("\\x5cxff".utf8), [0x5C, 0xFF], [0xF0, 0x9F, 0x93], [0x0A, 0xFF],
        ]
        let texts = names.map { String(escaping: $0) }
        #expect(texts.map(\.unescapedBytes) == names)
        #expect(Set(texts).count == names.count)
        #expect(texts[..<3] == ["eth0", "été", "\\xff"])
        #expect("\\x".unescapedBytes == Array("\\x".utf8) && "\\xg0".unescapedBytes == Array("\\xg0".utf8))
    }

    @Test("reach the command of wait")
    func command() throws {
        let words = ["wait", "127.0.0.1", "--", "sh", "-c", "printf %s \"$1\" | od -An -tx1", "sh"]
        let outcome = try topology.reachability(words, after: "\"$(printf 'a\\377\\376')\"")
        #expect(outcome.output == " 61 ff fe\n" && outcome.status == 0)
    }

    @Test("name an interface, and two such names stay two")
    func interfaces() throws {
        for (byte, network) in [("377", "198.51.100"), ("376", "203.0.113")] {
            let script =
                "n=$(printf 'e\\\(byte)'); ip link add \"$n\" type veth peer name p\(byte) "
                + "&& ip link set p\(byte) up && ip link set \"$n\" up"
            _ = try topology.run { () throws(MachineError) in
                try CallingThread.execute(["sh", "-c", "\(script) && ip addr add \(network).1/24 dev \"$n\""])
            }
        }
        for (byte, text, network) in [("377", "e\\xff", "198.51.100"), ("376", "e\\xfe", "203.0.113")] {
            let plain = try topology.reachability("check", "--json", "\(network).9")
            #expect(plain.output.contains("\"e\\\\x\(text.suffix(2))\""), "\(plain.output)")
            let bound = try topology.reachability(
                ["check", "\(network).9"], after: "--interface \"$(printf 'e\\\(byte)')\"")
            let typed = try topology.reachability("check", "\(network).9", "--interface", text)
            #expect(bound.status == 0 && bound.output == typed.output && typed.status == 0, "\(bound) \(typed)")
        }
    }

    @Test("the command of wait has standard input closed, if wait has")
    func closedInput() throws {
        let words = ["wait", "127.0.0.1", "--", "sh", "-c", "test -e /proc/self/fd/0 || echo closed"]
        #expect(try topology.reachability(words, after: "<&-").output == "closed\n")
    }
}

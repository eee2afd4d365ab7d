// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import TestHosts
import Testing

/// Random input from a fixed seed, compared with the C library.
@Suite("Addresses compared with the C library")
struct AddressFuzzTests {
    /// The result of inet_pton(3).
    private func libraryBytes(_ family: Int32, _ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: family == AF_INET ? 4 : 16)
        return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    /// The result of inet_ntop(3).
    private func libraryText(_ bytes: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: 64)
        unsafe inet_ntop(AF_INET6, bytes, &text, 64)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private func randomAddress(_ random: inout SeededGenerator) -> IPv6Address {
        // Many zero groups, so that "::" occurs at every position.
        let zeroes = random.next()
        func half(_ shift: Int) -> UInt64 {
            var value: UInt64 = 0
            for group in 0..<4 {
                let isZero = zeroes >> UInt64(shift + group) & 1 == 1
                value = value << 16 | (isZero ? 0 : random.next() >> (random.next() & 1 == 0 ? 48 : 60))
            }
            return value
        }
        return IPv6Address(high: half(0), low: half(4))
    }

    @Test func `a printed IPv6 address is read back by this package and by the C library`() {
        var random = SeededGenerator(seed: 6)
        for _ in 0..<10_000 {
            let address = randomAddress(&random)
            let text = address.description
            let bytes = IPAddress.v6(address).bytes
            guard IPv6Address(text) == address, libraryBytes(AF_INET6, text) == bytes,
                IPv6Address(libraryText(bytes)) == address
            else {
                Issue.record("\(text)")
                return
            }
            // glibc prints ::a.b.c.d for deprecated compatible addresses, which RFC 5952 does not.
            if address.high != 0 || address.low >> 32 != 0 {
                #expect(text == libraryText(bytes))
            }
        }
    }

    @Test func `a damaged IPv6 address is refused if and only if the C library refuses it`() {
        var random = SeededGenerator(seed: 66)
        let alphabet = Array("0123456789abcdefABCDEF::::....g %-+x".utf8)
        var accepted = 0
        for _ in 0..<15_000 {
            var text = Array(
                random.next() & 3 == 0
                    ? "1:2::\(random.next() & 0xFF).2.3.4".utf8 : randomAddress(&random).description.utf8)
            for _ in 0..<(1 + random.next() % 3) {
                let place = Int(random.next() % UInt64(text.count))
                let letter = alphabet[Int(random.next() % UInt64(alphabet.count))]
                switch random.next() % 3 {
                case 0: text[place] = letter
                case 1: text.insert(letter, at: place)
                default: if text.count > 1 { text.remove(at: place) }
                }
            }
            let string = String(decoding: text, as: UTF8.self)
            let ours = IPv6Address(string).map { IPAddress.v6($0).bytes }
            guard ours == libraryBytes(AF_INET6, string) else {
                Issue.record("'\(string)': we read \(String(describing: ours))")
                return
            }
            if ours != nil { accepted += 1 }
        }
        // Both outcomes were met often.
        #expect((1_500..<13_500).contains(accepted))
    }

    @Test func `a random IPv4 text is read exactly as inet_pton and inet_aton read it`() {
        var random = SeededGenerator(seed: 4)
        let alphabet = Array("0123456789.....xXaf8 ".utf8)
        for _ in 0..<15_000 {
            var text: [UInt8] = []
            if random.next() & 1 == 0 {
                let parts = (0..<(1 + random.next() % 4)).map { _ -> String in
                    let number = random.next() >> (random.next() % 2 == 0 ? 56 : 34)
                    switch random.next() % 4 {
                    case 0: return "0x" + String(number, radix: 16)
                    case 1: return "0" + String(number, radix: 8)
                    default: return String(number)
                    }
                }
                text = Array(parts.joined(separator: ".").utf8)
            } else {
                for _ in 0..<(random.next() % 12) { text.append(alphabet[Int(random.next() % UInt64(alphabet.count))]) }
            }
            let string = String(decoding: text, as: UTF8.self)
            var number = in_addr()
            let isRead = unsafe inet_aton(string, &number) != 0
            let lenient = IPv4Address(lenient: string, ignoringRest: true)?.rawValue
            #expect(lenient == (isRead ? UInt32(bigEndian: number.s_addr) : nil), "'\(string)'")
            #expect(
                IPv4Address(strict: string).map { IPAddress.v4($0).bytes } == libraryBytes(AF_INET, string),
                "'\(string)'")
        }
    }
}

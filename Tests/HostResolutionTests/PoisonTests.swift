// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import Synchronization
import TestHosts
import Testing

@testable import ReachabilityHostResolution

/// A name server that lies, or sends nonsense.
@Suite("A name server", .timeLimit(.minutes(10)))
struct PoisonTests {
    let fixture = ResolverFixture()
    let started = Started()
    /// Whether not all questions that wait for answers leave from one port.
    private static let isPortLimited =
        !AresLibrary.version.split(separator: ".").compactMap { Int($0) }.lexicographicallyPrecedes([1, 20])

    private static let right = IPAddress.v4(IPv4Address(192, 0, 2, 1))
    private static let poison = IPAddress.v4(IPv4Address(192, 0, 2, 66))

    @Test func `that also answers for another name is not believed about that name`() {
        let server = started.server { question in
            guard question.isA else { return .answer([]) }
            let own = DNSMessage.Record.address(question.name, Self.right)
            return .answer(question.name == "a.test" ? [own, .address("victim.test", Self.poison)] : [own])
        }
        let resolver = Resolver(fixture.environment([server]))
        #expect(resolver.all("a.test").addresses == [Self.right])
        #expect(resolver.all("victim.test").addresses == [Self.right])
        #expect(server.count("victim.test") == 2)
    }

    /// A forger has to guess the port from which a question came.
    @Test func `gets at most sixteen questions from one port, with c-ares 1_20 and later`() throws {
        let server = started.server(SharingTests.heldName)
        let resolver = Resolver(fixture.environment([server]))
        let deadline = SystemTime().now().advanced(by: .seconds(60))
        try SharingTests().onThreads(65) { number in
            if number < 64 {
                _ = resolver.resolve(host("n\(number).test"), deadline: deadline) { _ in false }
            } else {
                try server.wait(forQuestions: 128)
                server.release()
            }
        }
        // Older ones ask all from one.
        #expect(Self.isPortLimited ? server.ports.count >= 128 / 16 : server.ports.count == 1)
    }

    /// Bytes are changed, cut off and added, also in lengths, counts and pointers. Then comes the right answer.
    @Test(arguments: 0..<8)
    func `whose answers are damaged is at worst a server without an answer`(seed: UInt64) throws {
        let server = started.server { _ in .silence }
        var random = SeededGenerator(seed: seed)
        for number in 0..<50 {
            var damage = SeededGenerator(seed: random.next())
            let kind = Int.random(in: 0..<4, using: &damage)
            let places = (0..<4).map { _ in
                (Int.random(in: 2..<200, using: &damage), UInt8.random(in: 0...255, using: &damage))
            }
            let name = "n\(number).test"
            let sent = Mutex<[UInt8]>([])
            server.setScript { question in
                let records = question.isA ? [DNSMessage.Record.address(question.name, Self.right)] : []
                return .mangled(records) { bytes in
                    var bytes = bytes
                    defer { if question.isA { sent.withLock { $0 = bytes } } }
                    switch kind {
                    case 0: bytes.removeLast(min(bytes.count - 2, places[0].0))
                    case 1: bytes += places.map(\.1)
                    case 2: for (at, value) in places.prefix(1) where at < bytes.count { bytes[at] = value }
                    // A name that is a pointer to itself (RFC 1035 4.1.4).
                    default: bytes.replaceSubrange(12..<14, with: [0xC0, 12])
                    }
                    return bytes
                }
            }
            let found = Resolver(fixture.environment([server])).all(name)
            // Bytes behind an answer do not matter. A changed byte of an address cannot be noticed, and that of a code is another
            // answer. Of what cannot be read, c-ares 1.34 gives the question up, and 1.18 waits for the right answer unless the
            // question can be read: header, name, type and class (RFC 1035 4.1).
            let bytes = sent.withLock(\.self)
            let isQuestionWhole = bytes.count >= 12 + name.utf8.count + 2 + 4
            let allowed: [[IPAddress]] =
                switch kind {
                case 1: [[Self.right]]
                case 2:
                    [
                        [], [Self.right],
                        [.v4(IPv4Address(rawValue: bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }))],
                    ]
                case _ where Self.isPortLimited: [[], [Self.right]]
                case 0 where isQuestionWhole: [[]]
                default: [[Self.right]]
                }
            #expect(allowed.contains(found.addresses), "kind \(kind), name \(number)")
        }
    }
}

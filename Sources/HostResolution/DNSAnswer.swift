// SPDX-License-Identifier: Apache-2.0

package import NetworkFacts

/// The addresses that a DNS message gives for the name that was asked for (RFC 1035, section 4).
///
/// A server is believed only about that name. A record counts if its owner is the name, or if aliases in the same
/// message lead from the name to the owner. Everything else in the message is ignored.
package struct DNSAnswer: Hashable, Sendable {
    /// The response code (RFC 1035, section 4.1.1).
    package let code: UInt8
    /// In the order in which the server sent them. An address is valid no longer than each alias that led to it (RFC
    /// 1034, section 3.6.2).
    package let addresses: [TimedAddress]

    /// - Parameters:
    ///   - name: the name that was asked for, in full and without a trailing dot.
    ///   - family: the family that was asked for.
    package init(reading message: Span<UInt8>, name: String, family: AddressFamily) throws(DNSProblem) {
        var offset = 2  // After the identifier, which c-ares has compared.
        let flags: UInt16 = try message.integer(at: &offset)
        let questions: UInt16 = try message.integer(at: &offset)
        let records: UInt16 = try message.integer(at: &offset)
        offset += 4  // The records after the answers are not read.
        guard flags & 0x8000 != 0, questions == 1 else { throw .notAnAnswer }
        let asked = DNSName(name)
        let question = try message.name(at: &offset)
        let type: UInt16 = try message.integer(at: &offset)
        let recordClass: UInt16 = try message.integer(at: &offset)
        guard question == asked, type == family.recordType, recordClass == DNSRecord.internetClass else {
            throw .notAnAnswer
        }

        var aliases: [DNSName: (target: DNSName, timeToLive: UInt32)] = [:]
        var found: [(owner: DNSName, address: TimedAddress)] = []
        for _ in 0..<records {
            let record = try DNSRecord(reading: message, at: &offset)
            guard record.recordClass == DNSRecord.internetClass else { continue }
            switch record.type {
            case DNSRecord.aliasType:
                let target = try message.name(in: record.data)
                // A name has only one alias (RFC 1034, section 3.6.2). The first counts.
                if aliases[record.owner] == nil { aliases[record.owner] = (target, record.timeToLive) }
            case family.recordType:
                guard record.data.count == family.byteCount else { throw .damaged }
                let address = IPAddress(bytes: record.data.map { message[$0] })
                found.append((record.owner, TimedAddress(address, timeToLive: record.timeToLive)))
            default: break
            }
        }

        var owner = asked
        var limit = UInt32.max
        // Each alias is used once, so a circle ends.
        while let alias = aliases.removeValue(forKey: owner) {
            owner = alias.target
            limit = min(limit, alias.timeToLive)
        }
        code = UInt8(flags & 0xF)
        addresses = found.filter { $0.owner == owner }.map { _, found in
            TimedAddress(found.address, timeToLive: found.timeToLive.map { min($0, limit) })
        }
    }
}

/// Why a message was not believed.
package enum DNSProblem: Error, Hashable, Sendable {
    /// It is no answer, or one to another question.
    case notAnAnswer
    /// A length or a name in it is impossible.
    case damaged
}

extension AddressFamily {
    /// The type of its address records: A (RFC 1035, section 3.2.2) or AAAA (RFC 3596, section 2.1).
    var recordType: UInt16 { self == .v4 ? 1 : 28 }

    /// The size of an address.
    fileprivate var byteCount: Int { self == .v4 ? 4 : 16 }
}

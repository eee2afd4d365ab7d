// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// The contents of a hosts file (hosts(5)).
///
/// Files of 90,000 lines are in use, as lists of advertisers. So the text is kept as it is, with eight bytes for each name
/// to find it by, and an address is read when its name is looked up.
package struct HostsFile: Sendable {
    /// Where a name is in the text.
    private struct Entry {
        let hash: UInt32
        let offset: UInt32
    }

    private let text: [UInt8]
    /// In the order of the hashes, and of equal ones in that of the text.
    private var entries: [Entry] = []

    package init(parsing text: [UInt8] = []) {
        self.text = text
        var hash = NameHash()
        /// Where the present word begins, and how many came before it in its line. The first is the address.
        var (start, count, isComment) = (0, 0, false)
        // A separator after the last byte ends the last word.
        for offset in 0...text.count {
            let byte = offset < text.count ? text[offset] : 10
            guard byte.separates || byte == UInt8(ascii: "#") else {
                hash.add(byte)
                continue
            }
            if offset > start, !isComment {
                if count > 0 { entries.append(Entry(hash: hash.value, offset: UInt32(truncatingIfNeeded: start))) }
                count += 1
            }
            if byte == UInt8(ascii: "#") { isComment = true }
            if byte.endsLine { (count, isComment) = (0, false) }
            start = offset + 1
            hash = NameHash()
        }
        entries.sort { ($0.hash, $0.offset) < ($1.hash, $1.offset) }
    }

    /// The addresses of a name, in stable order. Empty if the file does not list it. A name on several lines has the
    /// addresses of all of them (host.conf(5), multi). Malformed lines are skipped, as in libc.
    package func lookUp(_ name: HostName) -> [IPAddress] {
        var hash = NameHash()
        for byte in name.canonical.utf8 { hash.add(byte) }
        let low = entries.partitionPoint { $0.hash >= hash.value }
        var found: [IPAddress] = []
        for entry in entries[low...].prefix(while: { $0.hash == hash.value }) {
            let word = word(at: Int(entry.offset))
            guard HostName.canonicalForm(word) == name.canonical else { continue }
            let line = text[..<Int(entry.offset)].lastIndex { $0.endsLine }.map { $0 + 1 } ?? 0
            let first = text[line...].firstIndex { !$0.separates } ?? line
            if let address = Self.address(self.word(at: first)) { found.append(address) }
        }
        return stableOrder(found)
    }

    private func word(at offset: Int) -> String {
        String(decoding: text[offset...].prefix { !$0.separates && $0 != UInt8(ascii: "#") }, as: UTF8.self)
    }

    private static func address(_ text: String) -> IPAddress? {
        if let address = IPv4Address(strict: text) { return .v4(address) }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPv6Address(parts[0]) else { return nil }
        return parts.count == 1 ? .v6(address) : Scope(parts[1]).map { .v6(address, scope: $0) }
    }
}

/// The FNV-1a hash of a name's canonical form (draft-eastlake-fnv).
private struct NameHash {
    private(set) var value: UInt32 = 2_166_136_261
    /// A dot counts when another byte follows: one trailing dot is not part of the name.
    private var hasDot = false

    mutating func add(_ byte: UInt8) {
        if hasDot { mix(UInt8(ascii: ".")) }
        hasDot = byte == UInt8(ascii: ".")
        if !hasDot { mix(UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte) }
    }

    private mutating func mix(_ byte: UInt8) { value = (value ^ UInt32(byte)) &* 16_777_619 }
}

extension UInt8 {
    fileprivate var endsLine: Bool { self == 10 || self == 13 }
    fileprivate var separates: Bool { self == 32 || self == 9 || endsLine }
}

/// IPv6 before IPv4, then by value, each once. Neither rotation nor the order of arrival may look like a change.
package func stableOrder(_ addresses: [IPAddress]) -> [IPAddress] {
    addresses.sorted().reduce(into: []) { if $0.last != $1 { $0.append($1) } }
}

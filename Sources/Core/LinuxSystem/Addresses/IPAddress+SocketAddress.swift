// SPDX-License-Identifier: Apache-2.0

extension IPAddress {
    /// Reads a `sockaddr_in` or `sockaddr_in6` (ip(7), ipv6(7)). Nil for another family or too few bytes.
    ///
    /// Linux's structures have no length field, so the family determines how many bytes are read.
    package init?(socketAddress bytes: RawSpan) {
        guard bytes.byteCount >= 2 else { return nil }
        let family = unsafe bytes.unsafeLoadUnaligned(as: sa_family_t.self)
        switch Int32(family) {
        case AF_INET where bytes.byteCount >= MemoryLayout<sockaddr_in>.size:
            let number = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 4, as: UInt32.self)
            self = .v4(IPv4Address(rawValue: UInt32(bigEndian: number)))
        case AF_INET6 where bytes.byteCount >= MemoryLayout<sockaddr_in6>.size:
            let high = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self)
            let low = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 16, as: UInt64.self)
            let scope = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 24, as: UInt32.self)
            self = .v6(
                IPv6Address(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low)), scope: Scope(number: scope))
        default:
            return nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import ReachabilityLinuxSystem

// BSD's socket addresses begin with a byte that holds their length; Linux's do not. Sources for Apple's systems set and read
// that byte. Here setting it does nothing, because the family determines the length. Reading it returns the true length,
// which some sources pass to getnameinfo(3).
//
// Only one module may have these members. Two would make each use ambiguous.

private func length(of family: sa_family_t, otherwise size: Int) -> UInt8 {
    switch Int32(family) {
    case AF_INET: UInt8(MemoryLayout<sockaddr_in>.size)
    case AF_INET6: UInt8(MemoryLayout<sockaddr_in6>.size)
    default: UInt8(size)
    }
}

extension sockaddr {
    /// The length of the address, by its family. Setting it does nothing.
    public var sa_len: UInt8 {
        get { length(of: sa_family, otherwise: MemoryLayout<sockaddr>.size) }
        set { _ = newValue }
    }
}

extension sockaddr_in {
    /// The length of the address. Setting it does nothing.
    public var sin_len: UInt8 {
        get { UInt8(MemoryLayout<sockaddr_in>.size) }
        set { _ = newValue }
    }

    /// BSD's memberwise initializer.
    ///
    /// - Parameter sin_len: ignored.
    public init(
        sin_len: UInt8, sin_family: sa_family_t, sin_port: in_port_t, sin_addr: in_addr,
        sin_zero: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)
    ) {
        self.init(sin_family: sin_family, sin_port: sin_port, sin_addr: sin_addr, sin_zero: sin_zero)
    }
}

extension sockaddr_in6 {
    /// The length of the address. Setting it does nothing.
    public var sin6_len: UInt8 {
        get { UInt8(MemoryLayout<sockaddr_in6>.size) }
        set { _ = newValue }
    }

    /// BSD's memberwise initializer.
    ///
    /// - Parameter sin6_len: ignored.
    public init(
        sin6_len: UInt8, sin6_family: sa_family_t, sin6_port: in_port_t, sin6_flowinfo: UInt32, sin6_addr: in6_addr,
        sin6_scope_id: UInt32
    ) {
        self.init(
            sin6_family: sin6_family, sin6_port: sin6_port, sin6_flowinfo: sin6_flowinfo, sin6_addr: sin6_addr,
            sin6_scope_id: sin6_scope_id)
    }
}

extension sockaddr_storage {
    /// The length of the address, by its family. Setting it does nothing.
    public var ss_len: UInt8 {
        get { length(of: ss_family, otherwise: MemoryLayout<sockaddr_storage>.size) }
        set { _ = newValue }
    }
}

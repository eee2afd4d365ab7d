// SPDX-License-Identifier: Apache-2.0

public import ReachabilityLinuxSystem

extension ReachabilityRef {
    /// Makes a reference to an address written as text.
    ///
    /// - Parameters:
    ///   - address: an IPv4 address, or an IPv6 address. A link-local one includes its interface, as in `fe80::1%eth0`. 0.0.0.0
    ///     and ::
    ///     stand for the default path.
    ///   - options: how packets to the address would be sent.
    /// - Throws: ``ReachabilityError`` if the text is not an address or an option cannot be used.
    public convenience init(
        address: String, options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) {
        try self.init(options: options) { (context) throws(ReachabilityError) in
            .target(Target(try context.address(address)))
        }
    }

    /// Makes a reference to the path from a local address to a remote one.
    ///
    /// - Parameters:
    ///   - local: an address of this machine; nil for any. The flags are empty as long as the machine does not have this address.
    ///   - remote: the address to reach; nil for the local address alone.
    ///   - options: how packets would be sent.
    /// - Throws: ``ReachabilityError`` if both are nil, if one is not an address, or if an option cannot be used.
    public convenience init(
        local: String?, remote: String?, options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) {
        try self.init(options: options) { (context) throws(ReachabilityError) in
            .target(try Target(pairOf: local.map(context.address), and: remote.map(context.address)))
        }
    }

    /// Makes a reference to the address in the bytes of a socket address: a `sockaddr_in`, a `sockaddr_in6`, or a larger
    /// structure that begins with one of them.
    ///
    /// - Parameters:
    ///   - sockaddr: at least 16 bytes, or 28 for IPv6. They are copied. The port in them is ignored.
    ///   - options: how packets to the address would be sent.
    /// - Throws: ``ReachabilityError`` if there are too few bytes, if the family is neither AF_INET nor AF_INET6, or if an option
    ///   cannot be used.
    public convenience init(
        sockaddr: UnsafeRawBufferPointer, options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) {
        let address = try IPAddress(reading: unsafe RawSpan(_unsafeBytes: sockaddr))
        try self.init(target: Target(address), options: options)
    }

    /// Makes a reference to the address in a `sockaddr_in` or `sockaddr_in6` of `length` bytes.
    public convenience init(
        sockaddr: UnsafePointer<sockaddr>, length: Int, options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) {
        let bytes = unsafe UnsafeRawBufferPointer(start: sockaddr, count: max(0, length))
        try unsafe self.init(sockaddr: bytes, options: options)
    }

    /// Makes a reference to an IPv4 address. Its `sin_family` must be set.
    public convenience init(
        sockaddr: sockaddr_in, options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) {
        try self.init(target: Target(try IPAddress(in: sockaddr)), options: options)
    }

    /// Makes a reference to an IPv6 address. Its `sin6_family` must be set, and for a link-local address `sin6_scope_id`.
    public convenience init(
        sockaddr: sockaddr_in6, options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) {
        try self.init(target: Target(try IPAddress(in: sockaddr)), options: options)
    }

    /// Makes a reference to the address in a `sockaddr_storage`, as accept(2) or getpeername(2) fills it in.
    public convenience init(
        sockaddr: sockaddr_storage, options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) {
        try self.init(target: Target(try IPAddress(in: sockaddr)), options: options)
    }

    /// Makes a reference to the default path: the route from this machine to other networks, in either family.
    public static func defaultPath(
        options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) -> ReachabilityRef {
        try ReachabilityRef(target: .defaultPath, options: options)
    }

    /// Makes a reference to a target.
    package convenience init(target: Target, options: ReachabilityOptions) throws(ReachabilityError) {
        try self.init(options: options) { _ in .target(target) }
    }

    convenience init(
        options: ReachabilityOptions, read: (CheckedOptions) throws(ReachabilityError) -> Subject
    ) throws(ReachabilityError) {
        // Also around the last line, where the runtime makes metadata for the object and its properties.
        beginWork()
        defer { endWork() }
        let context = try CheckedOptions(options)
        self.init(try context.restrict(read(context)), keys: context.keys, namespace: context.namespace)
        // Reading a kept answer does not count as work. Its first call makes metadata, so it is made here.
        _ = keptFlags
    }
}

extension Target {
    init(pairOf local: IPAddress?, and remote: IPAddress?) throws(ReachabilityError) {
        guard let target = Target(local: local, remote: remote) else {
            // A local address of 0.0.0.0 or :: alone means the default path.
            if local != nil {
                self = .defaultPath
                return
            }
            throw ReachabilityError(
                .invalidTarget, "make a reference", "", "a pair needs a local address, a remote one, or both")
        }
        self = target
    }
}

extension IPAddress {
    fileprivate init<Structure>(in structure: Structure) throws(ReachabilityError) {
        self = try unsafe withUnsafeBytes(of: structure) { (bytes) throws(ReachabilityError) in
            try IPAddress(reading: unsafe RawSpan(_unsafeBytes: bytes))
        }
    }

    /// Reads a sockaddr_in or sockaddr_in6. The family determines the length.
    package init(reading bytes: RawSpan) throws(ReachabilityError) {
        guard let address = IPAddress(socketAddress: bytes) else {
            throw ReachabilityError(
                .invalidTarget, "use the socket address", "",
                "pass a sockaddr_in of 16 bytes or a sockaddr_in6 of 28 bytes, with its family set")
        }
        self = address
    }
}

// SPDX-License-Identifier: Apache-2.0

public import Glibc
import LinuxSystem
package import NetworkFacts

extension ReachabilityRef {
    /// Makes a reference to an address written as text.
    ///
    /// - Parameters:
    ///   - address: an IPv4 address, or an IPv6 address, a link-local one with its interface as in `fe80::1%eth0`.
    ///     0.0.0.0 and :: stand for the default path.
    ///   - options: from where the address is looked at.
    /// - Throws: ``ReachabilityError`` where the text is no address or an option cannot be used.
    public convenience init(
        address: String, options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) {
        try self.init(options: options) { (context) throws(ReachabilityError) in
            Target(try context.address(address))
        }
    }

    /// Makes a reference to what can be sent from a local address to a remote one.
    ///
    /// - Parameters:
    ///   - local: an address of this machine; nil for any. The flags are empty as long as it is not this machine's.
    ///   - remote: the address to reach; nil for the local address by itself.
    ///   - options: from where the pair is looked at.
    /// - Throws: ``ReachabilityError`` where both are nil, or one is no address.
    public convenience init(
        local: String?, remote: String?, options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) {
        try self.init(options: options) { (context) throws(ReachabilityError) in
            try Target(pairOf: local.map(context.address), and: remote.map(context.address))
        }
    }

    /// Makes a reference to the address in a socket address structure.
    ///
    /// - Parameters:
    ///   - sockaddr: a `sockaddr_in` or `sockaddr_in6`; it is copied.
    ///   - length: how many bytes of it there are: at least 16, or 28 for IPv6.
    ///   - options: from where the address is looked at.
    /// - Throws: ``ReachabilityError`` where it is too short or of another family.
    public convenience init(
        sockaddr: UnsafePointer<sockaddr>, length: Int, options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) {
        let bytes = unsafe UnsafeRawBufferPointer(start: sockaddr, count: max(0, length))
        let target = Target(try IPAddress(reading: unsafe RawSpan(_unsafeBytes: bytes)))
        try self.init(options: options) { _ in target }
    }

    /// Makes a reference to the default path: whether there is any way off this machine, in either family.
    public static func defaultPath(
        options: ReachabilityOptions = ReachabilityOptions()
    ) throws(ReachabilityError) -> ReachabilityRef {
        try ReachabilityRef(options: options) { _ in .defaultPath }
    }

    /// Makes a reference to a target that has been read already.
    package convenience init(target: Target, options: ReachabilityOptions) throws(ReachabilityError) {
        try self.init(options: options) { _ in target }
    }

    convenience init(
        options: ReachabilityOptions, read: (LookupContext) throws(ReachabilityError) -> Target
    ) throws(ReachabilityError) {
        let context = try LookupContext(options)
        self.init(target: try context.restrict(read(context)), keys: context.keys, namespace: context.namespace)
    }
}

extension Target {
    init(pairOf local: IPAddress?, and remote: IPAddress?) throws(ReachabilityError) {
        guard let target = Target(local: local, remote: remote) else {
            // An unspecified local address alone says as little as none, but it was given: any way out will do.
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
    /// Reads a sockaddr_in or sockaddr_in6; the family decides how long it has to be.
    package init(reading bytes: RawSpan) throws(ReachabilityError) {
        guard let address = IPAddress(socketAddress: bytes) else {
            throw ReachabilityError(
                .invalidTarget, "use the socket address", "",
                "pass a sockaddr_in of 16 bytes or a sockaddr_in6 of 28 bytes, with its family set")
        }
        self = address
    }
}

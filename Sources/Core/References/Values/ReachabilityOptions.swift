// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// Everything other than the destination that the kernel's routing decision can depend on, and how names are resolved.
///
/// ```swift
/// let ref = try ReachabilityRef(address: "192.0.2.1", options: ReachabilityOptions(interface: "wg0"))
/// ```
public struct ReachabilityOptions: Hashable, Sendable {
    /// The name of the interface or VRF device to which packets would be bound (SO_BINDTODEVICE). It need not exist yet.
    public var interface: String?
    /// The address from which packets would be sent (bind).
    public var sourceAddress: String?
    /// The firewall mark of the packets (SO_MARK), for policy rules that depend on it.
    public var mark: UInt32?
    /// The user who would send the packets, for policy rules with a range of user ids. The default is the user who would own a
    /// socket of the calling thread.
    public var userID: UInt32?
    /// The protocol of the packets, for policy rules that name one. For multicast and broadcast addresses the kernel is always
    /// asked about UDP, because TCP cannot reach them.
    public var transport = Transport.tcp
    /// The port to which packets would be sent, for policy rules that name ports.
    public var port: UInt16?
    /// The network namespace. The default is that of the thread that makes the reference.
    public var networkNamespace: NetworkNamespace?

    /// The longest time for resolving a name, including retries. When it has passed, the addresses found so far are used. A
    /// negative time passes at once.
    public var resolutionTimeout: Duration
    /// Whether asking for the flags of a name resolves it.
    public var resolutionPolicy = ResolutionPolicy.resolve
    /// The name servers to use instead of the system's, such as `192.0.2.53`, `192.0.2.53:5353` or
    /// `[2001:db8::53]:5353`.
    public var nameServers: [String]?

    /// The address families that are used, of a name's addresses and of the default routes. Empty for both. An address of another
    /// family is refused.
    public var families: Set<Family>

    /// The only family that is used; nil for both.
    var family: AddressFamily? {
        guard families.count == 1 else { return nil }
        return families.contains(.v4) ? .v4 : .v6
    }

    /// A family of addresses.
    public enum Family: Hashable, Sendable, CaseIterable {
        /// IPv4 (ip(7)).
        case v4
        /// IPv6 (ipv6(7)).
        case v6
    }

    /// Whether asking for the flags of a name that is not scheduled resolves the name.
    public enum ResolutionPolicy: String, Hashable, Sendable {
        /// Resolves it, which may take as long as ``ReachabilityOptions/resolutionTimeout``.
        case resolve
        /// Does not resolve it, like Apple's systems since 10.11. A name whose addresses are not known has the flags of the
        /// default path.
        case optimistic
    }

    /// The protocol of a socket.
    public enum Transport: String, Hashable, Sendable {
        /// A stream (tcp(7)).
        case tcp
        /// Datagrams (udp(7)).
        case udp
    }

    /// A network namespace other than the calling thread's. Entering one requires CAP_SYS_ADMIN over it. The capability is needed
    /// again later for each name that is resolved while nothing is watched there.
    public enum NetworkNamespace: Hashable, Sendable {
        /// A namespace by its name in `ip netns`.
        case name(String)
        /// A namespace file, such as `/proc/123/ns/net`.
        case path(String)
        /// An open descriptor of such a file. It is duplicated, and the caller keeps the original.
        case descriptor(Int32)
    }

    /// Options for the namespace of the calling thread, without any restriction.
    public init() {
        // In an unoptimised program both make metadata, once (`undisturbed`).
        beginWork()
        defer { endWork() }
        (resolutionTimeout, families) = (.seconds(5), [])
    }

    /// Options with the given values, and the defaults of ``init()`` for all others.
    ///
    /// ```swift
    /// let options = ReachabilityOptions(interface: "eth0", families: [.v6])
    /// ```
    public init(
        interface: String? = nil, sourceAddress: String? = nil, mark: UInt32? = nil, userID: UInt32? = nil,
        transport: Transport = .tcp, port: UInt16? = nil, networkNamespace: NetworkNamespace? = nil,
        families: Set<Family> = [], resolutionTimeout: Duration = .seconds(5),
        resolutionPolicy: ResolutionPolicy = .resolve, nameServers: [String]? = nil
    ) {
        self.init()
        (self.interface, self.sourceAddress, self.mark, self.userID) = (interface, sourceAddress, mark, userID)
        (self.transport, self.port, self.networkNamespace) = (transport, port, networkNamespace)
        (self.families, self.nameServers) = (families, nameServers)
        (self.resolutionTimeout, self.resolutionPolicy) = (resolutionTimeout, resolutionPolicy)
    }
}

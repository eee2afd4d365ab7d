// SPDX-License-Identifier: Apache-2.0

/// From where a target is looked at: everything beside the destination that the kernel's routing can depend on.
///
/// ```swift
/// var options = ReachabilityOptions()
/// options.interface = "wg0"
/// let ref = try ReachabilityRef(address: "192.0.2.1", options: options)
/// ```
public struct ReachabilityOptions: Hashable, Sendable {
    /// The interface, or VRF device, that packets would be bound to (SO_BINDTODEVICE).
    public var interface: String?
    /// The address packets would be sent from (bind).
    public var sourceAddress: String?
    /// The firewall mark packets would carry (SO_MARK), for policy rules that look at it.
    public var mark: UInt32?
    /// The user whose packets they would be, for policy rules with a range of user ids. By default the caller.
    public var userID: UInt32?
    /// The network namespace looked at; by default that of the thread that makes the reference.
    public var networkNamespace: NetworkNamespace?

    /// The longest a name may take to resolve, retries and all; at the end of it what is known by then answers. A negative
    /// one is over at once.
    public var resolutionTimeout: Duration = .seconds(5)
    /// Whether asking for a name's flags resolves it.
    public var resolutionPolicy = ResolutionPolicy.resolve
    /// Name servers to ask instead of those the system is configured with, such as `192.0.2.53`, `192.0.2.53:5353` or
    /// `[2001:db8::53]:5353`.
    public var nameServers: [String]?

    /// What asking for the flags of a name does that is not scheduled.
    public enum ResolutionPolicy: String, Hashable, Sendable {
        /// Resolves it, which may take as long as the resolution timeout.
        case resolve
        /// Asks nobody, as Apple's systems do since 10.11: a name that is not known yet has the default path's flags.
        case optimistic
    }

    /// A network namespace other than the calling thread's. Entering one wants CAP_SYS_ADMIN over it.
    public enum NetworkNamespace: Hashable, Sendable {
        /// One that `ip netns` knows by this name.
        case name(String)
        /// A namespace file, such as `/proc/123/ns/net`.
        case path(String)
        /// An open descriptor of such a file. It is duplicated; the caller goes on owning it.
        case descriptor(Int32)
    }

    /// Looks from where the calling thread is, with no key beside the destination.
    public init() {}
}

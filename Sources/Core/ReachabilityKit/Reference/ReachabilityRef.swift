// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import Synchronization

/// A target whose reachability can be asked for, from any thread and any number of times.
///
/// The kernel answers, by the route that it would take now and the state of the link by which that route leaves. No packet is
/// sent. As long as nothing changes, a repeated question costs one system call.
///
/// ```swift
/// let ref = try ReachabilityRef(address: "192.0.2.1")
/// if try ref.getFlags().contains(.isDirect) { print("on the same link") }
/// ```
@safe public final class ReachabilityRef: Sendable {
    package let target: Target
    package let keys: RoutingKeys
    package let namespace: NamespaceContext
    /// The namespace's sockets, if they could be opened when the reference was made. Only the look at a kept answer uses
    /// them. Unmanaged, because a retain and a release would double the cost of an answer that io_uring proves.
    private let cachedKernel: Unmanaged<KernelAccess>?
    let cache = VerdictCache()
    let client = Mutex(Client())
    /// Whether the client has a registration. Changed under the lock of `client`.
    let hasRegistration = Atomic(false)

    package init(target: Target, keys: RoutingKeys, namespace: NamespaceContext) {
        self.target = target
        self.keys = keys
        self.namespace = namespace
        // The first question reports an error, if there is one.
        unsafe cachedKernel = (try? namespace.source().requireNetlink()).map { unsafe Unmanaged.passRetained($0) }
    }

    deinit {
        unsafe cachedKernel?.release()
    }

    /// Asks for the present flags.
    ///
    /// A call that begins after a system call that changed routing has returned reflects that change.
    ///
    /// - Throws: ``ReachabilityError`` if the kernel could not be asked. "Not reachable" is no error: the flags are empty
    ///   then.
    public func getFlags() throws(ReachabilityError) -> ReachabilityFlags {
        if let flags = keptFlags { return flags }
        return try currentVerdict().flags
    }

    /// The flags of a kept answer, if it is proved to be the present one.
    @inline(__always)
    private var keptFlags: ReachabilityFlags? {
        unsafe cachedKernel?._withUnsafeGuaranteedRef { kernel in
            if case .name(let host) = target { provenNameFlags(host, kernel) } else { kernel.provenFlags(in: cache) }
        } ?? nil
    }

    /// Asks the kernel, for a name after resolving it, and keeps the answer if it can be proved later.
    @inline(__always)
    package func currentVerdict() throws(ReachabilityError) -> Verdict {
        if case .name(let host) = target {
            return try withoutCancellation { () throws(ReachabilityError) in try verdict(on: host) }
        }
        guard case .netlink(let kernel) = try namespace.source() else {
            return try namespace.udpFinding(on: target, keys: keys).verdict
        }
        return try asking { () throws(NetlinkError) in try kernel.verdict(on: target, keys: keys, keptIn: cache) }
    }

    /// Runs `body`, which asks the kernel. An error names the target.
    @inline(__always)
    func asking<Value>(_ body: () throws(NetlinkError) -> Value) throws(ReachabilityError) -> Value {
        do throws(NetlinkError) {
            return try body()
        } catch {
            throw ReachabilityError(error, object: target.description)
        }
    }

    /// The verdict on the default path, for a name of which nothing else is known yet.
    func defaultPathVerdict() throws(ReachabilityError) -> Verdict {
        guard case .netlink(let kernel) = try namespace.source() else {
            return try namespace.udpFinding(on: .defaultPath, keys: keys).verdict
        }
        return try asking { () throws(NetlinkError) in try kernel.ask(about: .defaultPath, keys: keys).verdict }
    }
}

extension ReachabilityRef: CustomStringConvertible {
    /// The target in words, for logs.
    public var description: String { "ReachabilityRef(\(target))" }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
package import ReachabilityNetlink
import Synchronization

/// A target whose reachability can be asked for, from any thread and any number of times.
///
/// The kernel answers, by the route that it would take now and the state of the link by which that route leaves. No packet is
/// sent. As long as nothing changes, a repeated question costs one system call.
///
/// ```swift
/// let ref = try ReachabilityRef(address: "192.0.2.1")
/// if try ref.getFlags().isDirect { print("on the same link") }
/// ```
///
/// In the child of a fork a reference of the parent may be asked and scheduled like any other. What the parent has scheduled
/// stays the parent's.
public final class ReachabilityRef: Sendable {
    package let keys: RoutingKeys
    let own: Own
    let successor = AtomicLazyReference<ReachabilityRef>()
    /// The last, because stored properties are released in this order.
    private let released = EndOfRelease()

    package init(_ subject: Subject, keys: RoutingKeys, namespace: NamespaceContext) {
        self.keys = keys
        own = Own(subject, namespace)
    }

    deinit {
        EndOfRelease.begin()
        guard !own.namespace.isThisProcess else { return }
        ForkEpoch.abandon(own.namespace)
        if case .name(let host) = own.subject { ForkEpoch.abandon(host) }
    }

    /// Asks for the present flags.
    ///
    /// For a name that has to be resolved, this blocks the thread, up to ``ReachabilityOptions/resolutionTimeout``. In async
    /// code use ``flags()``.
    ///
    /// A call that begins after a system call that changed routing has returned reflects that change.
    ///
    /// - Throws: ``ReachabilityError`` if the kernel could not be asked. "Not reachable" is no error: the flags are empty
    ///   then.
    public func getFlags() throws(ReachabilityError) -> ReachabilityFlags {
        if let flags = keptFlags { return flags }
        return try currentVerdict().flags
    }

    /// Asks for the present flags and for what decided them: ``Explanation/reasonCode``, such as `no_answer` where no name server
    /// answered. Otherwise like ``getFlags()``. In async code use ``flagsAndReason()``.
    public func getFlagsAndReason() throws(ReachabilityError) -> (flags: ReachabilityFlags, reasonCode: String) {
        let verdict = try currentVerdict()
        return (verdict.flags, verdict.reason.code)
    }

    /// The flags of a kept answer, if it is proved to be the present one.
    @inline(__always)
    package var keptFlags: ReachabilityFlags? {
        guard own.namespace.isThisProcess else { return nil }
        if case .name(let host) = own.subject { return provedNameFlags(host) }
        // Bound to a name, the object would be retained: a write that all threads share.
        return own.cachedKernel?.provedFlags(in: own.cell)
    }

    /// Asks the kernel, for a name after resolving it, and keeps the answer if it can be proved later.
    @inline(__always)
    package func currentVerdict() throws(ReachabilityError) -> Verdict {
        // A fork has to wait for all of this.
        try undisturbed { () throws(ReachabilityError) in
            switch subject {
            case .name(let host): return try verdict(on: host)
            case .target(let target):
                return try ask { (kernel, here) throws(NetlinkError) in
                    try kernel.verdict(on: target, keys: keys, keptIn: here.own.cell)
                }
            }
        }
    }

    /// Asks the kernel with `question`. The caller disables cancellation.
    @inline(__always)
    func ask(
        _ question: (KernelAccess, _ here: ReachabilityRef) throws(NetlinkError) -> Verdict
    ) throws(ReachabilityError) -> Verdict {
        let here = here
        let kernel = if let cached = here.own.cachedKernel { cached } else { try here.own.namespace.kernel() }
        do throws(NetlinkError) {
            return try question(kernel, here)
        } catch {
            throw ReachabilityError(error, object: subject.description)
        }
    }

    /// The verdict on the default path, for a name of which nothing else is known yet.
    func defaultPathVerdict() throws(ReachabilityError) -> Verdict {
        try ask { (kernel, _) throws(NetlinkError) in try kernel.verdict(on: [.defaultPath], keys: keys)! }
    }
}

extension ReachabilityRef: CustomStringConvertible {
    /// The target in words, for logs.
    public var description: String {
        undisturbed { "ReachabilityRef(\(subject))" }
    }
}

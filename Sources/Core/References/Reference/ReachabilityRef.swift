// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
package import ReachabilityNetlink
import Synchronization

/// A target whose reachability can be asked for, from any thread and any number of times.
///
/// The answer is the kernel's: it depends on the route that the kernel would choose now, and on the state of the link by which
/// that route leaves. No packet is sent to the target. As long as nothing changes, asking again costs one system call.
///
/// ```swift
/// let ref = try ReachabilityRef(address: "192.0.2.1")
/// if try ref.getFlags().isDirect { print("on the same link") }
/// ```
///
/// In the child of a fork, a reference of the parent can be used and scheduled like any other. Callbacks that the parent has
/// scheduled continue in the parent only.
public final class ReachabilityRef: Sendable {
    package let keys: RoutingKeys
    let own: Own
    let successor = AtomicLazyReference<ReachabilityRef>()
    /// The last property, because stored properties are released in the order of their declaration.
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
    /// If a name has to be resolved, this blocks the thread, for up to ``ReachabilityOptions/resolutionTimeout``. In async code
    /// use ``flags()``.
    ///
    /// The flags reflect every routing change whose system call returned before this call began.
    ///
    /// - Throws: ``ReachabilityError`` if the kernel could not be asked. An unreachable target is not an error: its flags are
    ///   empty.
    public func getFlags() throws(ReachabilityError) -> ReachabilityFlags {
        if let flags = keptFlags { return flags }
        return try currentVerdict().flags
    }

    /// Asks for the present flags and for the reason of them: ``Explanation/reasonCode``, such as `no_answer` if no name server
    /// answered. Otherwise the same as ``getFlags()``. In async code use ``flagsAndReason()``.
    public func getFlagsAndReason() throws(ReachabilityError) -> (flags: ReachabilityFlags, reasonCode: String) {
        let verdict = try currentVerdict()
        return (verdict.flags, verdict.reason.code)
    }

    /// The flags of a kept answer, if it is proved to be the present one.
    @inline(__always)
    package var keptFlags: ReachabilityFlags? {
        guard own.namespace.isThisProcess else { return nil }
        if case .name(let host) = own.subject { return provedNameFlags(host) }
        // The object is not bound to a local variable, because that would retain it, which is a write to memory that all threads
        // share.
        return own.cachedKernel?.provedFlags(in: own.cell)
    }

    /// Asks the kernel, after resolving a name, and keeps the answer if its validity can be proved later.
    @inline(__always)
    package func currentVerdict() throws(ReachabilityError) -> Verdict {
        // A fork has to wait until all of this is done.
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

    /// Asks the kernel by calling `question`.
    @inline(__always)
    func ask(
        _ question: (KernelAccess, _ here: ReachabilityRef) throws(NetlinkError) -> Verdict
    ) throws(ReachabilityError) -> Verdict {
        checkUndisturbed()
        let here = here
        let kernel = if let cached = here.own.cachedKernel { cached } else { try here.own.namespace.kernel() }
        do throws(NetlinkError) {
            return try question(kernel, here)
        } catch {
            throw ReachabilityError(error, object: subject.description)
        }
    }

    /// The answer for the default path, used for a name of which nothing else is known yet.
    func defaultPathVerdict() throws(ReachabilityError) -> Verdict {
        try ask { (kernel, _) throws(NetlinkError) in try kernel.verdict(on: [.defaultPath], keys: keys)! }
    }
}

extension ReachabilityRef: CustomStringConvertible {
    /// The target as text, for logs.
    public var description: String {
        undisturbed { "ReachabilityRef(\(subject))" }
    }
}

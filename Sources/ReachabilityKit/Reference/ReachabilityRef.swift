// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import Synchronization

/// A target whose reachability can be asked for, as often as one likes and from any thread.
///
/// The answer is the kernel's own: the route it would take now, and the state of the link that route leaves by. No
/// packet is sent. As long as nothing has changed, an answer costs one system call.
///
/// ```swift
/// let ref = try ReachabilityRef(address: "192.0.2.1")
/// if try ref.getFlags().contains(.isDirect) { print("on the same link") }
/// ```
@safe public final class ReachabilityRef: Sendable {
    package let target: Target
    package let keys: RoutingKeys
    package let namespace: NamespaceContext
    /// The sockets, where they could be opened when the reference was made. Held by hand, as `getFlags` need not hold on
    /// to them once more: that alone would cost as much as the whole rest of an answer that io_uring proves.
    private let heldKernel: Unmanaged<KernelAccess>?
    let cache = VerdictCache()
    let client = Mutex(Client())
    /// Whether the client has a registration, for those who ask nothing more; changed under its lock.
    let hasRegistration = Atomic(false)

    package init(target: Target, keys: RoutingKeys, namespace: NamespaceContext) {
        self.target = target
        self.keys = keys
        self.namespace = namespace
        // A machine that withholds the sockets now is told of by the first question.
        unsafe heldKernel = (try? namespace.kernel()).map { unsafe Unmanaged.passRetained($0) }
    }

    deinit {
        unsafe heldKernel?.release()
    }

    private var kernel: KernelAccess? { unsafe heldKernel?.takeUnretainedValue() }

    /// Asks for the present flags.
    ///
    /// A call that begins after a system call that changed routing has returned reflects that change.
    ///
    /// - Throws: ``ReachabilityError`` where the kernel could not be asked. "Not reachable" is no error: the flags
    ///   are empty then.
    public func getFlags() throws(ReachabilityError) -> ReachabilityFlags {
        guard let heldKernel = unsafe heldKernel else { return try currentVerdict().flags }
        let proven = unsafe heldKernel._withUnsafeGuaranteedRef { kernel in
            if case .name(let host) = target { provenNameFlags(host, kernel) } else { kernel.provenFlags(in: cache) }
        }
        if let proven { return proven }
        return try currentVerdict().flags
    }

    /// Asks the kernel, for a name after resolving it, and keeps the answer for as long as it is proved.
    @inline(__always)
    package func currentVerdict() throws(ReachabilityError) -> Verdict {
        if case .name(let host) = target { return try verdict(on: host) }
        let asked = unsafe heldKernel?._withUnsafeGuaranteedRef { kernel in
            kernel.isUsable ? Result { () throws(ReachabilityError) in try ask(kernel) } : nil
        }
        if let asked = asked ?? nil { return try asked.get() }
        guard let kernel = try usableKernel() else { return try namespace.udpFinding(on: target, keys: keys).verdict }
        return try ask(kernel)
    }

    @inline(__always)
    private func ask(_ kernel: KernelAccess) throws(ReachabilityError) -> Verdict {
        try asking { () throws(NetlinkError) in
            try kernel.verdict(on: target, keys: keys, keptIn: cache)
        }
    }

    /// What asking the kernel finds; a failure names the target.
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
        guard let kernel = try usableKernel() else {
            return try namespace.udpFinding(on: .defaultPath, keys: keys).verdict
        }
        return try asking { () throws(NetlinkError) in
            try kernel.verdict(on: .defaultPath, keys: keys).verdict
        }
    }

    /// The sockets; nil where netlink is forbidden.
    @inline(__always)
    private func usableKernel() throws(ReachabilityError) -> KernelAccess? {
        if let kernel, kernel.isUsable { return kernel }
        guard case .netlink(let kernel) = try namespace.routeSource() else { return nil }
        return kernel
    }
}

extension ReachabilityRef: CustomStringConvertible {
    /// The target in words, for logs.
    public var description: String { "ReachabilityRef(\(target))" }
}

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
public final class ReachabilityRef: Sendable {
    package let target: Target
    package let keys: RoutingKeys
    package let stack: NetworkStack
    /// The sockets, where they could be opened when the reference was made.
    let kernel: KernelAccess?
    let cell = VerdictCell()
    let client = Mutex(Client())

    package init(target: Target, keys: RoutingKeys, stack: NetworkStack) {
        self.target = target
        self.keys = keys
        self.stack = stack
        // A machine that withholds the sockets now is told of by the first question.
        kernel = try? stack.kernel()
    }

    /// Asks for the present flags.
    ///
    /// A call that begins after a system call that changed routing has returned reflects that change.
    ///
    /// - Throws: ``ReachabilityError`` where the kernel could not be asked. "Not reachable" is no error: the flags
    ///   are empty then.
    public func getFlags() throws(ReachabilityError) -> ReachabilityFlags {
        if let kernel {
            if case .name(let host) = target {
                if let flags = provenNameFlags(host, kernel) { return flags }
            } else if let flags = kernel.provenFlags(in: cell) {
                return flags
            }
        }
        return try currentVerdict().flags
    }

    /// Asks the kernel, for a name after resolving it, and keeps the answer for as long as it is proved.
    package func currentVerdict() throws(ReachabilityError) -> Verdict {
        if case .name(let host) = target { return try verdict(on: host) }
        return try timedVerdict(on: target, isKept: true).verdict
    }

    /// The sockets; nil where netlink is forbidden.
    private func usableKernel() throws(ReachabilityError) -> KernelAccess? {
        if let kernel, kernel.isUsable { return kernel }
        guard case .netlink(let kernel) = try stack.authority() else { return nil }
        return kernel
    }

    func timedVerdict(on target: Target, isKept: Bool = false) throws(ReachabilityError) -> TimedVerdict {
        guard let kernel = try usableKernel() else {
            return TimedVerdict(verdict: try stack.udpFinding(on: target, keys: keys).verdict)
        }
        let settled = kernel.sentinel.settle()
        let now = SystemTime().now().nanoseconds
        let timed: TimedVerdict
        do {
            timed = try kernel.verdict(on: target, keys: keys, links: settled?.links)
        } catch {
            throw ReachabilityError(error, object: target.description)
        }
        if isKept, let settled { keep(timed, generation: settled.routes, tag: 0, askedAt: now) }
        return timed
    }

    func keep(_ timed: TimedVerdict, generation: UInt64, tag: UInt64, askedAt now: UInt64) {
        let nanosecondsPerTick = UInt64(1_000_000_000 / clockTicksPerSecond)
        var entry = VerdictCell.Entry(
            flags: timed.verdict.flags, generation: generation, deadline: VerdictCell.Entry.never, tag: tag,
            isProvisional: false)
        if let ticks = timed.expiresInTicks {
            entry.deadline = now + UInt64(ticks) * nanosecondsPerTick
        } else if timed.expiryIsUncertain {
            // The kernel counts whole ticks, so the last one of a route's life reads as "for ever". An answer that
            // says so twice, more than a tick apart and with no change between, means it.
            let previous = cell.load()
            if previous?.generation != generation || previous?.tag != tag || previous?.isProvisional == false {
                entry.deadline = now + 2 * nanosecondsPerTick
                entry.isProvisional = true
            }
        }
        cell.store(entry)
    }
}

extension ReachabilityRef: CustomStringConvertible {
    /// The target in words, for logs.
    public var description: String { "ReachabilityRef(\(target))" }
}

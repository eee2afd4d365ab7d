// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink
import Synchronization

/// Opens the sockets for requests and announcements, in the namespace of the calling thread. Tests replace it by a kernel of
/// their own.
package struct KernelSockets: Sendable {
    package var requester: @Sendable () throws(NetlinkError) -> NetlinkRequester = {
        () throws(NetlinkError) in try NetlinkRequester()
    }
    /// The parameter is the size of the queue in bytes.
    package var announcements: @Sendable (Int32) throws(Errno) -> any AnnouncementTransport = {
        (queueBytes) throws(Errno) in try NetlinkSocket(announcementQueueBytes: queueBytes)
    }

    package init() {}
}

/// The open sockets through which this process asks the kernel of one namespace, and the proof that kept answers are still true.
///
/// What the kernel allows is found out by trying: announcements by `Freshness`, requests by `RouteClient`. The layers above need
/// not know.
///
/// Threads that ask at the same moment get a lookup socket each, because two sockets are twice as fast as one. If no further
/// socket can be opened (no descriptors are left, the caller is in another namespace, or netlink has been forbidden since), the
/// caller waits for the first one. All sockets ask in the same way, so that an answer does not depend on the number of threads.
///
/// A thread that holds a socket must not end. So each function that may take one, or its caller, disables cancellation around the
/// whole operation (`undisturbed`).
package final class KernelAccess: Sendable {
    /// Nil where the kernel does not announce all changes. No answer is kept then.
    package let freshness: Freshness?
    private let tier: LookupTier
    package let socketDefaults: SocketDefaults
    private let first: Lock<BorrowedClient>
    private let idle = Lock<[BorrowedClient]>([])
    private let open: @Sendable () throws(NetlinkError) -> RouteClient
    /// How many sockets are kept for later use. If more threads ask at once, the others open and close their own.
    static let idleLimit = 8

    /// A socket that only one thread uses, because it was taken out of the array, or because its lock is held.
    private struct BorrowedClient: @unchecked Sendable {
        let socket: RouteClient
    }

    /// Opens the sockets in the namespace of the calling thread.
    ///
    /// - Parameters:
    ///   - readDefaults: reads the values of new sockets in that namespace.
    ///   - connected: asks in that namespace without netlink.
    ///   - sockets: opens the other sockets.
    ///   - reopen: opens a further requester in the same namespace, on any thread.
    package init(
        deviceTypes: DeviceTypes, socketDefaults readDefaults: () throws(Errno) -> SocketDefaults,
        connected: ConnectedRequester = ConnectedRequester(), sockets: KernelSockets = KernelSockets(),
        reopen: @escaping @Sendable () throws(NetlinkError) -> NetlinkRequester
    ) throws(NetlinkError) {
        do throws(Errno) {
            // One announcement is enough, so the queue has the smallest size.
            freshness = Freshness(try sockets.announcements(1))
        } catch {
            guard error.isRefusal else { throw .system(.open, error) }
            freshness = nil
        }
        let requester: NetlinkRequester?
        do throws(NetlinkError) {
            requester = try sockets.requester()
        } catch {
            guard error.isRefusal else { throw error }
            requester = nil
        }
        let tier = LookupTier(freshness, isConnected: requester == nil)
        self.tier = tier
        let socketDefaults: SocketDefaults
        do throws(Errno) {
            socketDefaults = try readDefaults()
        } catch {
            throw .system(.openProbe, error)
        }
        self.socketDefaults = socketDefaults
        first = Lock(
            BorrowedClient(socket: RouteClient(requester, deviceTypes, socketDefaults, connected, tier: tier)))
        open = { () throws(NetlinkError) in
            let requester = tier.isConnected ? nil : try reopen()
            return RouteClient(requester, deviceTypes, socketDefaults, connected, tier: tier)
        }
    }

    /// How the kernel is asked, for output.
    package var lookupMethod: LookupMethod { tier.method }

    /// Throws if the kernel cannot be asked with these routing keys.
    package func check(_ keys: RoutingKeys) throws(NetlinkError) {
        if case .udp = lookupMethod, keys.mark != nil || keys.userID != nil { throw .needsNetlink }
    }

    /// Lends a socket to `body`, which may ask the kernel but must not wait for anything else.
    @inline(__always)
    package func withRouteClient<Value: Sendable>(
        _ body: (RouteClient) throws(NetlinkError) -> Value
    ) throws(NetlinkError) -> Value {
        refreshSocketDefaults(at: SystemTime().now())
        return try lend(to: body)
    }

    /// The same, without checking whether the values of new sockets have changed.
    func lend<Value: Sendable>(
        to body: (RouteClient) throws(NetlinkError) -> Value
    ) throws(NetlinkError) -> Value {
        let value = try first.withLockIfAvailable { (lent) throws(NetlinkError) in try use(&lent, body) }
        return if let value { value } else { try lendFurther(to: body) }
    }

    /// Lends a socket other than the first; the first, if there is no other.
    private func lendFurther<Value: Sendable>(
        to body: (RouteClient) throws(NetlinkError) -> Value
    ) throws(NetlinkError) -> Value {
        guard var lent = idle.withLock({ $0.popLast() }) ?? (try? open()).map(BorrowedClient.init) else {
            return try first.withLock { (lent) throws(NetlinkError) in try use(&lent, body) }
        }
        defer {
            idle.withLock { idle in
                if idle.count < Self.idleLimit { idle.append(lent) }
            }
        }
        return try use(&lent, body)
    }

    /// Uses a socket. If its descriptor is no longer ours, because the program has closed descriptors that it does not own
    /// (closefrom(3)), another socket replaces it. The old number is not closed, because the program may have opened another file
    /// under it.
    private func use<Value: Sendable>(
        _ lent: inout BorrowedClient, _ body: (RouteClient) throws(NetlinkError) -> Value
    ) throws(NetlinkError) -> Value {
        do throws(NetlinkError) {
            return try body(lent.socket)
        } catch {
            guard error.isOfLostSocket else { throw error }
            let fresh = BorrowedClient(socket: try replacement())
            ForkEpoch.abandon(lent.socket)
            lent = fresh
            return try body(lent.socket)
        }
    }

    /// Replaces a lost socket. If netlink has been forbidden since, the kernel is asked by connecting sockets from now on.
    private func replacement() throws(NetlinkError) -> RouteClient {
        do throws(NetlinkError) {
            return try open()
        } catch {
            guard error.isRefusal else { throw error }
            tier.routesWereRefused()
            return try open()
        }
    }

    /// Reads the values of new sockets again if they are old. If they have changed, no kept answer is used any more.
    package func refreshSocketDefaults(at now: BootTime) {
        if socketDefaults.refresh(at: now) { freshness?.advance() }
    }

    // MARK: Answers

    /// The flags in a cell, if they are proved to be the kernel's present answer.
    @inline(__always)
    package func provedFlags(in cell: borrowing AnswerCell, serial: UInt64 = 0) -> ReachabilityFlags? {
        guard let kept = cell.content, kept.serial == serial else { return nil }
        if let user = kept.user, user != Credentials.fileSystemUser { return nil }
        return freshness?.proved(kept)
    }

    /// Asks for the answer for a target, and keeps it.
    ///
    /// Called inside `undisturbed`, like everything that asking involves.
    package func verdict(
        on target: Target, keys: RoutingKeys, keptIn cell: borrowing AnswerCell
    ) throws(NetlinkError) -> Verdict {
        try best(of: CollectionOfOne(target), keys, cell, serial: 0)!
    }

    /// The same for the addresses of a name: the best answer, or the first of equally good ones. Nil if there are no targets.
    ///
    /// - Parameter serial: the serial number of the resolution that the addresses come from.
    package func verdict(
        on targets: [Target], keys: RoutingKeys, keptIn cell: borrowing AnswerCell, serial: UInt64
    ) throws(NetlinkError) -> Verdict? {
        try best(of: targets, keys, cell, serial: serial)
    }

    /// Compiled for each of its callers: if a function accepts any sequence, each call looks up the sequence's type.
    @inline(__always)
    private func best(
        of targets: some Sequence<Target>, _ keys: RoutingKeys, _ cell: borrowing AnswerCell, serial: UInt64
    ) throws(NetlinkError) -> Verdict? {
        guard let freshness, case .netlink = lookupMethod else {
            return try withRouteClient { (socket) throws(NetlinkError) in try targets.bestVerdict(socket, keys) }
        }
        let previous = cell.content
        let permit = try permission(freshness, after: previous)
        // The clock is read once per request.
        refreshSocketDefaults(at: permit?.askedAt ?? SystemTime().now())
        let best = try lend { (socket) throws(NetlinkError) in try targets.bestVerdict(socket, keys) }
        if let best, let permit, case .netlink = lookupMethod,
            let kept = freshness.keep(best, under: permit, serial: serial, after: previous)
        {
            cell.store(kept)
        }
        return best
    }

    /// Waits until the kernel has made a change that it has announced already (see `Freshness`), by asking for any link. That may
    /// take long, so the first socket, which knows the links, is left to other requests.
    func waitForChange() throws(NetlinkError) {
        _ = try lendFurther { (socket) throws(NetlinkError) in try socket.requester.link(.loopback) }
    }

    private func permission(_ freshness: Freshness, after kept: KeptAnswer?) throws(NetlinkError) -> Freshness.Permit? {
        do throws(NetlinkError) {
            return try freshness.begin(after: kept, settle: waitForChange)
        } catch {
            // Where this request is refused (Android), no answer can be kept.
            guard error.isRefusal else { throw error }
            return nil
        }
    }

    /// The best answer for some targets, or the first of equally good ones, which is not kept. Nil if there are no targets.
    package func verdict(on targets: [Target], keys: RoutingKeys) throws(NetlinkError) -> Verdict? {
        try withRouteClient { (socket) throws(NetlinkError) in try targets.bestVerdict(socket, keys) }
    }

    /// Looks up watched targets, many at a time, and passes each with its lookup. Does not check whether the values of new
    /// sockets have changed: the caller does that after it has notified its clients.
    func forEachLookup(
        of watches: [WatchedTarget], _ body: (WatchedTarget, TargetLookup) -> Void
    ) throws(NetlinkError) {
        try lend { (socket) throws(NetlinkError) in
            // Not all at once, because the memory for very many would stay with the process.
            for start in stride(from: 0, to: watches.count, by: NetlinkRequester.routesInDatagram) {
                let batch = watches[start..<min(start + NetlinkRequester.routesInDatagram, watches.count)]
                var lookups = batch.map { TargetLookup($0.target, keys: $0.keys) }
                try socket.answer(&lookups, ofCallingThread: false)
                for (watch, lookup) in zip(batch, lookups) { body(watch, lookup) }
            }
        }
    }
}

/// How the kernel is asked. This is found out by trying, and is the same for all sockets of one `KernelAccess`.
package final class LookupTier: Sendable {
    /// Nil if the kernel announces no changes.
    private let freshness: Freshness?
    private let connected: Atomic<Bool>

    init(_ freshness: Freshness?, isConnected: Bool) {
        self.freshness = freshness
        connected = Atomic(isConnected)
    }

    /// Routes are looked up by connecting sockets from now on, because requests for routes are refused. Connected sockets tell
    /// less, so answers that were kept before are not used any more.
    func routesWereRefused() {
        connected.store(true, ordering: .relaxed)
        freshness?.advance()
    }

    var isConnected: Bool { connected.load(ordering: .relaxed) }

    var method: LookupMethod {
        isConnected ? .udp : freshness != nil ? .netlink : .netlinkQuestions
    }
}

/// A way to ask the kernel for a route.
public enum LookupMethod: String, Hashable, Sendable {
    /// Route lookups over netlink.
    case netlink
    /// Route lookups over netlink, where the kernel announces no changes to this process. No answer is kept, and watched targets
    /// are evaluated again at an interval.
    case netlinkQuestions = "netlink-questions"
    /// Connecting a UDP socket, where netlink is forbidden. No packet is sent, as with the other methods.
    case udp
}

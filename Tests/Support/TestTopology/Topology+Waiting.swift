// SPDX-License-Identifier: Apache-2.0

import CTestTopology
package import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// Waits for the kernel by its announcements, never by a clock.
extension Topology {
    /// The limit. Far more than the kernel ever takes (it reports a carrier up to a second late, net/core/link_watch.c), also
    /// on a busy machine.
    package static let timeout: Duration = .seconds(60)

    /// Waits until the condition holds. Checks it after each announcement of the kernel, and once more 100 ms after the last one: the
    /// kernel announces a new IPv6 route before lookups find it (fib6_add_rt2node in net/ipv6/ip6_fib.c sets RTN_RTINFO last).
    ///
    /// - Parameter state: describes the present state, for the error after the time limit.
    package func waitUntil(
        _ description: String, timeout: Duration = Topology.timeout, state: () -> String = { "" },
        _ condition: () throws -> Bool
    ) throws {
        try run {
            let events = try EventWait()
            let deadline = ContinuousClock.now + timeout
            var isLastCheck = false
            while try !condition() {
                if try events.waitForNext(until: isLastCheck ? deadline : .now + .milliseconds(100)) {
                    isLastCheck = false
                } else if isLastCheck {
                    throw TopologyError.timedOut(waitingFor: description, last: state())
                } else {
                    isLastCheck = true
                }
            }
        }
    }

    /// Waits for a link of this name that meets the condition.
    @discardableResult
    package func waitForLink(
        _ name: String, timeout: Duration = Topology.timeout, _ condition: (LinkFacts) -> Bool
    ) throws -> LinkFacts {
        var last: LinkFacts?
        let requester = try run { try NetlinkRequester() }
        try waitUntil("a state of \(name)", timeout: timeout, state: { describe(last) }) {
            last = try CallingThread.link(name, requester)
            return last.map(condition) ?? false
        }
        guard let last else { throw TopologyError.system("find link \(name)", .noSuchDevice) }
        return last
    }

    /// Waits until a link has this operational state.
    @discardableResult
    package func waitForLink(_ name: String, _ state: LinkFacts.OperationalState) throws -> LinkFacts {
        try waitForLink(name) { $0.operationalState == state }
    }

    /// Waits until no link has this name, and its addresses and routes are gone.
    package func waitForNoLink(_ name: String) throws {
        try waitUntil("the end of \(name)") { try Interfaces.index(of: name) == nil }
        // A name ends before addresses and routes do (unregister_netdevice_many in net/core/dev.c), all under one lock. The
        // command waits for that lock. This matters if another process ends the link: a child that was being started may be
        // the last to close a tunnel's descriptor.
        try ip("link set lo up")
    }

    /// Waits until the kernel's answer about a destination meets the condition.
    @discardableResult
    package func waitForRoute(
        to destination: IPAddress, through interface: InterfaceIndex? = nil, _ condition: (RouteAnswer) -> Bool
    ) throws -> RouteAnswer {
        var last: RouteAnswer?
        let requester = try run { try NetlinkRequester() }
        try waitUntil("a route to \(destination)", state: { describe(last) }) {
            let answer = try requester.route(RouteQuery(destination: destination, interface: interface))
            last = answer
            return condition(answer)
        }
        guard let last else { throw NetlinkError.answersLost }
        return last
    }

    private func describe(_ value: (some Any)?) -> String {
        value.map { "\($0)" } ?? "nothing"
    }
}

/// A socket that receives all announcements. Made before the condition is first checked, so that no change is missed between a
/// check and the wait after it.
private struct EventWait: ~Copyable {
    private let socket: NetlinkSocket

    init() throws(Errno) {
        socket = try NetlinkSocket(groups: NotificationGroup.allCases.mask)
    }

    /// Returns false if nothing came until the deadline.
    func waitForNext(until deadline: ContinuousClock.Instant) throws(Errno) -> Bool {
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return false }
            switch topology_wait_readable(socket.rawDescriptor, left.wholeMilliseconds) {
            case 0: continue
            case 1...:
                try drain()
                return true
            default:
                let error = Errno.ofLastCall
                if error != .interrupted { throw error }
            }
        }
    }

    /// Empties the queue. While it is full, the kernel silently drops announcements.
    private func drain() throws(Errno) {
        let outcome: Result<Void, Errno> = unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { scrap in
            while true {
                do throws(Errno) {
                    _ = try unsafe socket.receive(into: scrap)
                } catch {
                    switch error {
                    case .wouldBlock: return .success(())
                    case .noBufferSpace: continue
                    default: return .failure(error)
                    }
                }
            }
        }
        try outcome.get()
    }
}

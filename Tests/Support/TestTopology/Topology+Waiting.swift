// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
package import NetworkFacts

@_implementationOnly import CTestTopology

/// Waiting for the kernel, told by its events, never by a clock.
extension Topology {
    /// Far more than the kernel ever takes (it reports a carrier up to a second late, net/core/link_watch.c), so that
    /// reaching it means that something is wrong, also on a machine that is busy with other things.
    package static let patience: Duration = .seconds(60)

    /// Waits until the condition holds, looking again after each of the kernel's announcements.
    ///
    /// - Parameter state: tells what is seen, for the error that says what was there when patience ended.
    package func waitUntil(
        _ description: String, patience: Duration = Topology.patience, state: () -> String = { "" },
        _ condition: () throws -> Bool
    ) throws {
        try run {
            let events = try EventWait()
            let deadline = ContinuousClock.now + patience
            while try !condition() {
                guard try events.waitForNext(until: deadline) else {
                    throw TopologyError.timedOut(waitingFor: description, last: state())
                }
            }
        }
    }

    /// Waits until there is a link of this name of which the condition holds.
    @discardableResult
    package func waitForLink(
        _ name: String, patience: Duration = Topology.patience, _ condition: (LinkFacts) -> Bool
    ) throws -> LinkFacts {
        var last: LinkFacts?
        let requester = try run { try NetlinkRequester() }
        try waitUntil("a state of \(name)", patience: patience, state: { describe(last) }) {
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

    /// Waits until no link has this name, and nothing is left that went with it.
    package func waitForNoLink(_ name: String) throws {
        try waitUntil("the end of \(name)") { Interfaces.index(of: name) == nil }
        // A name ends before addresses and routes do (unregister_netdevice_many in net/core/dev.c), all under one lock;
        // this waits for it. It counts where not our own call ends the link: a child that was being started meanwhile
        // may be the last to close a tunnel's descriptor.
        try ip("link set lo up")
    }

    /// Waits until the kernel's answer about a destination meets the condition.
    @discardableResult
    package func waitForRoute(
        to destination: IPAddress, patience: Duration = Topology.patience, _ condition: (RouteAnswer) -> Bool
    ) throws -> RouteAnswer {
        var last: RouteAnswer?
        let requester = try run { try NetlinkRequester() }
        try waitUntil("a route to \(destination)", patience: patience, state: { describe(last) }) {
            let answer = try requester.route(RouteQuery(destination: destination))
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

/// A socket on which everything is announced that a condition may depend on. Made before the first look, so that no
/// change falls between a look and the wait after it.
private struct EventWait: ~Copyable {
    private let socket: NetlinkSocket

    init() throws(Errno) {
        let socket = try NetlinkSocket()
        for group in NotificationGroup.allCases {
            do throws(Errno) {
                try socket.join(group: group.number)
            } catch {
                if !group.isOptional { throw error }
            }
        }
        self.socket = socket
    }

    /// False where nothing came until the deadline.
    func waitForNext(until deadline: ContinuousClock.Instant) throws(Errno) -> Bool {
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return false }
            let (seconds, attoseconds) = left.components
            let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
            switch topology_wait_readable(socket.rawDescriptor, milliseconds) {
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

    /// Leaves nothing queued: while anything is, the kernel may drop further announcements without a word.
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

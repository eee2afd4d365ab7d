// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// Waits for the kernel by its announcements, never for a fixed time.
extension Machine {
    /// The limit of every wait. It is far longer than the kernel ever takes, even on a busy machine (it reports a carrier up to a
    /// second late, net/core/link_watch.c).
    package static let timeout: Duration = .seconds(60)

    /// Waits until the result of `read` meets a condition. Reads after each announcement of the kernel, and once more 100 ms
    /// after the last one: the kernel announces a new IPv6 route before lookups find it (fib6_add_rt2node in net/ipv6/ip6_fib.c
    /// sets RTN_RTINFO last).
    @discardableResult
    package func wait<Value>(
        for description: String, timeout: Duration = Machine.timeout, _ read: () throws(MachineError) -> Value?,
        until holds: (Value) -> Bool
    ) throws(MachineError) -> Value {
        try run { () throws(MachineError) -> Value in
            let announcements = try Announcements()
            let deadline = ContinuousClock.now + timeout
            var isLastCheck = false
            while true {
                let value = try read()
                if let value, holds(value) { return value }
                if try announcements.waitForNext(until: isLastCheck ? deadline : .now + .milliseconds(100)) {
                    isLastCheck = false
                } else if isLastCheck {
                    throw .timedOut(waitingFor: description, last: value.map { "\($0)" } ?? "nothing")
                } else {
                    isLastCheck = true
                }
            }
        }
    }

    /// Waits for a link of this name that meets the condition.
    @discardableResult
    package func waitForLink(
        _ name: String, timeout: Duration = Machine.timeout, _ condition: (LinkFacts) -> Bool
    ) throws(MachineError) -> LinkFacts {
        let read = { () throws(MachineError) in try self.linkFacts(name) }
        return try wait(for: "a state of \(name)", timeout: timeout, read, until: condition)
    }

    /// Waits until a link has this operational state.
    @discardableResult
    package func waitForLink(
        _ name: String, _ state: LinkFacts.OperationalState
    ) throws(MachineError) -> LinkFacts {
        try waitForLink(name) { $0.operationalState == state }
    }

    /// Waits until no link has this name, and the link's addresses and routes have been removed.
    package func waitForNoLink(_ name: String) throws(MachineError) {
        try wait(for: "the end of \(name)") { () throws(MachineError) in
            try MachineError.attempt(to: "find \(name)") { () throws(Errno) in try Interfaces.index(of: name) == nil }
        } until: {
            $0
        }
        // The name disappears before the addresses and routes do (unregister_netdevice_many in net/core/dev.c), all under one
        // lock, for which this request waits. It matters if another process removes the link: a child that was being started may
        // be the last to close the descriptor of a tunnel.
        try change("lo") { .link($0, up: true) }
    }

    /// Waits until the kernel's answer about a destination meets the condition.
    @discardableResult
    package func waitForRoute(
        to destination: IPAddress, through interface: InterfaceIndex? = nil, _ condition: (RouteAnswer) -> Bool
    ) throws(MachineError) -> RouteAnswer {
        let query = RouteQuery(destination: destination, interface: interface)
        let read = { () throws(MachineError) in try self.route(query) }
        return try wait(for: "a route to \(destination)", read, until: condition)
    }

    /// Waits until the namespace owns addresses of a link with a carrier. For an IPv6 address a kernel worker does that, after
    /// the call that adds it has returned, also without duplicate address detection (addrconf_dad_work in
    /// net/ipv6/addrconf.c).
    package func waitForOwn(_ address: IPAddress) throws(MachineError) {
        try waitForRoute(to: address) { answer in
            if case .route(let route) = answer { route.kind == .local } else { false }
        }
    }
}

/// A socket that receives all announcements. It is made before the condition is first checked, so that no change is missed
/// between a check and the wait that follows.
struct Announcements: ~Copyable {
    private let socket: NetlinkSocket

    init() throws(MachineError) {
        socket = try MachineError.attempt(to: "listen to the kernel's announcements") { () throws(Errno) in
            try NetlinkSocket(groups: NotificationGroup.allCases.mask)
        }
    }

    /// Represents the types of the messages for which the queue had no room. No real message has this type.
    private static let lost: UInt16 = 0

    /// Waits until the kernel has announced something with a message of this type.
    func waitForOne(of type: UInt16, _ purpose: String) throws(MachineError) {
        let deadline = ContinuousClock.now + Machine.timeout
        var isThere = false
        while !isThere {
            guard try waitForNext(until: deadline, { if $0 == type || $0 == Self.lost { isThere = true } }) else {
                throw .timedOut(waitingFor: "the announcement after the request to \(purpose)", last: "")
            }
        }
    }

    /// Returns false if nothing was received before the deadline.
    ///
    /// - Parameter body: called with the type of each message.
    func waitForNext(
        until deadline: ContinuousClock.Instant, _ body: (UInt16) -> Void = { _ in }
    ) throws(MachineError) -> Bool {
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return false }
            switch waitReadable(socket.rawDescriptor, left) {
            case 0: continue
            case 1...:
                try drain(body)
                return true
            default: if Errno.current != .interrupted { throw .last("listen to the kernel's announcements") }
            }
        }
    }

    /// Empties the queue. While it is full, the kernel silently drops announcements.
    private func drain(_ body: (UInt16) -> Void) throws(MachineError) {
        let outcome: Result<Void, Errno> = unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { start in
            while true {
                do throws(Errno) {
                    _ = try unsafe socket.receive(into: start)
                    // nlmsg_type of struct nlmsghdr.
                    body(unsafe start.load(fromByteOffset: 4, as: UInt16.self))
                } catch {
                    switch error {
                    case .wouldBlock: return .success(())
                    case .noBufferSpace: body(Self.lost)
                    default: return .failure(error)
                    }
                }
            }
        }
        try MachineError.attempt(to: "listen to the kernel's announcements") { () throws(Errno) in try outcome.get() }
    }
}

/// poll(2) for input. Returns 1 if there is some, 0 when the limit has passed, and -1 after an error.
func waitReadable(_ descriptor: Int32, _ limit: Duration?) -> Int32 {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wanted, 1, limit?.wholeMilliseconds ?? -1)
}

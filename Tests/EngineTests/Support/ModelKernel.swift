// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestTopology

@testable import ReachabilityNetlink
@testable import ReachabilityRoutes

/// The routes, rules and links of a kernel of our own making. A value: each answer follows from it alone.
struct ModelNetwork {
    /// Where a route leads: over a link, or nowhere. EFBIG says nothing about reachability.
    enum Way: Hashable { case over(UInt32), refused(Errno) }

    /// The numbers are those of RFC 2863's states. A link that is disabled lacks a flag, too.
    enum Link: UInt8 { case disabled = 0, broken = 2, up = 6 }

    enum Change {
        /// Without a way it is deleted. Its lifetime is in hundredths of a second.
        case route(Prefix, Way?, lifetime: Int? = nil)
        case link(UInt32, Link)
        /// Prohibits IPv4 addresses with the mark and the source that the kernel chooses.
        case rule(isThere: Bool)
        /// Routes that concern nobody.
        case others(Int)

        /// Whether it is made under the lock for which a request for a link waits.
        var isUnderLock: Bool { if case .route(let prefix, _, _) = self { prefix.base.family == .v4 } else { true } }

        /// Whether kernels announce it before all of it is made, and not after.
        var comesLate: Bool {
            switch self {
            case .route(_, let way, _): isUnderLock == (way == nil)
            case .link(_, let state): state == .disabled
            case .rule, .others: false
            }
        }
    }

    /// What clients watch.
    struct Subject {
        let target: Target
        var keys = RoutingKeys()
        var isPath = false
        /// The targets that have one answer with this, as the addresses of a name.
        var others: [Target] = []
        static let all =
            ["192.0.2.1", "198.51.100.9", "2001:db8::7"].map { Subject(target: .address(IPAddress(text: $0))) } + [
                Subject(target: .address(IPAddress(text: "192.0.2.1")), keys: RoutingKeys(mark: mark)),
                Subject(target: .defaultPath), Subject(target: .defaultPath, isPath: true),
                Subject(
                    target: .address(IPAddress(text: "198.51.100.9")),
                    others: ["192.0.2.1", "2001:db8::7"].map { .address(IPAddress(text: $0)) }),
            ]
    }

    static let mark: UInt32 = 7
    private(set) var routes: [Prefix: (way: Way, end: BootTime)] = [:]
    /// The first is the loopback interface.
    private(set) var links: [UInt32: Link] = [1: .up, 2: .up, 3: .up]
    private(set) var hasRule = false

    /// - Parameter isWhole: a link that is disabled is so before its routes go.
    mutating func make(_ change: Change, at now: BootTime, isWhole: Bool = true) {
        switch change {
        case .route(_, .over(let link), _) where links[link] == .disabled: break
        case .route(let prefix, let way, let ticks):
            routes[prefix] = way.map { ($0, ticks.map { now.advanced(by: .milliseconds(10 * $0)) } ?? .distantFuture) }
        case .link(let link, let state):
            links[link] = state
            if state == .disabled, isWhole { routes = routes.filter { $1.way != .over(link) } }
        case .rule(let isThere): hasRule = isThere
        case .others: break
        }
    }

    func route(to address: IPAddress, mark: UInt32?, at now: BootTime) -> (way: Way, end: BootTime) {
        let found = routes.filter { $0.contains(address) && $1.end > now }.max { $0.key.length < $1.key.length }?.value
        let isRuled = hasRule && mark == Self.mark && address.family == .v4
        if isRuled, case .over = found?.way { return (.refused(.permissionDenied), .distantFuture) }
        return found ?? (.refused(.networkUnreachable), .distantFuture)
    }

    /// What clients should be told: one observation, or one for each family of the path; nil if the kernel refuses to answer.
    typealias Answer = [Observation]?

    func answer(about subject: Subject, at now: BootTime) -> Answer {
        if case .address(let address) = subject.target {
            let first = observation(of: address, subject.keys.mark, now)
            guard !subject.others.isEmpty else { return first.map { [$0] } }
            let all = [first.map { [$0] }] + subject.others.map { answer(about: Subject(target: $0), at: now) }
            return all.first { $0?[0].flags == .reachable } ?? (all.contains { $0 == nil } ? nil : all[0])
        }
        guard let ipv4 = observation(of: IPAddress.behindDefault(.v4), nil, now) else { return nil }
        if !subject.isPath, ipv4.flags == .reachable { return [ipv4] }
        guard let ipv6 = observation(of: IPAddress.behindDefault(.v6), nil, now) else { return nil }
        return subject.isPath ? [ipv4, ipv6] : [ipv6.flags == .reachable ? ipv6 : ipv4]
    }

    private func observation(of address: IPAddress, _ mark: UInt32?, _ now: BootTime) -> Observation? {
        switch route(to: address, mark: mark, at: now).way {
        case .over(let link) where links[link] == .up: Observation(flags: .reachable, interface: InterfaceIndex(link))
        case .refused(.fileTooLarge): nil
        case .over, .refused: Observation(flags: [])
        }
    }
}

/// A kernel of our own making: it answers requests from a ``ModelNetwork``, and announces changes when and as often as a test says.
/// The numbers are those of linux/rtnetlink.h and the headers beside it.
final class ModelKernel: @unchecked Sendable {  // used on one thread
    /// Only announcements fail; requests do, too, and IPv6 routes are announced before they are made; or nothing is announced.
    enum Mode { case exact, faulty, untold }
    enum Fault { case refusedSend, lostAnswer, interruptedDump, refusedFeed }

    /// How a change is made and announced.
    enum Manner {
        case after
        /// So many microseconds before it is made or waited for, where kernels do that, and otherwise after; or before and after.
        case before(Int), twice(Int)
        /// Never, as the queues are full.
        case lost
        /// To the engine in so many bytes that are no message, or more than are read; or not, as its socket is broken.
        case damaged(length: Int), unread
        /// After it is made, while the kernel is asked, after so many requests, and perhaps another with it.
        case between(Int, then: ModelNetwork.Change? = nil)
    }

    let mode: Mode
    let time = ManualTime()
    private(set) var network = ModelNetwork() { didSet { changed() } }
    private var underWay: (change: ModelNetwork.Change, manner: Manner, due: BootTime)?
    var later: (requests: Int, changes: [ModelNetwork.Change])?
    /// The kernel tells one socket after the other, and the engine may ask meanwhile. When a change is made, all have heard of it.
    private var unheard: [() -> Void] = []
    var changed: () -> Void = {}
    /// How many announcements the engine's queue has room for.
    var announcementRoom = 200
    var faults: [Fault] = []
    private(set) var requests = 0
    private var opened: [() -> Socket?] = []

    init(_ mode: Mode) { self.mode = mode }

    var sockets: KernelSockets {
        var sockets = KernelSockets()
        sockets.requester = { NetlinkRequester(transport: self.open(.questions)) }
        sockets.announcements = { (queueBytes) throws(Errno) in
            if queueBytes > 1, self.happens(.refusedFeed) { throw .outOfMemory }
            return self.open(queueBytes > 1 ? .feed : .sentinel)
        }
        return sockets
    }

    private func open(_ kind: Kind) -> Socket {
        let socket = Socket(kind, self)
        opened.append { [weak socket] in socket }
        return socket
    }

    private var live: [Socket] { opened.compactMap { $0() } }
    var hasSockets: Bool { !live.isEmpty }

    fileprivate func happens(_ fault: Fault) -> Bool {
        let place = faults.firstIndex(of: fault)
        if let place { faults.remove(at: place) }
        return place != nil
    }

    func begin(_ change: ModelNetwork.Change, _ manner: Manner) {
        finish()
        switch manner {
        case .before(let delay) where change.comesLate && (mode == .faulty || change.isUnderLock), .twice(let delay):
            if case .link = change { network.make(change, at: time.now(), isWhole: false) }
            announce(change)
            underWay = (change, manner, time.now().advanced(by: .microseconds(delay)))
        case .between(let requests, let next): later = (requests, [change] + (next.map { [$0] } ?? []))
        case .lost:
            network.make(change, at: time.now())
            for socket in live where mode != .untold { socket.fail(.noBufferSpace) }
        case .damaged(let length):
            network.make(change, at: time.now())
            announce(change, damaged: [UInt8](repeating: 7, count: length))
        case .after, .before, .unread:
            if case .unread = manner { live.last { $0.kind == .feed }?.fail(.connectionReset) }
            network.make(change, at: time.now())
            announce(change)
        }
    }

    /// Makes the change that is under way, if it is due by now.
    func finish(by now: BootTime = .distantFuture) {
        hearAll()
        guard let ended = underWay, ended.due <= now else { return }
        underWay = nil
        network.make(ended.change, at: time.now())
        if case .twice = ended.manner { announce(ended.change) }
    }

    private func announce(_ change: ModelNetwork.Change, damaged: [UInt8]? = nil) {
        let messages: [([UInt8], Prefix?)] =
            switch change {
            case .route(let prefix, let way, _): [(.route(prefix, deleted: way == nil), prefix)]
            case .link(let link, let state): [(Self.link(link, state), nil)]
            case .rule(let isThere): [(Self.rule(type: isThere ? 32 : 33), nil)]
            case .others(let count): (0..<count).map { Prefix(text: "100.64.\($0).0/24") }.map { (.route($0), $0) }
            }
        for socket in live where mode != .untold {
            for (bytes, route) in messages where socket.kind == .feed { socket.hear(damaged ?? bytes, about: route) }
            if socket.kind != .feed {
                unheard += messages.map { (bytes, route) in { socket.hear(bytes, about: route) } }
            }
        }
    }

    func hearAll() {
        for hear in unheard { hear() }
        unheard = []
    }

    private static func link(_ number: UInt32, _ state: ModelNetwork.Link) -> [UInt8] {
        let header = [0, 0, 1, 0] + number.bytes + [state == .disabled ? 0 : 1, 0, 0, 0, 0, 0, 0, 0]
        return .message(
            type: 16, flags: 2, header + .attribute(3, [101, 48 + UInt8(number), 0]) + .attribute(16, [state.rawValue]))
    }

    private static func rule(type: Int) -> [UInt8] {
        .message(
            type: type, flags: 2,
            [2, 0, 32, 0, 100, 0, 0, 1, 0, 0, 0, 0] + .attribute(2, IPAddress.behindDefault(.v4).bytes)
                + .attribute(10, ModelNetwork.mark.bytes))
    }

    private func answers(to asked: MessageHeader, _ payload: RawSpan) throws(WireError) -> [[UInt8]] {
        requests += 1
        if let next = later {
            later = next.requests > 0 ? (next.requests - 1, next.changes) : nil
            if later == nil { for change in next.changes { begin(change, .after) } }
            if later == nil { hearAll() }
        }
        let isIPv4 = try payload.load(UInt8.self, at: 0) == 2
        var parts: [[UInt8]] = []
        switch (asked.type, isDump: asked.flags & 0x300 == 0x300) {
        case (18, isDump: false):
            if underWay?.change.isUnderLock == true { finish() }
            if underWay == nil { hearAll() }
            let number: UInt32 = try payload.load(at: 4)
            return [network.links[number].map { Self.link(number, $0) } ?? .refusal(.noSuchDevice)]
        case (_, isDump: false): return [try route(payload, isIPv4 ? .v4 : .v6)]
        case (18, _): parts = network.links.map { Self.link($0, $1) }
        case (34, _): parts = network.hasRule && isIPv4 ? [Self.rule(type: 32)] : []
        default: break
        }
        // An interrupted dump lacks something, and says so.
        let isWhole = !happens(.interruptedDump)
        return (isWhole ? parts : []) + [.message(type: 3, flags: isWhole ? 2 : 0x12, [0, 0, 0, 0])]
    }

    private func route(_ payload: RawSpan, _ family: AddressFamily) throws(WireError) -> [UInt8] {
        var (destination, mark, hasSource): (IPAddress, UInt32?, Bool) = (.behindDefault(family), nil, false)
        try WireReader.forEachAttribute(in: payload, from: 12) { (type, value) throws(WireError) in
            if type == 1 { destination = try value.address(of: family) }
            if type == 2 { hasSource = true }
            if type == 16 { mark = try value.load(at: 0) }
        }
        let (way, end) = network.route(to: destination, mark: hasSource ? mark : nil, at: time.now())
        switch way {
        case .refused(let error): return .refusal(error)
        case .over(let link):
            let ticks = end == .distantFuture ? 0 : UInt32(end.duration(since: time.now()) / .milliseconds(10))
            // Any addresses will do for the gateway and the source.
            let address = IPAddress.behindDefault(family).bytes
            let cache = [0, 0, ticks, 0, 0, 0, 0, 0].flatMap(\.bytes)
            let hop = [UInt8].attribute(4, link.bytes) + .attribute(5, address) + .attribute(7, address)
            let header = [family.linuxValue, family.bitCount, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0]
            return .message(type: 24, flags: 2, header + hop + .attribute(12, cache))
        }
    }

    /// Of the engine, of the proof of kept answers, and of questions. The numbers are the messages that a queue holds.
    private enum Kind { case feed, sentinel, questions }

    private final class Socket: AnnouncementTransport, NetlinkTransport, @unchecked Sendable {  // used on one thread
        let kind: Kind
        private let kernel: ModelKernel
        private let readiness = try! EventDescriptor()
        private var queue: [Result<[UInt8], Errno>] = []
        /// Until it was found empty, the kernel drops what comes (netlink_overrun in net/netlink/af_netlink.c).
        private var isDropping = false
        private var filter: [IPAddress]?

        let port: UInt32 = 4242

        init(_ kind: Kind, _ kernel: ModelKernel) { (self.kind, self.kernel) = (kind, kernel) }

        var rawDescriptor: Int32 { readiness.rawDescriptor }
        var isTold: Bool { kernel.mode != .untold }
        func pass(only addresses: [IPAddress]?) { filter = addresses }

        func hear(_ message: [UInt8], about route: Prefix? = nil) {
            if kind == .questions, route != nil { return }
            if let filter, let route, route.length > 0, !filter.contains(where: route.contains) { return }
            let room =
                switch kind {
                case .feed: kernel.announcementRoom
                case .sentinel: 1
                case .questions: 50
                }
            guard queue.count < room else { return fail(.noBufferSpace) }
            guard !isDropping else { return }
            queue.append(.success(message))
            readiness.signal()
        }

        func fail(_ error: Errno) {
            guard !isDropping else { return }
            isDropping = true
            queue.insert(.failure(error), at: 0)
            readiness.signal()
        }

        private func next() throws(Errno) -> [UInt8] {
            if !queue.isEmpty { return try queue.removeFirst().get() }
            isDropping = false
            readiness.drain()
            throw .wouldBlock
        }

        func receive(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> (length: Int, sender: UInt32) {
            let message = try next()
            unsafe buffer.copyBytes(from: message.prefix(buffer.count))
            return (message.count, 0)
        }

        func receive(into buffer: ReceiveBuffer, slots: Int) throws(Errno) -> Int {
            let message = try next()
            buffer.fill(0, of: slots, with: message, length: message.count)
            return 1
        }

        func send(_ datagram: RawSpan) throws(Errno) {
            if kernel.happens(.refusedSend) { throw .noBufferSpace }
            if kernel.happens(.lostAnswer) { fail(.noBufferSpace) }
            try? WireReader.forEachMessage(in: datagram) { (header, payload) throws(WireError) in
                for answer in try kernel.answers(to: header, payload) { hear(answer.stamped(header.sequence, port)) }
            }
        }
    }
}

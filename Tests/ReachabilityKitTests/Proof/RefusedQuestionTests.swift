// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// A socket to the kernel for which some requests are refused, as a security module or a stand-in for Linux refuses them. A filter
/// of system calls cannot, as it does not see the contents of a datagram.
private final class RefusingTransport: NetlinkTransport {
    enum Refusal {
        /// send(2) fails (selinux_netlink_send).
        case inSending(Errno)
        /// The answer is an error (gVisor).
        case inAnswer(Errno)
        /// A dump ends with the word that its subject has changed meanwhile (NLM_F_DUMP_INTR).
        case byInterruption
        /// The answer is a route of IPv4 by a link and a gateway, and says no source (gVisor).
        case byRouteWithoutSource(UInt32, IPv4Address)
    }

    private let kernel: NetlinkSocket
    private let refused: [UInt16: Refusal]
    let isTold: Bool
    var port: UInt32 { kernel.port }
    private var answers: [[UInt8]] = []

    init(_ refused: [UInt16: Refusal], hears: Bool = true) throws(Errno) {
        kernel = try NetlinkSocket(hearing: hears ? [.link, .ipv4Rule, .ipv6Rule] : [])
        isTold = hears
        self.refused = refused
    }

    func send(_ datagram: RawSpan) throws(Errno) {
        var headers: [MessageHeader] = []
        try? WireReader.forEachMessage(in: datagram) { (header, _) throws(WireError) in headers.append(header) }
        switch headers.first.flatMap({ refused[$0.type] }) {
        case nil: try kernel.send(datagram)
        case .inSending(let error): throw error
        case .inAnswer(let error):
            answers += headers.map { request in
                // struct nlmsghdr and struct nlmsgerr, of type NLMSG_ERROR
                let words = [36, 2, request.sequence, port, UInt32(bitPattern: -error.rawValue), 0, 0, 0, 0]
                return Self.bytes(words)
            }
        case .byInterruption:
            // struct nlmsghdr and a status, of type NLMSG_DONE, with NLM_F_MULTI and NLM_F_DUMP_INTR
            answers += headers.map { request in Self.bytes([20, 0x12 << 16 | 3, request.sequence, port, 0]) }
        case .byRouteWithoutSource(let link, let gateway):
            answers += headers.map { request in
                // struct nlmsghdr of type RTM_NEWROUTE, struct rtmsg of a unicast route in the main table, RTA_OIF, RTA_GATEWAY
                Self.bytes([
                    44, 24, request.sequence, port, 2, 1 << 24 | 254, 0, 4 << 16 | 8, link, 5 << 16 | 8,
                    gateway.rawValue.byteSwapped,
                ])
            }
        }
    }

    private static func bytes(_ words: [UInt32]) -> [UInt8] {
        words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    }

    func receive(into buffer: ReceiveBuffer, slots: Int) throws(Errno) -> Int {
        guard !answers.isEmpty else { return try kernel.receive(into: buffer, slots: slots) }
        let answer = answers.removeFirst()
        buffer.fill(0, of: slots, with: answer, length: answer.count)
        return 1
    }
}

@Suite("What the kernel refuses to tell", .timeLimit(.minutes(10)), .needs(.namespaces))
struct RefusedQuestionTests {
    private static let (getLink, getRoute, getRule): (UInt16, UInt16, UInt16) = (18, 26, 34)
    private let topology: Machine

    init() throws {
        topology = try Machine()
        try topology.wire("eth0", address: "10.0.0.1/24", "2001:db8::1/64")
        try topology.ip("route add default via 10.0.0.254")
    }

    private func socket(_ refused: [UInt16: RefusingTransport.Refusal], hears: Bool = true) throws -> RouteClient {
        try topology.run {
            let transport = try RefusingTransport(refused, hears: hears)
            return try RouteClient(
                NetlinkRequester(transport: transport), DeviceTypes(), SocketDefaults(in: nil),
                tier: LookupTier(
                    transport.isTold ? Freshness(NetlinkSocket(announcementQueueBytes: 1)) : nil, isConnected: false))
        }
    }

    private func reason(_ text: String, _ socket: RouteClient) throws -> Reason {
        try topology.run {
            try socket.verdict(on: .address(IPAddress(text: text)), keys: RoutingKeys()).reason
        }
    }

    @Test func `about links is found out without netlink`() throws {
        let socket = try socket([Self.getLink: .inSending(.permissionDenied)])
        #expect(try reason("192.0.2.1", socket) == .throughGateway)
        #expect(try reason("10.0.0.7", socket) == .onLink)
        try topology.ip("link set eth0-peer down")
        try topology.waitForLink("eth0", .lowerLayerDown)
        #expect(try reason("10.0.0.7", socket) == .linkBroken(.down))
        let name = try topology.run { try socket.index(of: #require(InterfaceName("eth0"))) }
        #expect(try name == topology.index(of: "eth0"))
    }

    @Test func `about the source of a route is found out by connecting`() throws {
        let gateway = IPv4Address(rawValue: 0x0A00_00FE)
        let link = try topology.index(of: "eth0").rawValue
        let socket = try socket([Self.getRoute: .byRouteWithoutSource(link, gateway)])
        #expect(try reason("192.0.2.1", socket) == .throughGateway)
        try topology.ip("address del 10.0.0.1/24 dev eth0")
        #expect(try reason("192.0.2.1", socket) == .noSourceAddress)
    }

    @Test(arguments: ["192.0.2.1", "2001:db8::7"], [true, false])
    func `about routes is found out by connecting`(target: String, isSent: Bool) throws {
        let socket = try socket([
            Self.getRoute: isSent ? .inAnswer(.notSupported) : .inSending(.permissionDenied),
            Self.getLink: .inAnswer(.notSupported),
        ])
        #expect(try reason(target, socket) == .connectable)
        #expect(try reason("10.0.0.1", socket) == .thisMachine)
        try topology.ip("route replace prohibit 192.0.2.1")
        #expect(try reason("192.0.2.1", socket) == .refused(.prohibited))
    }

    @Test(arguments: [false, true])
    func `about rules, or that change faster than they can be read, count as rules that name everything`(
        isInterrupted: Bool
    ) throws {
        try topology.ip(
            """
            route add table 7 unreachable default
            rule add from 10.0.0.1 to 192.0.2.0/24 lookup 7
            rule add priority 200 lookup local
            rule add priority 100 ipproto udp to 10.0.0.255 lookup 7
            rule del priority 0
            """)
        let socket = try socket([Self.getRule: isInterrupted ? .byInterruption : .inAnswer(.notPermitted)])
        #expect(try reason("192.0.2.1", socket) == .refused(.unreachable))
        #expect(try reason("10.0.0.255", socket) == .refused(.unreachable))
        #expect(try reason("198.51.100.1", socket) == .throughGateway)
    }

    /// A target that is refused is not asked about again before something changes.
    @Test func `for lack of memory is not told of one target`() throws {
        let socket = try socket([Self.getRoute: .inAnswer(.outOfMemory)])
        var lookups = [TargetLookup(.address(IPAddress(text: "192.0.2.1")), keys: RoutingKeys())]
        #expect(throws: NetlinkError.self) { try socket.answer(&lookups) }
    }

    /// What has refused was a connected socket: it has tried every source.
    @Test func `about an IPv6 address without a route takes one socket to connect`() async {
        await #expect(processExitsWith: .success) {
            let socket = try RouteClient(nil, DeviceTypes(), SocketDefaults(in: nil))
            func reason() throws -> Reason {
                try socket.verdict(on: .address(IPAddress(text: "2001:db8::1")), keys: RoutingKeys()).reason
            }
            let first = try reason()
            // The second socket from here on cannot be made.
            FaultInjection.fail(.socket, with: .tooManyOpenFiles, skipping: 1)
            try #require(try reason() == first)
            _ = try #require(throws: NetlinkError.self) { try reason() }
        }
    }

    /// The kernel takes almost any bytes in a name. Those of the first could be read as an escape for the second.
    @Test(arguments: ["10.0.9.7", "2001:db8:9::7"])
    func `about a link with an odd name is not found out of another`(target: String) throws {
        try topology.ip(
            #"""
            link add e\x41 type veth peer name odd-peer
            link add eA type bridge
            address add 10.0.9.1/24 dev e\x41
            address add 2001:db8:9::1/64 dev e\x41 nodad
            link set odd-peer up
            link set e\x41 up
            """#)
        try topology.waitForLink(#"e\x5cx41"#, .up)
        try topology.waitForOwn(["2001:db8:9::1/64"])
        let socket = try socket([Self.getRoute: .inAnswer(.notSupported), Self.getLink: .inAnswer(.notSupported)])
        #expect(try reason(target, socket) == .connectable)
    }

    /// The link of a source address is looked for among all addresses, of which those of lo come first.
    @Test func `about links is found out beside more than a thousand addresses`() throws {
        try topology.ip(
            (0..<1_100).map { "address add 10.7.\($0 / 250).\($0 % 250)/32 dev lo" }.joined(separator: "\n"))
        try topology.ip("link set eth0-peer down")
        try topology.waitForLink("eth0", .lowerLayerDown)
        let socket = try socket([Self.getRoute: .inAnswer(.notSupported), Self.getLink: .inAnswer(.notSupported)])
        #expect(try reason("192.0.2.1", socket) == .linkBroken(.down))
    }

    @Test func `about changes is not taken for silence`() throws {
        let socket = try socket([:], hears: false)
        #expect(try reason("10.0.0.7", socket) == .onLink)
        try topology.ip("link set eth0-peer down")
        try topology.waitForLink("eth0", .lowerLayerDown)
        #expect(try reason("10.0.0.7", socket) == .linkBroken(.lowerLayerDown))
        try topology.ip("link set eth0-peer up")
        try topology.waitForLink("eth0", .up)
        try topology.ip("rule add from 10.0.0.1 to 192.0.2.0/24 unreachable")
        #expect(try reason("192.0.2.1", socket) == .refused(.noRoute))
    }
}

@Suite("A further socket that is refused", .timeLimit(.minutes(10)), .needs(.namespaces))
struct RefusedSocketTests {
    /// One whose every further socket is refused.
    private static func kernel(
        in topology: Machine, refused: @escaping @Sendable () -> Void
    ) throws -> KernelAccess {
        try topology.run {
            let defaults = try SocketDefaults(in: nil)
            return try KernelAccess(deviceTypes: DeviceTypes(), socketDefaults: { () throws(Errno) in defaults }) {
                () throws(NetlinkError) in
                refused()
                throw .system(.open, .notPermitted)
            }
        }
    }

    /// The program has forbidden itself netlink since it first asked.
    @Test func `is waited for the first instead, so that answers do not depend on how many threads ask`() throws {
        let topology = try Machine.wired()
        let (isRefused, isHeld) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let kernel = try Self.kernel(in: topology) { isRefused.signal() }
        let holder = try TestThread("holder") {
            try kernel.withRouteClient { (_) throws(NetlinkError) in
                isHeld.signal()
                try? isRefused.wait(for: "the second question")
            }
        }
        try isHeld.wait(for: "the first socket to be taken")
        let target = Target.address(IPAddress(text: "10.0.0.7"))
        let verdict = try topology.run { try kernel.verdict(on: [target], keys: RoutingKeys()) }
        try holder.join()
        // A connected socket would not tell that it is direct.
        #expect(verdict?.flags == [.reachable, .isDirect])
        #expect(kernel.lookupMethod == .netlink)
    }

    /// The number of sockets that were opened is what a program sees of it.
    @Test func `is opened anew by each of more threads than sockets are kept`() throws {
        let opened = Counter()
        let kernel = try Machine.wired().run {
            let defaults = try SocketDefaults(in: nil)
            return try KernelAccess(deviceTypes: DeviceTypes(), socketDefaults: { () throws(Errno) in defaults }) {
                () throws(NetlinkError) in
                opened.increment()
                return try NetlinkRequester()
            }
        }
        let more = 3
        for round in 1...2 {
            try kernel.lendRouteClients(1 + KernelAccess.idleLimit + more)
            #expect(opened.value == KernelAccess.idleLimit + round * more)
        }
    }

    /// What one socket has found out holds for those that are open already.
    @Test func `over one of several sockets has the others connected too`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.wired()
            let namespace = NamespaceRegistry.current.namespace(of: topology.namespace)
            let kernel = try namespace.kernel()
            /// What the first socket says, and then the second one while the first is in use.
            func flags() throws -> [ReachabilityFlags?] {
                let target = Target.address(IPAddress(text: "10.0.0.7"))
                return try kernel.withRouteClient { (first) throws(NetlinkError) in
                    let flags = try first.verdict(on: target, keys: RoutingKeys()).flags
                    let second = ReceivedValues<ReachabilityFlags?>()
                    try? TestThread("second") {
                        second.record(try kernel.verdict(on: [target], keys: RoutingKeys())?.flags)
                    }.join()
                    return [flags, second.all.first ?? nil]
                }
            }
            try #require(try flags() == [.direct, .direct])
            FaultInjection.fail(.send, with: .permissionDenied)
            try #require(try flags() == [.reachable, .reachable])
            try #require(kernel.lookupMethod == .udp)
        }
    }

    /// It tells less than netlink did, and nothing is announced to it.
    @Test func `leaves no answer that another way of asking has given`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.wired()
            let (first, second) = try topology.run {
                (try ReachabilityRef(address: "10.0.0.7"), try ReachabilityRef(address: "10.0.0.8"))
            }
            try WaitLimit.wait(for: "an answer to be kept") {
                try first.getFlags() == .direct && first.keptFlags == .direct
            }
            FaultInjection.fail(.send, with: .permissionDenied, times: .max)
            for _ in 0..<3 {
                try #require(try second.getFlags() == .reachable)
                try #require(second.keptFlags == nil)
            }
            // Both are asked in the same way.
            try #require(try first.getFlags() == .reachable)
        }
    }

    /// The program has also closed the descriptors.
    @Test func `and replaces one that is lost has all of them connected`() throws {
        let topology = try Machine.wired()
        let kernel = try Self.kernel(in: topology) {}
        let (target, keys) = (Target.address(IPAddress(text: "10.0.0.8")), RoutingKeys())
        let cell = AnswerCell()
        try WaitLimit.wait(for: "an answer to be kept") {
            try kernel.verdict(on: target, keys: keys, keptIn: cell).flags == .direct
                && kernel.provedFlags(in: cell) == .direct
        }
        let flags = try topology.run {
            var isLost = true
            return try kernel.withRouteClient { (socket) throws(NetlinkError) in
                defer { isLost = false }
                if isLost { throw .system(.send, .badDescriptor) }
                return try socket.verdict(on: .address(IPAddress(text: "10.0.0.7")), keys: RoutingKeys()).flags
            }
        }
        #expect(flags == .reachable)
        #expect(kernel.lookupMethod == .udp)
        // What was kept says more than any socket can now.
        #expect(kernel.provedFlags(in: cell) == nil)
    }
}

@Suite("Groups that are refused", .timeLimit(.minutes(10)), .needs(.namespaces))
struct RefusedGroupTests {
    private static func isTold(_ error: Errno, times: Int = 1) throws -> Bool {
        try Machine().run { () throws(Errno) in
            FaultInjection.fail(.bind, with: error, times: times)
            defer { FaultInjection.reset() }
            return try NetlinkSocket(groups: NotificationGroup.allCases.mask).isTold
        }
    }

    @Test func `are all missed, and other errors are thrown`() async {
        await #expect(processExitsWith: .success) {
            try #require(try Self.isTold(.notPermitted, times: 0))
            try #require(try !Self.isTold(.notPermitted))
            try #require(try !Self.isTold(.permissionDenied, times: 2))
            _ = try #require(throws: Errno.outOfMemory) { try Self.isTold(.outOfMemory) }
        }
    }

    @Test func `leave nothing that proves an answer, and the answer as it is`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.wired()
            FaultInjection.fail(.bind, with: .notPermitted)
            let reference = try topology.run { try ReachabilityRef(address: "10.0.0.7") }
            FaultInjection.reset()
            let kernel = try reference.namespace.kernel()
            try #require(kernel.freshness == nil)
            try #require(kernel.lookupMethod == .netlinkQuestions)
            for _ in 0..<3 { try #require(try reference.getFlags() == [.reachable, .isDirect]) }
            try topology.ip("route add prohibit 10.0.0.7")
            try #require(try reference.getFlags() == [])
        }
    }
}

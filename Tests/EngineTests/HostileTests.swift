// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Dispatch
import Glibc
import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// What other processes do to this one and to its network.
@Suite("With hostile processes on the machine", .timeLimit(.minutes(10)), .needs(.namespaces))
struct HostileTests {
    /// The ports of all netlink sockets of the namespace but the kernel's own (netlink(7)).
    private static func ports(in topology: Machine) throws -> [UInt32] {
        let text = try topology.run { try Files.contents(of: "/proc/thread-self/net/netlink") }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").dropFirst().compactMap { line in
            let columns = line.split(separator: " ")
            // sk, Eth (the protocol, 0 is NETLINK_ROUTE), Pid
            guard columns.count > 2, columns[1] == "0", let port = UInt32(columns[2]), port != 0 else { return nil }
            return port
        }
    }

    @Test func `forged announcements and answers reach no one, however many they are`() throws {
        let network = try WatchedNetwork("10.0.0.1/24", "route add default via 10.0.0.254")
        let reference = try network.watch("192.0.2.1")
        try network.settle()
        // Takes what is still queued from the beginning.
        _ = try reference.getFlags()
        // What the kernel would send if the route were gone. To the sockets that ask, these are answers without a question.
        let forgeries = [
            ReachabilityTestMachines.Change.route(.delete, "0.0.0.0/0"),
            .route(.add, "192.0.2.1/32", kind: .blackhole), .link(try network.topology.index(of: "eth0"), up: false),
        ]
        var deceived: Set<UInt32> = []
        for count in [1, 5000] {
            let before = reference.statistics
            var sent = 0
            // To each socket, and to all that are subscribed to links or routes.
            let groups = [NotificationGroup.link, .ipv4Route].map { (port: 0 as UInt32, group: $0.number) }
            for (port, group) in try Self.ports(in: network.topology).map({ ($0, 0) }) + groups {
                for forgery in forgeries {
                    let taken = unsafe forgery.withBytes { bytes in
                        network.topology.run {
                            unsafe topology_forge_netlink(
                                port, group, bytes.baseAddress, bytes.count, Int32(count))
                        }
                    }
                    sent += max(Int(taken), 0)
                    // The earlier ones may have filled a queue.
                    if taken <= 0 {
                        #expect([-ECONNREFUSED, -EAGAIN].contains(taken))
                    } else if port != 0 {
                        deceived.insert(port)
                    }
                }
                #expect(try reference.getFlags() == .reachable)
            }
            try network.settle()
            let counted = reference.statistics.foreignMessages - before.foreignMessages
            #expect(counted >= forgeries.count)
            // Of many, a full queue takes some and still reports an error.
            if count == 1 { #expect(counted <= sent) }
            #expect(network.recorder.all == [])
        }
        // Otherwise nothing was tested. These are the sockets of the feed and of the routing generation. The sockets that
        // ask are connected to the kernel, and refuse unicasts from others (netlink_getsockbyportid in
        // net/netlink/af_netlink.c).
        #expect(deceived.count >= 2)
        // True announcements still come through.
        try network.topology.ip("route del default")
        #expect(try network.recorder.next() == [])
        #expect(try reference.getFlags() == [])
    }

    @Test func `without a descriptor left a question is an error, and watching goes on`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork("10.0.0.1/24")
            let reference = try network.watch("192.0.2.1")
            try network.settle()
            let other = try Machine()
            let changer = try Changer(in: network.topology)

            try ProcessState.withoutDescriptors {
                // Without an open socket the kernel cannot be asked. That is an error, not the answer "not reachable".
                let failure = #expect(throws: ReachabilityError.self) {
                    try other.run { try ReachabilityRef(address: "127.0.0.1").getFlags() }
                }
                try #require(failure?.errno == EMFILE, "\(String(describing: failure))")
                // Open sockets keep working.
                try changer.apply(.route(.add, "192.0.2.0/24", via: "10.0.0.254"))
                try #require(try network.recorder.next() == .reachable)
                try #require(try reference.getFlags() == .reachable)
            }
            let later = try other.run { try ReachabilityRef(address: "127.0.0.1") }
            try #require(try later.getFlags().isReachable)
            try network.topology.ip("route del 192.0.2.0/24")
            try #require(try network.recorder.next() == [])
        }
    }

    /// 10,000 in the full run, because making them takes the kernel a while.
    private static let linkCount = Extent.isFull ? 10_000 : 300

    @Test func `very many links beside the one that counts are not looked at`() throws {
        let network = try WatchedNetwork("10.0.0.1/24", "route add default via 10.0.0.254")
        let reference = try network.watch("192.0.2.1")
        let pairs = (0..<Self.linkCount / 2).map { "link add a\($0) type veth peer name b\($0)" }
        try network.topology.ip(pairs.joined(separator: "\n"))
        try network.settle()
        #expect(network.recorder.all == [])
        #expect(try reference.getFlags() == .reachable)
        // The links were never listed.
        #expect(reference.statistics.interfaceListings == 0)
        try network.topology.ip("link set eth0 down")
        #expect(try network.recorder.next() == [])
    }
}

/// What a program may do to its own descriptors. Each test has a process of its own.
@Suite("A program", .timeLimit(.minutes(10)), .needs(.namespaces))
struct HostMistakeTests {
    private static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) != -1 }

    @Test func `that has closed its standard streams finds none of ours there`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let topology = try Machine.wired()
            for stream in Int32(0)...2 { close(stream) }
            let options = topology.options
            let references = [
                try ReachabilityRef(address: "10.0.0.7", options: options),
                try ReachabilityRef(hostname: "localhost", options: options),
                try ReachabilityRef(address: "10.0.0.7"),
            ]
            for reference in references { _ = try reference.explain() }
            let watcher = try ReachabilityWatcher()
            var calls = 0
            for reference in references { try watcher.add(reference) { _ in calls += 1 } }
            try watcher.turn { calls == references.count }
            _ = try PathSource().current(hintTimeout: .milliseconds(1))
            exit((Int32(0)...2).contains { Self.isOpen($0) } ? 1 : 7)
        }
    }

    @Test func `that closes our descriptors gets answers all the same`() async {
        await #expect(processExitsWith: .success) { try Self.closeOurSockets(in: .wired()) }
    }

    @Test func `that closes our descriptors and takes their numbers keeps its own`() async {
        await #expect(processExitsWith: .success) { try Self.closeOurSockets(in: .wired(), asNumbersOf: 1) }
    }

    @Test func `that has a TCP connection under our numbers sends nothing of ours on it`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.wired()
            let (listener, connected) = try topology.run {
                (try TCPListener(), ConnectedSocket(to: "127.0.0.1", by: .tcp, user: nil))
            }
            // The second call tells that it is connected, as a call that blocks does (__inet_stream_connect in net/ipv4/af_inet.c).
            for _ in 0..<2 { _ = connected.connect(port: listener.port) }
            let peer = try listener.accept()
            try Self.closeOurSockets(in: topology, asNumbersOf: connected.descriptor)
            shutdown(connected.descriptor, Int32(SHUT_WR))
            #expect(peer.seesEnd())
        }
    }

    @Test func `that has a Unix connection under our numbers sends nothing of ours on it`() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [0, 0]
            try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            try Self.closeOurSockets(in: .wired(), asNumbersOf: ends[0])
            shutdown(ends[0], Int32(SHUT_WR))
            var byte: UInt8 = 0
            #expect(unsafe recv(ends[1], &byte, 1, 0) == 0)
        }
    }

    @Test func `that has a new socket under our numbers keeps it, and is told no less`() async {
        await #expect(processExitsWith: .success) {
            for family in [AF_UNIX, AF_INET, AF_INET6] {
                try Self.closeOurSockets(in: .wired(), asNumbersOf: socket(family, Int32(SOCK_STREAM.rawValue), 0))
            }
        }
    }

    /// - Parameter taker: what the program has under the numbers of our sockets afterwards; nil if nothing.
    private static func closeOurSockets(in topology: Machine, asNumbersOf taker: Int32? = nil) throws {
        let direct: ReachabilityFlags = [.reachable, .isDirect]
        try topology.run {
            let opened = try NewDescriptors()
            let (first, second) = (try ReachabilityRef(address: "10.0.0.7"), try ReachabilityRef(address: "10.0.0.8"))
            for _ in 0..<3 { try #require(try first.getFlags() == direct) }
            let ours = opened.all("socket:")
            try #require(!ours.isEmpty)
            for descriptor in ours { close(descriptor) }
            if let taker { for descriptor in ours { try #require(fcntl(taker, F_DUPFD, descriptor) == descriptor) } }
            for _ in 0..<3 { try #require(try second.getFlags() == direct && first.getFlags() == direct) }
            if taker != nil { try #require(ours.allSatisfy { isOpen($0) }) }
        }
    }

    @Test func `that has a file of its own under our other numbers finds it as it was`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.wired()
            let file = unsafe fileno(tmpfile())
            try #require(unsafe write(file, "the program's own", 17) == 17 && lseek(file, 0, SEEK_SET) == 0)
            let opened = try NewDescriptors()
            let fixture = ResolverFixture()
            fixture.write("hosts", "10.0.0.7 listed.test\n")
            var environment = fixture.environment([])
            environment.namespace = topology.namespace
            let namespace = NamespaceRegistry.current.namespace(of: topology.namespace)
            let key = ResolverPool.Key(servers: nil, source: nil, keys: RoutingKeys())
            let resolver = namespace.resolvers.resolver(key) { Resolver(environment) }
            let name = try ReachabilityRef(hostname: "listed.test", options: topology.options)
            try #require(try name.getFlags() == [.reachable, .isDirect])
            let recorder = CallbackRecorder()
            let reference = try topology.reference("10.0.0.8")
            try recorder.watch(reference)
            let engine = try #require(namespace.sharedEngine.present)
            try engine.afterwards {}
            let watcher = try ReachabilityWatcher()
            try watcher.add(reference) { _ in }
            try watcher.process()
            let ours = opened.all("anon_inode:")
            for kind in ["inotify", "[eventpoll]", "[eventfd]", "[timerfd]"] {
                try #require(!opened.all("anon_inode:\(kind)").isEmpty, "\(kind)")
            }
            for descriptor in ours { try #require(dup2(file, descriptor) == descriptor) }
            engine.loop.enqueue {}
            #expect(lseek(file, 0, SEEK_CUR) == 0)
            #expect(throws: ReachabilityError.self) { try watcher.process() }
            #expect(lseek(file, 0, SEEK_CUR) == 0)
            #expect(try name.getFlags() == [.reachable, .isDirect])
            #expect(lseek(file, 0, SEEK_CUR) == 0)
            withExtendedLifetime(resolver) {}
        }
    }

    @Test func `in which a loop cannot wait is not ended, and is told`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
            let reference = try network.topology.reference("10.0.0.7")
            let watcher = try ReachabilityWatcher()
            var told: [ReachabilityFlags] = []
            try watcher.add(reference) { told.append($0) }
            FaultInjection.fail(.epollWait, with: .badDescriptor)
            for _ in 0..<2 {
                let error = #expect(throws: ReachabilityError.self) { try watcher.process() }
                #expect(error?.errno == EBADF && error == watcher.failure)
                try network.topology.ip("route add 192.0.2.1 via 10.0.0.254")
                #expect(!watcher.isReadable())
                try network.topology.ip("route del 192.0.2.1")
            }
            let error = #expect(throws: ReachabilityError.self) { try watcher.add(reference) { _ in } }
            #expect(error?.errno == EBADF)
            #expect(told == [])
            // A lookup of a name, which begins anew with the next.
            FaultInjection.fail(.epollWait, with: .notPermitted)
            let name = try network.reference("a.test")
            #expect(throws: ReachabilityError.self) { try name.getFlags() }
            #expect(try name.getFlags() == .reachable)
            // The engine's thread: the next to be scheduled starts another.
            try network.recorder.watch(reference)
            FaultInjection.fail(.epollWait, with: .badDescriptor)
            let engine = try #require(reference.namespace.sharedEngine.present)
            engine.loop.enqueue {}
            try ProcessState.wait("the loop has ended") { engine.loop.failure != nil }
            let later = CallbackRecorder()
            let other = try network.topology.reference("192.0.2.7")
            try later.watch(other)
            try network.topology.ip("route del default")
            #expect(try later.next() == [])
            try other.setDispatchQueue(nil)
            try reference.setDispatchQueue(nil)
            network.server.stop()
        }
    }

    @Test func `in which a loop could not sleep is told, too`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.wired()
            let watcher = try ReachabilityWatcher()
            try watcher.add(topology.reference("10.0.0.7")) { _ in }
            try watcher.process()
            watcher.recheck()
            FaultInjection.fail(.epollModify, with: .notPermitted, times: .max)
            for _ in 0..<2 {
                let error = #expect(throws: ReachabilityError.self) { try watcher.process() }
                #expect(error?.errno == EPERM)
                #expect(!watcher.isReadable())
            }
        }
    }

    /// The error with which something ends that waits for the engine; nil if it ends without one.
    private static func error(of body: @escaping @Sendable () async throws -> Void) -> ReceivedValues<Int32?> {
        let found = ReceivedValues<Int32?>()
        Task(priority: .high) {
            do {
                try await body()
                found.record(nil)
            } catch {
                found.record((error as? ReachabilityError)?.errno ?? 0)
            }
        }
        return found
    }

    @Test func `that closes the engine's descriptor ends all that waits for it, and says why`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.holding)
            let reference = try network.topology.reference("192.0.2.1")
            let name = try network.reference("a.test")
            let socket = network.topology.run { ConnectedSocket(to: "10.0.0.2", user: nil) }
            _ = socket.connect(port: 9)
            let fate = try network.topology.run { try SocketFate(of: socket.descriptor) }
            try network.topology.ip("route del default")
            let observed = ReceivedValues<Int32?>()
            let observation = try reference.observe(on: observed.queue, failed: { observed.record($0.errno) }) { _ in }
            let failing = [
                observed,
                Self.error { try await reference.waitUntilReachable() },
                Self.error { try await RequestGate(to: reference).pass() },
                Self.error { try await name.waitUntilReachable() },
                Self.error { _ = try await name.explanation() },
                Self.error { for try await _ in reference.flagChanges {} },
                Self.error { for try await _ in RequestGate(to: reference).obstacles {} },
                Self.error { for try await _ in fate.changes {} },
                Self.error { for try await _ in NetworkPath.changes(in: network.topology.options.networkNamespace) {} },
            ]
            let (ofPath, ofLatePath) = (ReceivedValues<ReachabilityError>(), ReceivedValues<ReachabilityError>())
            let subscription = try network.topology.run {
                try PathSource().observe(failed: { ofPath.record($0) }) { _ in }
            }
            let shared = network.namespace.sharedEngine
            try ProcessState.wait("all wait") { shared.userCount == failing.count + 1 }
            // What is asked for after the descriptor was closed fails in its own way.
            try ProcessState.wait("the name is asked for") { network.server.count("a.test") >= 2 }
            let engine = try #require(shared.present)
            try engine.afterwards {}
            // A descriptor that names a path and no more fails as a closed one does (open(2), O_PATH), but no other thread's file
            // gets its number meanwhile.
            let path = unsafe open("/", topology_path_only)
            try #require(dup2(path, engine.loop.rawDescriptor) >= 0)
            engine.loop.enqueue {}
            for found in failing { try #require(try found.next() == EBADF) }
            try #require(try ofPath.next().errno == EBADF)
            subscription.cancel()
            observation.cancel()
            // Whoever comes too late for this engine is told as well.
            let late = ReceivedValues<ReachabilityError>()
            engine.add(
                Observer(failed: { late.record($0) }) { _, _ in }, to: reference.subject, reference.keys)
            try #require(try late.next().errno == EBADF)
            engine.addToPath(Observer(ofPath: { _ in }, failed: { ofLatePath.record($0) }))
            try #require(try ofLatePath.next().errno == EBADF)
            // A sequence tells its consumer of its end before it lets the engine go.
            try ProcessState.wait("nobody uses the engine") { shared.userCount == 0 }
            network.server.stop()
        }
    }

    @Test func `that closes all that is ours ends what waits, too`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.wired()
            let reference = try topology.reference("192.0.2.1")
            let opened = try NewDescriptors()
            let shared = reference.namespace.sharedEngine
            // Long enough for what is closed before.
            let limited = Self.error { try await reference.waitUntilReachable(timeout: .seconds(5)) }
            let waiting = [
                Self.error { try await reference.waitUntilReachable() },
                Self.error { for try await _ in reference.flagChanges {} },
            ]
            try ProcessState.wait("all wait") { shared.userCount == 3 }
            try #require(shared.present).afterwards {}
            opened.close()
            // Nobody asks the engine for anything meanwhile.
            _ = try limited.next()
            // EINVAL if a new file has got the number of the closed epoll instance meanwhile (epoll_wait(2)).
            for found in waiting { try #require([EBADF, EINVAL].contains(try found.next())) }
            try ProcessState.wait("nobody uses the engine") { shared.userCount == 0 }
        }
    }

    /// The same where nothing is due.
    @Test func `that closes all that is ours is told so by the next that asks`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.wired()
            let reference = try topology.reference("192.0.2.1")
            let opened = try NewDescriptors()
            let shared = reference.namespace.sharedEngine
            let waiting = Self.error { try await reference.waitUntilReachable() }
            try ProcessState.wait("it waits") { shared.userCount == 1 }
            // A loop that wakes up by itself fails by itself.
            let loop = try #require(shared.present).loop.rawDescriptor
            try ProcessState.wait("the loop sleeps") { ProcessState.sleepsWithoutLimit("reachability", in: loop) }
            opened.close()
            let late = Self.error { try await reference.waitUntilReachable() }
            try #require([EBADF, EINVAL].contains(try waiting.next()))
            // A new engine works.
            let recorder = CallbackRecorder()
            try recorder.watch(reference)
            try topology.ip("route add default via 10.0.0.254")
            try #require(try recorder.next() == .reachable)
            // Nil if something was announced in that moment, so that the loop had failed already, and this one got the new engine.
            let error = try late.next()
            try #require([EBADF, EINVAL, nil].contains(error))
            try reference.setDispatchQueue(nil)
        }
    }

    /// Whoever is told that a loop has failed may make another at once, which gets the lowest numbers that are free. A loop notices
    /// by itself that its descriptors are closed, unless it sleeps.
    @Test func `that closes a loop's descriptors has the next one under their numbers`() async {
        await #expect(processExitsWith: .success) { Self.closeLoop(thatSleeps: false) }
        await #expect(processExitsWith: .success) { Self.closeLoop(thatSleeps: true) }
    }

    private static func closeLoop(thatSleeps sleeps: Bool) {
        // Of an error that is thrown the other process says only that this one was ended.
        do { try closeLoopAndMakeAnother(thatSleeps: sleeps) } catch { Issue.record(error) }
    }

    private static func closeLoopAndMakeAnother(thatSleeps sleeps: Bool) throws {
        let opened = try NewDescriptors()
        let (next, isReady, told) = (ReceivedValues<EventLoop>(), ReceivedValues<Bool>(), ReceivedValues<Bool>())
        var failing: EventLoop? = try EventLoop(name: "failing")
        let number = try #require(failing?.rawDescriptor)
        let isClosed = DispatchSemaphore(value: 0)
        failing?.enqueue { [unowned loop = failing!] in
            loop.whenEnded { _ in
                if let other = try? EventLoop(name: "next") { next.record(other) }
            }
            isReady.record(true)
            if !sleeps { try? isClosed.wait(for: "the descriptors to be closed") }
        }
        _ = try isReady.next()
        if sleeps {
            try ProcessState.wait("the loop sleeps") { ProcessState.sleepsWithoutLimit("failing", in: number) }
        }
        opened.close()
        isClosed.signal()
        if sleeps { failing?.enqueue {} }
        let other = try next.next()
        failing = nil
        // The thread that ended the loop.
        try ProcessState.wait("the failed loop has ended") {
            ProcessState.count(named: sleeps ? "reachability" : "failing") == 0
        }
        try #require(other.enqueue { told.record(true) })
        try #require(try told.next())
        other.stop()
    }

    /// More is asked for than the engine takes note of in one piece of work, in the moment in which its loop fails.
    @Test func `in which a loop could not sleep ends what the loop has not begun, too`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork("10.0.0.1/24")
            let (reference, engine) = (try network.reference("192.0.2.1"), try network.engine)
            let (isHandling, isFree) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let handled = Counter()
            var ends: [Int32] = [0, 0]
            try #require(unsafe pipe(&ends) == 0)
            try engine.afterwards { [loop = engine.loop, end = ends[0]] in
                try? loop.watch(end, for: .readable) { _ in
                    handled.increment()
                    // The order of what a wait tells is not promised, so it may come here again before the loop fails.
                    guard handled.value <= 2 else { return }
                    isHandling.signal()
                    try? isFree.wait(for: "what the test does meanwhile")
                }
            }
            // The byte is never read. When the loop has handled it once, the next wait tells of it, and then of the work.
            try #require(unsafe write(ends[1], "a", 1) == 1)
            try isHandling.wait(for: "the loop to handle the byte")
            engine.loop.enqueue {}
            isFree.signal()
            try isHandling.wait(for: "the loop to handle the byte again")
            let told = ReceivedValues<Int32?>()
            let count = 2_000
            for _ in 0..<count {
                engine.add(
                    Observer(failed: { told.record($0.errno) }) { _, _ in }, to: reference.subject, reference.keys)
            }
            FaultInjection.fail(.epollModify, with: .notPermitted, times: .max)
            isFree.signal()
            try #require(try told.next(count).allSatisfy { $0 == EPERM })
        }
    }
}

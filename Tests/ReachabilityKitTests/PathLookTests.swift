// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// An engine without announcements, on a loop that the test turns and whose clock it sets.
private final class QuietEngine: Sendable {
    let paths = ReceivedValues<NetworkPath>()
    let flags = ReceivedValues<ReachabilityFlags>()
    let counters = EngineCounters()
    let time = ManualTime()
    let loop: EventLoop
    private let core: EngineCore

    init(in topology: Machine, _ defaults: SocketDefaults) throws {
        let (loop, kernel, namespace) = try topology.run { [time] in
            (
                try EventLoop(time: time), try KernelAccess.single(defaults),
                NamespaceRegistry.current.namespaceOfCallingThread()
            )
        }
        self.loop = loop
        namespace.sharedEngine.pace.withLock { $0 = .standard }
        core = EngineCore(loop: loop, namespace: namespace, kernel: kernel, counters: counters)
    }

    func perform(_ work: @escaping @Sendable (EngineCore) -> Void) {
        loop.enqueue { [core] in work(core) }
        // What it enqueues, and what that enqueues.
        for _ in 0..<9 { loop.turn() }
    }

    func pass(_ duration: Duration) {
        time.advance(duration)
        for _ in 0..<9 { loop.turn() }
    }

    /// Lets time pass while something is done.
    func spend(_ duration: Duration) { time.advance(duration) }

    func end() {
        perform { [paths] core in
            core.paths.remove(paths)
            core.end()
        }
        loop.stop()
        loop.turn()
    }
}

@Suite("A look at the path", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct PathLookTests {
    private let topology: Machine
    private let sockets = ScriptedSockets()

    init() throws {
        topology = try Machine.routed()
    }

    /// A change may be announced before there is a subscriber, and made only after the first look.
    @Test func `is repeated for a new subscriber although nothing is announced`() throws {
        let engine = try QuietEngine(in: topology, sockets.defaults())
        engine.perform { [paths = engine.paths] in $0.paths.add(paths) }
        #expect(try engine.paths.next().ipv4?.gateway?.description == "10.0.0.254")
        try topology.ip("route replace default via 10.0.0.253")
        #expect(engine.paths.untaken == 0)
        engine.pass(.seconds(2))
        #expect(engine.paths.all.last?.ipv4?.gateway?.description == "10.0.0.253")
        engine.end()
    }

    /// The kernel is asked for the path too, which is when it is found out that new sockets have another mark.
    @Test func `leads to a look at all targets if new sockets have another mark`() throws {
        try topology.ip("rule add fwmark 7 unreachable")
        let defaults = try sockets.defaults()
        let engine = try QuietEngine(in: topology, defaults)
        engine.perform { [paths = engine.paths, flags = engine.flags] core in
            core.paths.add(paths)
            _ = core.add(flags, to: .address(IPAddress(text: "192.0.2.1")), RoutingKeys())
        }
        // The later looks for what is new.
        engine.pass(.seconds(2))
        #expect(engine.flags.all.last == .routed)
        sockets.set(mark: 7)
        engine.perform { core in
            core.kernel.refreshSocketDefaults(at: .distantFuture)
            core.paths.readSoon()
        }
        #expect(engine.flags.all.last == .nothing)
        #expect(engine.paths.all.last?.ipv4 == nil)
        // Found out once, it leads to one look and its repetitions.
        for _ in 0..<5 { engine.pass(.milliseconds(20)) }
        let before = engine.counters.snapshot.evaluations
        for _ in 0..<5 { engine.pass(.milliseconds(20)) }
        #expect(engine.counters.snapshot.evaluations == before)
        engine.end()
    }

    /// That takes longer than the look.
    @Test func `tells its clients before it finds out what mark new sockets have`() throws {
        let engine = try QuietEngine(in: topology, sockets.defaults())
        let watcher = CountingWatcher { [sockets] in sockets.looks }
        engine.perform { core in _ = core.add(watcher, to: .address(IPAddress(text: "192.0.2.1")), RoutingKeys()) }
        engine.pass(.seconds(2))
        // From now on the values are too old.
        engine.perform { $0.kernel.refreshSocketDefaults(at: .distantFuture) }
        let before = sockets.looks
        try topology.ip("route del default")
        engine.perform { core in
            core.agenda.announced.addEverything()
            core.evaluateIfDue()
        }
        #expect(watcher.values.all.last == before)
        // A client on its own loop is called back now.
        #expect(sockets.looks == before)
        engine.pass(Pace.standard.unproved)
        #expect(sockets.looks == before + 2, "IPv4 and IPv6")
        engine.perform { $0.remove(watcher, from: .address(IPAddress(text: "192.0.2.1")), RoutingKeys()) }
        engine.end()
    }

    /// A deleted IPv4 route is announced before it goes.
    @Test(
        "is repeated at once if it finds nothing new where a change may still be under way",
        arguments: [
            (Announcement.route(.all(.v4), isDeleted: true), 2), (.links, 2), (.nextHops, 2), (.route(.all(.v4)), 1),
            (.rules, 2), (.configuration, 1),
            (.route(.all(.v6), isDeleted: true), 1),
        ])
    func underWay(announcement: Announcement, looks: Int) throws {
        let engine = try QuietEngine(in: topology, sockets.defaults())
        engine.perform { [flags = engine.flags] core in
            for address in ["192.0.2.1", "2001:db8::1"] {
                _ = core.add(flags, to: .address(IPAddress(text: address)), RoutingKeys())
            }
        }
        engine.pass(.seconds(2))
        func passes() -> Int { engine.counters.snapshot.evaluationPasses }
        let before = passes()
        engine.perform { core in
            core.agenda.announced.add(announcement)
            core.evaluateIfDue()
        }
        #expect(passes() == before + looks)
        engine.end()
    }
}

@Suite("A look at targets", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct TargetLookTests {
    private let topology: Machine
    private let engine: QuietEngine

    init() throws {
        topology = try Machine.routed()
        engine = try QuietEngine(in: topology, ScriptedSockets().defaults())
    }

    private var evaluations: Int { engine.counters.snapshot.evaluations }
    private var looks: Int { engine.counters.snapshot.evaluationPasses }

    /// Both repetitions, and not the look at everything that comes at an interval because this engine hears nothing.
    private func repeatLooks() {
        for delay in [Pace.standard.unproved, .milliseconds(20)] { engine.pass(delay) }
    }

    /// Has each batch of questions or subscribers take so long that a turn has 32 of them, or of questions 16.
    private func makeSlow(_ isSlow: Bool = true) {
        engine.time.setCost(isSlow ? 157_000 : 0)
    }

    @Test func `is cut where they are very many, and timers run in between`() throws {
        let targets = (0..<2500 as Range<UInt32>).map { Target(.v4(IPv4Address(rawValue: 10 << 24 | $0))) }
        engine.perform { [flags = engine.flags] core in
            for target in targets { _ = core.add(flags, to: target, RoutingKeys()) }
        }
        _ = try engine.flags.next(2500)
        repeatLooks()
        let before = evaluations
        let seen = ReceivedValues<Int>()
        makeSlow()
        engine.perform { [engine] core in
            engine.loop.schedule(at: engine.loop.now()) { seen.record(engine.counters.snapshot.evaluations) }
            core.agenda.announced.add(.configuration)
            core.evaluateIfDue()
            seen.record(engine.counters.snapshot.evaluations)
        }
        #expect(try seen.next(2) == [before + 512, before + 512])
        #expect(evaluations == before + 2500)
        engine.end()
    }

    /// Has so many targets watched that a look is cut in three.
    private func watchMany(_ subscriber: any Subscriber) {
        engine.perform { core in
            for number in 0..<2500 as Range<UInt32> {
                _ = core.add(subscriber, to: Self.target(number), RoutingKeys())
            }
        }
        repeatLooks()
    }

    private static func target(_ number: UInt32) -> Target { Target(.v4(IPv4Address(rawValue: 10 << 24 | number))) }
    /// The default route leads to it.
    private static let routed = Target(IPAddress(text: "192.0.2.1"))

    /// Does something after the first part of a look at everything. Returns how many targets were looked up by then, and by the end.
    private func lookAtAll(_ change: @escaping @Sendable (EngineCore) -> Void = { _ in }) throws -> [Int] {
        let (before, meanwhile) = (evaluations, ReceivedValues<Int>())
        makeSlow()
        defer { makeSlow(false) }
        engine.perform { [engine] core in
            engine.loop.schedule(at: engine.loop.now()) {
                change(core)
                meanwhile.record(engine.counters.snapshot.evaluations)
            }
            core.agenda.announced.add(.configuration)
            core.evaluateIfDue()
        }
        return [try meanwhile.next() - before, evaluations - before]
    }

    @Test func `that is cut is finished before another begins`() throws {
        watchMany(engine.flags)
        let looked = try lookAtAll { core in
            core.agenda.announced.add(.configuration)
            core.evaluateIfDue()
        }
        #expect(looked == [512, 2500])
        let before = evaluations
        engine.pass(.milliseconds(40))
        #expect(evaluations == before + 2500)
        engine.end()
    }

    @Test func `that is cut leaves out what is watched no more`() throws {
        watchMany(engine.flags)
        let looked = try lookAtAll { [flags = engine.flags] core in
            for number in 0..<2500 as Range<UInt32> { core.remove(flags, from: Self.target(number), RoutingKeys()) }
        }
        #expect(looked == [512, 512])
        engine.end()
    }

    /// Three times as long as all of its parts.
    @Test func `that is cut has the next one wait for as long as its length demands`() throws {
        watchMany(SlowFollower(engine, .microseconds(10)))
        engine.pass(.milliseconds(200))
        let first = evaluations
        engine.perform { core in
            core.agenda.announced.add(.configuration)
            core.evaluateIfDue()
        }
        let before = evaluations
        #expect(before == first + 2500)
        engine.perform { core in
            core.agenda.announced.add(.configuration)
            core.evaluateIfDue()
        }
        // The repetitions come meanwhile, and take no time.
        for delay in [25, 20, 29] {
            engine.pass(.milliseconds(delay))
            #expect(evaluations == before)
        }
        engine.pass(.milliseconds(1))
        #expect(evaluations == before + 2500)
        engine.end()
    }

    @Test func `ends with the first part for which the kernel cannot be asked`() async {
        await #expect(processExitsWith: .success) {
            let tests = try TargetLookTests()
            tests.watchMany(tests.engine.flags)
            FaultInjection.fail(.send, with: .outOfMemory, times: .max)
            let before = tests.engine.counters.snapshot.failures
            _ = try tests.lookAtAll()
            try #require(tests.engine.counters.snapshot.failures == before + 1)
            FaultInjection.reset()
            tests.engine.end()
        }
    }

    @Test func `waits once for the kernel's lock, however often it is repeated`() async {
        await #expect(processExitsWith: .success) {
            let tests = try TargetLookTests()
            let engine = tests.engine
            engine.perform { [flags = engine.flags] core in _ = core.add(flags, to: Self.target(1), RoutingKeys()) }
            engine.pass(Pace.standard.unproved)
            // The next question fails, if there is one.
            FaultInjection.fail(.send, with: .outOfMemory)
            engine.pass(.milliseconds(20))
            let failed = ReceivedValues<Bool>()
            engine.perform { core in failed.record((try? core.kernel.waitForChange()) == nil) }
            try #require(try failed.next())
            engine.end()
        }
    }

    /// What a newcomer found out itself may be newer than what the others of its target were told last.
    @Test func `that fails for new subscribers tells them nothing, and is made again a little later`() async {
        await #expect(processExitsWith: .success) {
            let tests = try TargetLookTests()
            let (engine, groups) = (tests.engine, Groups())
            let (newcomer, leaver, asker) = (Follower(), Follower(), Follower())
            engine.perform { [flags = engine.flags, groups] core in
                _ = core.add(flags, to: Self.routed, RoutingKeys())
                groups.make("name", of: [Self.routed], core)
            }
            tests.repeatLooks()
            try tests.topology.ip("route delete default")
            FaultInjection.fail(.send, with: .outOfMemory, times: .max)
            let before = tests.looks
            engine.perform { [groups] core in
                _ = core.add(newcomer, to: Self.routed, RoutingKeys())
                _ = core.add(leaver, to: Self.routed, RoutingKeys())
                for subscriber in [asker, leaver] {
                    groups.all[0].add(subscriber)
                    core.ask(about: groups.all[0], for: subscriber)
                }
                groups.all[0].remove(leaver)
                // A name that has no address.
                groups.make("empty", of: [], core)
                // So many that they come in parts.
                for number in 2..<2500 as Range<UInt32> {
                    _ = core.add(Follower(), to: Self.target(number), RoutingKeys())
                }
            }
            engine.perform { $0.remove(leaver, from: Self.routed, RoutingKeys()) }
            for _ in 0..<5 { engine.pass(.milliseconds(10)) }
            try #require(tests.looks == before + 1)
            for _ in 0..<10 { engine.pass(.milliseconds(10)) }
            // That for the newcomers, and that at everything with its repetitions.
            try #require(tests.looks <= before + 1 + 2 + 2 + 1)
            try #require(newcomer.told.all.isEmpty && asker.told.all.isEmpty && groups.all[1].answer == nil)
            FaultInjection.reset()
            engine.pass(Pace.retryDelay)
            try #require(!newcomer.told.all.isEmpty && newcomer.told.all.allSatisfy { $0 == [] })
            try #require(groups.all[1].answer?.flags == [])
            try #require(!asker.told.all.isEmpty && asker.told.all.allSatisfy { $0 == [] } && leaver.told.all.isEmpty)
            engine.end()
        }
    }

    @Test func `that fails for new subscribers is not made again when there are none any more`() async {
        await #expect(processExitsWith: .success) {
            let tests = try TargetLookTests()
            let engine = tests.engine
            FaultInjection.fail(.send, with: .outOfMemory)
            engine.perform { [flags = engine.flags] core in _ = core.add(flags, to: Self.routed, RoutingKeys()) }
            let before = tests.looks
            engine.perform { $0.end() }
            for _ in 0..<5 { engine.pass(Pace.retryDelay) }
            try #require(tests.looks == before && engine.flags.all.isEmpty)
            engine.end()
        }
    }

    @Test(arguments: [(false, 2500), (true, 2048)])
    func `tells very many subscribers of one target in parts, without those who leave`(leave: Bool, all: Int) throws {
        let (told, meanwhile) = (ReceivedValues<ReachabilityFlags>(), ReceivedValues<Int>())
        let followers = (0..<2500).map { _ in Follower(told) }
        engine.perform { core in
            for follower in followers { _ = core.add(follower, to: Self.routed, RoutingKeys()) }
        }
        repeatLooks()
        try topology.ip("route delete default")
        let (before, looksBefore) = (told.all.count, looks)
        makeSlow()
        engine.perform { [engine] core in
            engine.loop.schedule(at: engine.loop.now()) {
                meanwhile.record(told.all.count - before)
                guard leave else { return }
                for follower in followers { core.remove(follower, from: Self.routed, RoutingKeys()) }
            }
            core.agenda.announced.add(.configuration)
            core.evaluateIfDue()
        }
        #expect(try meanwhile.next() == 2048)
        #expect(told.all.count - before == all)
        #expect(looks == looksBefore + 1)
        engine.end()
    }

    /// All names of a network may have the address of its gateway. They are asked about only if that has another answer.
    @Test func `that many groups share has turns as short as any, and asks about it once in each`() throws {
        let groups = Groups()
        engine.perform { core in
            for number in 0..<2500 as Range<UInt32> {
                groups.make("\(number)", of: [Self.routed] + (number < 1500 ? [Self.target(number)] : []), core)
            }
        }
        repeatLooks()
        func looks(at change: String) throws -> (turns: Int, targets: Int) {
            engine.pass(.seconds(1))
            let (before, looksBefore) = (evaluations, self.looks)
            try topology.ip(change)
            makeSlow()
            engine.perform { core in
                core.agenda.announced.add(.route(Prefix(IPAddress(text: "192.0.2.1"), length: 32)))
                core.evaluateIfDue()
            }
            makeSlow(false)
            return (self.looks - looksBefore, evaluations - before)
        }
        let one = try looks(at: "route add 203.0.113.0/24 via 10.0.0.254")
        #expect(one.turns == 1 && one.targets == 1)
        // In each turn the address, and beside it those of 16 batches of some 31 names, or 64 names that have it alone.
        let all = try looks(at: "route add unreachable 192.0.2.1")
        #expect((4...7).contains(all.turns) && (1500 + all.turns...1501 + all.turns).contains(all.targets))
        #expect(groups.all.suffix(1000).allSatisfy { $0.answer?.flags == [] })
        engine.end()
    }

    @Test func `does not keep those who come meanwhile`() throws {
        watchMany(engine.flags)
        engine.pass(.milliseconds(200))
        let before = evaluations
        let newcomer = CountingWatcher { [engine] in engine.counters.snapshot.evaluations }
        let looked = try lookAtAll { core in _ = core.add(newcomer, to: Self.routed, RoutingKeys()) }
        #expect(looked[0] == 512 && looked[1] > 2500)
        #expect(newcomer.values.all == [before + 513])
        engine.end()
    }

    @Test func `for a new subscriber is not made if it has left already`() throws {
        engine.perform { [flags = engine.flags] core in
            _ = core.add(flags, to: Self.target(1), RoutingKeys())
            core.remove(flags, from: Self.target(1), RoutingKeys())
        }
        #expect(evaluations == 0 && engine.flags.all.isEmpty)
        engine.end()
    }

    @Test func `that is cut has the path looked at once`() throws {
        engine.perform { [paths = engine.paths] core in core.paths.add(paths) }
        watchMany(engine.flags)
        let before = engine.paths.all.count
        let topology = topology
        let looked = try lookAtAll { _ in
            #expect(throws: Never.self) { try topology.ip("route replace default via 10.0.0.253") }
        }
        #expect(looked == [512, 2500])
        #expect(engine.paths.all.count == before)
        engine.end()
    }

    @Test(arguments: ["192.0.2.1", "2001:db8::1"])
    func `for a new subscriber tells the others of the target nothing`(address: String) throws {
        let followers = (0..<30).map { _ in Follower() }
        for follower in followers {
            engine.perform { core in
                _ = core.add(follower, to: .address(IPAddress(text: address)), RoutingKeys())
            }
            repeatLooks()
        }
        // The first look at a target tells all followers that it has, and then new ones.
        #expect(followers.dropFirst().allSatisfy { $0.told.all.count == 1 })
        // What is announced is told to all of them.
        engine.perform { core in
            core.agenda.announced.add(.configuration)
            core.evaluateIfDue()
        }
        #expect(followers.dropFirst().allSatisfy { $0.told.all.count == 2 })
        engine.end()
    }

    /// A deleted IPv4 route is announced before it goes, so what was proved before is proved no more.
    @Test func `is repeated at once for what was proved, where a change may still be under way`() throws {
        engine.perform { [flags = engine.flags] core in _ = core.add(flags, to: Self.target(1), RoutingKeys()) }
        repeatLooks()
        let before = evaluations
        engine.perform { core in
            core.agenda.announced.add(.route(.all(.v4), isDeleted: true))
            core.evaluateIfDue()
        }
        #expect(evaluations == before + 2)
        engine.end()
    }

    /// An IPv6 route is announced before lookups find it.
    @Test(arguments: [("192.0.2.1", 1), ("2001:db8::1", 3)])
    func `is repeated for what it has not proved`(address: String, looks: Int) throws {
        engine.perform { [flags = engine.flags] core in
            _ = core.add(flags, to: .address(IPAddress(text: address)), RoutingKeys())
        }
        repeatLooks()
        let before = evaluations
        engine.perform { core in
            core.agenda.announced.add(.route(.all(.v4)))
            core.agenda.announced.add(.route(.all(.v6)))
            core.evaluateIfDue()
        }
        repeatLooks()
        #expect(evaluations == before + looks)
        engine.end()
    }
}

/// Groups of targets, as names are.
private final class Groups: @unchecked Sendable {  // used on one thread
    private(set) var all: [WatchGroup] = []
    private let told = ReceivedValues<ReachabilityFlags>()

    func make(_ name: String, of targets: [Target], _ core: EngineCore) {
        let group = WatchGroup(name)
        group.add(told)
        core.set(group, to: targets, RoutingKeys(), from: self)
        all.append(group)
    }
}

/// Is told of every look.
private final class Follower: Subscriber {
    let told: ReceivedValues<ReachabilityFlags>
    let wantsEveryEvaluation = true

    init(_ told: ReceivedValues<ReachabilityFlags> = ReceivedValues()) { self.told = told }

    func notify(_ watch: Watch, _ batch: inout DeliveryBatch) {
        if let answer = watch.answer { told.record(answer.flags) }
    }
}

/// Takes time when it is told.
private final class SlowFollower: Subscriber {
    let wantsEveryEvaluation = true
    private let (engine, duration): (QuietEngine, Duration)

    init(_ engine: QuietEngine, _ duration: Duration) {
        (self.engine, self.duration) = (engine, duration)
    }

    func notify(_ watch: Watch, _ batch: inout DeliveryBatch) {
        engine.spend(duration)
    }
}

/// Notes a number each time that it is told.
private final class CountingWatcher: Subscriber {
    let values = ReceivedValues<Int>()
    private let count: @Sendable () -> Int

    init(_ count: @escaping @Sendable () -> Int) { self.count = count }

    func notify(_ watch: Watch, _ batch: inout DeliveryBatch) { values.record(count()) }
}

/// What a /sys says of devices, as a file tree of the test's.
@Suite("The type of a device", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct DeviceTypeTests {
    private let files = ResolverFixture()
    private let topology: Machine
    private let index: UInt32

    init() throws {
        topology = try Machine.routed()
        index = try topology.index(of: "eth0").rawValue
    }

    private func device(_ name: String, type: String? = nil, index: UInt32, isWireless: Bool = false) throws {
        let folder = files.path(name)
        let type = type.map { "DEVTYPE=\($0)\\n" } ?? ""
        try CallingThread.execute([
            "sh", "-ec",
            """
            mkdir -p \(folder) \(isWireless ? "\(folder)/wireless" : "")
            printf '\(type)INTERFACE=\(name)\\nIFINDEX=\(index)\\n' > \(folder)/uevent
            echo \(index) > \(folder)/ifindex
            """,
        ])
    }

    /// The kinds of all interfaces with a way out.
    private func kinds(_ reader: inout PathFactsReader) throws -> [String: InterfaceKind] {
        let facts = try topology.run { [reader] in
            let socket = try RouteClient(NetlinkRequester(), DeviceTypes(), SocketDefaults(in: nil))
            var reader = reader
            let facts = try reader.facts(asking: socket, servers: [])
            return (reader, facts)
        }
        reader = facts.0
        return Dictionary(uniqueKeysWithValues: NetworkPath(facts.1).interfaces.map { ($0.name, $0.kind) })
    }

    private var reader: PathFactsReader { PathFactsReader(deviceTypes: DeviceTypes(directory: files.directory)) }

    @Test(
        "is read from its uevent, and is Wi-Fi if there are wireless extensions",
        arguments: [
            ("wlan", false, .wifi), ("wwan", false, .cellular), ("vlan", false, .wiredEthernet), (nil, true, .wifi),
        ] as [(String?, Bool, InterfaceKind)])
    func own(type: String?, isWireless: Bool, kind: InterfaceKind) throws {
        try device("eth0", type: type, index: index, isWireless: isWireless)
        var reader = reader
        #expect(try kinds(&reader) == ["eth0": kind])
    }

    /// In a container, /sys may be the host's, with other devices of the same names.
    @Test("is unknown if /sys shows another namespace", arguments: [false, true])
    func foreign(isWireless: Bool) throws {
        try device("eth0", type: isWireless ? nil : "wwan", index: index + 1, isWireless: isWireless)
        var reader = reader
        #expect(try kinds(&reader) == ["eth0": .wiredEthernet])
        let types = DeviceTypes(directory: files.directory)
        let link = LinkFacts(index: InterfaceIndex(index)!, name: "eth0")
        #expect(try types.type(of: link) == nil)
    }

    /// Between two listings the name may change. The files are found by name only.
    @Test func `is read again if the link has another name`() throws {
        try device("wlan0", type: "wlan", index: index)
        var reader = reader
        #expect(try kinds(&reader) == ["eth0": .wiredEthernet])
        try topology.ip("link set eth0 down\nlink set eth0 name wlan0\nlink set wlan0 up")
        try topology.waitForLink("wlan0", .up)
        try topology.ip("route replace default via 10.0.0.254")
        reader.forgetInterfaces()
        #expect(try kinds(&reader) == ["wlan0": .wifi])
        // The type of a device never changes, so it is not read again.
        try device("wlan0", type: "wwan", index: index)
        reader.forgetInterfaces()
        #expect(try kinds(&reader) == ["wlan0": .wifi])
    }
}

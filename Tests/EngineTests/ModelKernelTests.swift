// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import Synchronization
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// What happens in one run, made from a seed.
private struct ModelPlan {
    enum Step {
        case change(ModelNetwork.Change, ModelKernel.Manner)
        case fail(ModelKernel.Fault, times: Int)
        case comeOrLeave(Int), pass(microseconds: Int)
        case turn, halfTurn, ask, check
    }

    let mode: ModelKernel.Mode
    var steps: [Step] = []
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        mode = random.pick(.exact, .exact, .faulty, .faulty, .untold)
        for _ in 0..<random.pick(1, 3, 9) { steps.append(.comeOrLeave(client())) }
        for _ in 0..<random.pick(5, 10, 20, 30) {
            steps.append(step())
            if random.pick(true, false) { steps.append(random.pick(.turn, .turn, .turn, .check)) }
        }
    }

    private mutating func step() -> Step {
        let delay = random.pick(50, 1_000, 4_000, 15_000)
        let manner: ModelKernel.Manner = random.pick(
            .after, .after, .before(delay), .before(delay), .before(delay), .twice(delay), .lost, .unread,
            .damaged(length: random.pick(6, 9_000)), .between(random.pick(0, 1, 2, 3, 5, 9)),
            .between(random.pick(0, 1, 2, 3), then: change()))
        let fault: ModelKernel.Fault = random.pick(.refusedSend, .lostAnswer, .interruptedDump, .refusedFeed)
        var possible = Array(repeating: Step.change(change(), manner), count: 9)
        possible += Array(repeating: .comeOrLeave(client()), count: 4)
        possible += [.halfTurn, .check, .ask, .ask, .pass(microseconds: random.pick(100, 300, 2_000, 30_000))]
        if mode != .exact { possible += Array(repeating: .fail(fault, times: random.pick(1, 2, 3, 6)), count: 2) }
        return possible.randomElement(using: &random)!
    }

    /// Two may watch the same.
    private mutating func client() -> Int { Int.random(in: 0..<2 * ModelNetwork.Subject.all.count, using: &random) }

    private mutating func change() -> ModelNetwork.Change {
        let link: UInt32 = random.pick(2, 2, 3)
        let prefixes = ["0.0.0.0/0", "192.0.2.1", "198.51.100.0/24", "198.51.100.9", "::/0", "2000::/3", "2001:db8::7"]
        let route = ModelNetwork.Change.route(
            Prefix(text: prefixes.randomElement(using: &random)!),
            random.pick(nil, nil, .over(link), .over(link), .refused(.hostUnreachable), .refused(.fileTooLarge)))
        // One that comes in the last hundredth of a second learns of the end from a repetition.
        let ending = ModelNetwork.Change.route(
            Prefix(text: random.pick("2001:db8::/48", "::/0")), .over(link), lifetime: random.pick(3, 10, 40))
        let state = ModelNetwork.Change.link(link, random.pick(.up, .up, .broken, .disabled))
        return random.pick(
            route, route, route, route, route, route, mode == .exact ? route : ending, state, state, state,
            .rule(isThere: random.pick(true, true, false)), .others(random.pick(9, 9, 140, 210)))
    }
}

extension SeededGenerator {
    fileprivate mutating func pick<Value>(_ values: Value...) -> Value { values.randomElement(using: &self)! }
}

/// A client of the engine, which complains of what it should not be told.
private final class ModelClient: Subscriber, @unchecked Sendable {  // used on one thread
    enum Presence { case here, leaving, gone }

    let subject: ModelNetwork.Subject
    private unowned let run: ModelRun
    private var told: ModelNetwork.Answer?
    /// What was true at some moment since the last call.
    private var possible: Set<ModelNetwork.Answer> = []
    /// Whether the loop was turned since the last call, as a look may tell a newcomer twice, and nothing has changed in a look.
    var isSteady = true
    var presence = Presence.here
    private let group = WatchGroup("group")

    init(_ subject: ModelNetwork.Subject, _ run: ModelRun) { (self.subject, self.run) = (subject, run) }

    /// Something may have changed.
    func note() { possible.insert(run.answer(about: subject)) }

    private func take(_ answer: ModelNetwork.Answer) {
        // A refusal may be told again, and the rest of a path may be new.
        let isRepeated = answer == told && isSteady && answer != nil && !subject.isPath
        if presence == .gone { complain("has left, and is told", answer) }
        if presence == .here, isRepeated { complain("is told again", answer) }
        if presence == .here, isSteady, !possible.contains(answer) { complain("is told", answer) }
        (told, possible, isSteady) = (answer, [], false)
        note()
    }

    func begin(on engine: Engine) {
        if subject.isPath { return engine.addToPath(self) }
        guard !subject.others.isEmpty else { return engine.add(self, to: subject.target, subject.keys) }
        engine.loop.enqueue { [self, core = engine.core] in
            group.add(self)
            core.set(group, to: [subject.target] + subject.others, subject.keys, from: self)
        }
    }

    func end(on engine: Engine) {
        if subject.isPath { return engine.removeFromPath(self) }
        guard !subject.others.isEmpty else { return engine.remove(self, from: subject.target, subject.keys) }
        engine.loop.enqueue { [self, core = engine.core] in
            group.remove(self)
            core.set(group, to: [], subject.keys, from: nil)
        }
    }

    func compare() { if told != run.answer(about: subject) { complain("knows", told ?? nil) } }

    private func complain(_ text: String, _ answer: ModelNetwork.Answer) {
        run.complain("who watches \(subject) \(text) \(answer as Any), and true was only \(possible)")
    }

    func notify(_ watch: Watch, _ batch: inout DeliveryBatch) {
        guard let path = watch as? PathWatcher else { return take(watch.answer.map { [$0] }) }
        take(path.isRefused ? nil : path.observed?.path.waysOut)
    }
    func end(because error: ReachabilityError) { run.complain("the engine has failed: \(error)") }
}

extension NetworkPath {
    fileprivate var waysOut: [Observation] {
        [ipv4, ipv6].map { Observation(flags: $0?.flags ?? [], interface: $0?.interface) }
    }
}

/// Plays a plan: the engine on a loop that is turned, with a clock that is set, beside a kernel of our own making.
private final class ModelRun {
    private let kernel: ModelKernel
    private let namespace: NamespaceContext
    private let loop: EventLoop
    private let engine: Engine
    private let references: [ReachabilityRef]
    private var clients: [Int: ModelClient] = [:]
    private var (steps, complaint) = (0, String?.none)

    private init(_ mode: ModelKernel.Mode) throws {
        kernel = ModelKernel(mode)
        namespace = NamespaceContext(
            identity: nil, handle: nil, deviceTypes: DeviceTypes(directory: "/nowhere"), sockets: kernel.sockets)
        namespace.sharedEngine.pace.withLock { $0 = mode == .faulty ? .standard : .withoutLate }
        namespace.sharedEngine.recheckInterval.withLock { $0 = .seconds(1) }
        // Where IPv6 routes are announced too early, no answer about them is kept.
        try namespace.kernel().freshness?.lookupDelay.store(mode == .faulty ? 1 << 60 : 0, ordering: .relaxed)
        loop = try EventLoop(time: kernel.time)
        engine = try Engine(namespace: namespace, loop: loop)
        references = ModelNetwork.Subject.all.map { [namespace] in
            ReachabilityRef(.target($0.target), keys: $0.keys, namespace: namespace)
        }
        kernel.changed = { [unowned self] in note() }
    }

    /// Returns what is wrong.
    static func play(_ plan: ModelPlan) -> String? {
        var run: ModelRun? = try! ModelRun(plan.mode)
        for step in plan.steps { run?.take(step) }
        run?.end()
        let (kernel, complaint) = (run!.kernel, run!.complaint)
        weak let loop = run?.loop
        run = nil
        return complaint ?? (kernel.hasSockets || loop != nil ? "sockets or the loop are left" : nil)
    }

    func complain(_ text: String) { complaint = complaint ?? text }

    private func take(_ step: ModelPlan.Step) {
        steps += 1
        switch step {
        case .change(let change, let manner): kernel.begin(change, manner)
        case .fail(let fault, let times): kernel.faults += Array(repeating: fault, count: times)
        case .comeOrLeave(let number): comeOrLeave(number)
        case .ask: ask()
        case .pass(let microseconds): turn(0, passing: .microseconds(microseconds))
        case .turn: turn(1)
        case .halfTurn: loop.handleReady()
        case .check: check()
        }
    }

    private func turn(_ times: Int, passing duration: Duration = .zero) {
        for _ in 0..<times {
            loop.turn()
            for client in clients.values { client.isSteady = true }
        }
        kernel.time.advance(duration)
        kernel.finish(by: kernel.time.now())
        note()
    }

    /// Something has changed, or may have: a lifetime ends with the clock.
    private func note() {
        for client in clients.values {
            client.note()
            if loop.isCurrent { client.isSteady = false }
        }
    }

    func answer(about subject: ModelNetwork.Subject) -> ModelNetwork.Answer {
        kernel.network.answer(about: subject, at: kernel.time.now())
    }

    private func comeOrLeave(_ number: Int) {
        kernel.hearAll()
        let subject = ModelNetwork.Subject.all[number % references.count]
        guard let client = clients.removeValue(forKey: number) else {
            let client = ModelClient(subject, self)
            client.note()
            clients[number] = client
            return client.begin(on: engine)
        }
        client.presence = .leaving
        client.end(on: engine)
        loop.enqueue { client.presence = .gone }
    }

    /// What is answered now, and what was kept of the answer before, is what the kernel would answer.
    private func ask() {
        // Kept answers end by the clock of the machine.
        guard kernel.network.routes.values.allSatisfy({ $0.end == .distantFuture }) else { return }
        kernel.hearAll()
        let questions = Array(repeating: Array(zip(ModelNetwork.Subject.all, references)), count: 3).joined()
        for (subject, reference) in questions where !subject.isPath && subject.others.isEmpty {
            let (mayFail, before) = (!kernel.faults.isEmpty, answer(about: subject)?[0].flags)
            let flags = try? reference.getFlags()
            let possible = [before, answer(about: subject)?[0].flags] + (mayFail ? [nil] : [])
            if !possible.contains(flags) { complain("the answer about \(subject) is \(flags as Any), not \(possible)") }
        }
    }

    /// Everybody knows what is true: at once, or where something fails, after 1.1 seconds.
    private func check() {
        kernel.later = nil
        // What nobody waits for is made meanwhile, and routes end. After each refusal the kernel is asked again a little later.
        let isExact = kernel.mode == .exact
        let refusedFeeds = kernel.faults.count { $0 == .refusedFeed }
        for _ in 0..<(isExact ? 3 : 11 + kernel.faults.count + 9 * refusedFeeds) {
            turn(2, passing: isExact ? .milliseconds(15) : .milliseconds(110))
        }
        for client in clients.values { client.compare() }
        ask()
        let most = 6 * steps + Int(kernel.time.now().duration(since: ManualTime().now()) / .seconds(1))
        if engine.core.announcements.isToldAll == (kernel.mode == .untold) {
            complain("the announcements are not read")
        }
        if namespace.statistics.evaluationPasses > most { complain("there were more than \(most) looks") }
    }

    /// All leave, and nothing is left.
    private func end() {
        check()
        for number in clients.keys { comeOrLeave(number) }
        // What was due when they left may be done.
        for _ in 0..<2 { turn(4, passing: .seconds(1000)) }
        let requests = kernel.requests
        for family in AddressFamily.allCases {
            kernel.begin(.route(.all(family), nil), .after)
            turn(4, passing: .seconds(1000))
        }
        if kernel.requests > requests || engine.core.agenda.next < .distantFuture { complain("it looks for nobody") }
        engine.stop()
        loop.stop()
        loop.turn()
    }
}

/// Notes the flags that it is told.
private final class ToldFlags: Subscriber, @unchecked Sendable {  // used on one thread
    private(set) var flags: [ReachabilityFlags?] = []
    func notify(_ watch: Watch, _ batch: inout DeliveryBatch) { flags.append(watch.answer?.flags) }
}

/// An engine beside a kernel of our own making that announces each change as it is made.
private struct ModelEngine {
    let kernel = ModelKernel(.exact)
    let engine: Engine

    init() throws {
        let namespace = NamespaceContext(
            identity: nil, handle: nil, deviceTypes: DeviceTypes(directory: "/nowhere"), sockets: kernel.sockets)
        engine = try Engine(namespace: namespace, loop: EventLoop(time: kernel.time))
    }

    func turn(_ count: Int = 9, passing time: Duration = .milliseconds(15)) {
        for _ in 0..<count {
            engine.loop.turn()
            kernel.time.advance(time)
        }
    }

    /// Watches targets as the addresses of a name, until the first answer.
    func watchGroup(_ texts: String...) -> ToldFlags {
        let (told, group) = (ToldFlags(), WatchGroup("group"))
        engine.loop.enqueue { [core = engine.core] in
            group.add(told)
            core.set(group, to: texts.map { .address(IPAddress(text: $0)) }, RoutingKeys(), from: told)
        }
        turn()
        return told
    }

    func end() {
        engine.stop()
        engine.loop.stop()
        engine.loop.turn()
    }
}

/// A failure names its seed, and the steps that are enough for it. `MODEL_SEED` plays one seed alone.
@Suite("Beside a kernel of our own making", .timeLimit(.minutes(10)))
struct ModelKernelTests {
    /// In its own process, because other tests open descriptors.
    @Test func `everybody is told what is true, nobody what is old, and nothing is left`() async {
        await #expect(processExitsWith: .success) {
            let seeds = EnvironmentVariable.value(of: "MODEL_SEED").map { [UInt64($0)!] } ?? Array(0..<2_000)
            _ = Self.succeeds(seeds[0])
            let descriptors = ProcessState.descriptors
            DispatchQueue.concurrentPerform(iterations: 2) { half in
                for seed in seeds.dropFirst() where seed % 2 == half { if !Self.succeeds(seed) { break } }
            }
            try #require(ProcessState.descriptors <= descriptors)
        }
    }

    /// Everything is looked at at an interval meanwhile.
    @Test func `announcements that are refused are asked for at growing pauses, until they come`() throws {
        let model = try ModelEngine()
        let (kernel, engine) = (model.kernel, model.engine)
        func pass(seconds: Int) { model.turn(10 * seconds, passing: .milliseconds(100)) }
        pass(seconds: 1)
        kernel.faults = Array(repeating: .refusedFeed, count: 1000)
        kernel.begin(.link(3, .broken), .unread)
        pass(seconds: 60)
        #expect((10...40).contains(1000 - kernel.faults.count))
        kernel.faults = []
        pass(seconds: 3)
        #expect(engine.core.announcements.isToldAll)
        // The next time it begins at once again.
        kernel.faults = [.refusedFeed]
        kernel.begin(.link(3, .up), .unread)
        pass(seconds: 1)
        #expect(engine.core.announcements.isToldAll)
        model.end()
    }

    /// One of its addresses loses its route just after another has gained one, while the kernel is asked. The queue may hold more
    /// announcements before these than are read at once.
    @Test(arguments: 0...4, [0, 200])
    func `a group of targets is judged by answers of one moment`(requests: Int, others: Int) throws {
        let model = try ModelEngine()
        let kernel = model.kernel
        kernel.announcementRoom = 1000
        kernel.begin(.route(Prefix(text: "192.0.2.1"), .over(2)), .after)
        let told = model.watchGroup("198.51.100.9", "192.0.2.1")
        #expect(told.flags == [.reachable])
        kernel.begin(
            .route(Prefix(text: "198.51.100.9"), .over(2)),
            .between(requests, then: .route(Prefix(text: "192.0.2.1"), nil)))
        kernel.begin(.route(Prefix(text: "2001:db8::/32"), .over(2)), .after)
        kernel.begin(.link(3, .broken), .after)
        for _ in 0..<2 { kernel.begin(.others(others), .after) }
        model.turn()
        #expect(told.flags == [.reachable] && kernel.later == nil)
        model.end()
    }

    @Test func `what was announced is settled when all of it was read, in however many parts`() throws {
        let model = try ModelEngine()
        model.kernel.announcementRoom = 1000
        let told = model.watchGroup("198.51.100.9")
        for _ in 0..<2 { model.kernel.begin(.others(200), .after) }
        model.kernel.begin(.route(Prefix(text: "198.51.100.9"), .over(2)), .after)
        let settled = ReceivedValues<[ReachabilityFlags?]>()
        model.engine.loop.enqueue { [core = model.engine.core] in core.whenSettled { settled.record(told.flags) } }
        model.turn()
        #expect(settled.all == [[[], .reachable]])
        model.end()
    }

    private static func succeeds(_ seed: UInt64) -> Bool {
        var plan = ModelPlan(seed: seed)
        guard var failure = ModelRun.play(plan) else { return true }
        // Steps without which it fails too are left out.
        var position = 0
        while position < plan.steps.count {
            var shorter = plan
            shorter.steps.remove(at: position)
            if let same = ModelRun.play(shorter) { (plan, failure) = (shorter, same) } else { position += 1 }
        }
        let steps = plan.steps.map { "    \($0)" }.joined(separator: "\n")
        Issue.record("MODEL_SEED=\(seed), \(plan.mode): \(failure)\n\(steps)")
        return false
    }
}

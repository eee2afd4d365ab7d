// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Dispatch
import Glibc
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import TestHosts
import TestWaiting
import Testing

@testable import ReachabilityHostResolution

/// How long an answer is valid, and what makes it invalid before.
@Suite(.timeLimit(.minutes(10)))
struct FreshnessTests {
    let fixture = ResolverFixture()
    let started = Started()

    /// Checks for how many seconds an answer is kept, by the injected clock, just before and just after the end.
    func expectKept(_ seconds: Int, _ script: @escaping NameServer.Script) {
        let server = started.server(script)
        let resolver = Resolver(fixture.environment([server], manualTime: true))
        let name = host("a.test")
        let found = resolver.resolve(name, deadline: .distantFuture) { _ in false }
        #expect(resolver.known(name) === (seconds > 0 ? found : nil))
        fixture.time.advance(.seconds(seconds) - .nanoseconds(1))
        #expect(resolver.isFresh(found, at: fixture.time.now()) == (seconds > 0))
        #expect(resolver.known(name) === (seconds > 0 ? found : nil))
        fixture.time.advance(.nanoseconds(1))
        #expect(!resolver.isFresh(found, at: fixture.time.now()))
        #expect(resolver.known(name) == nil)
    }

    @Test(arguments: [(0, 1), (1, 1), (2, 2), (300, 300), (3600, 3600), (86400, 3600)])
    func `addresses are kept for their time to live, within limits`(ttl: UInt32, kept: Int) {
        expectKept(kept) { $0.isA ? .answer([.address("a.test", v4("192.0.2.1"), ttl: ttl)]) : .answer([]) }
    }

    @Test(arguments: [true, false]) func `no such name and no data are kept for five seconds`(exists: Bool) {
        expectKept(5) { _ in exists ? .answer([]) : .fail(rcode: 3) }
    }

    /// A server that was just started may not know its names yet.
    @Test(arguments: [true, false]) func `but not at all for 2.5 s after a file has changed`(exists: Bool) {
        let server = started.server { _ in exists ? .answer([]) : .fail(rcode: 3) }
        let resolver = Resolver(fixture.environment([server], manualTime: true))
        #expect(resolver.configuredServers.count == 1)
        fixture.replace("resolv.conf", "options ndots:1\n")
        var kept: [Bool] = []
        for step in [0, 2499, 1] {
            fixture.time.advance(.milliseconds(step))
            let found = resolver.resolve(host("a.test"), deadline: .distantFuture) { _ in false }
            #expect(found.outcome == (exists ? .noData : .noSuchName))
            kept.append(resolver.known(host("a.test")) === found)
        }
        #expect(kept == [false, false, true])
        #expect(server.count("a.test") == 6)
    }

    /// A folder on the way is there, and cannot be looked at for want of memory.
    @Test func `a file that is missing is watched although a folder could not be looked at`() async {
        await #expect(processExitsWith: .success) {
            for step in 0..<3 {
                let fixture = ResolverFixture()
                FaultInjection.fail(.stat, with: .outOfMemory, skipping: step)
                let watch = FileWatch(paths: [fixture.path("hosts")])
                FaultInjection.reset()
                try #require(watch.isUnchanged)
                fixture.write("hosts", "192.0.2.1 a.test\n")
                try #require(!watch.isUnchanged)
            }
        }
    }

    @Test func `a failure is not kept`() {
        let server = started.server { _ in .fail(rcode: 2) }
        let resolver = Resolver(fixture.environment([server]))
        _ = resolver.all("a.test")
        #expect(resolver.known(host("a.test")) == nil)
        server.setScript { _ in .answer([]) }
        #expect(resolver.all("a.test").outcome == .noData)
    }

    @Test func `an incomplete answer is used only if its addresses are enough`() {
        let server = started.server { $0.isA ? .answer([.address("a.test", v4("192.0.2.1"))]) : .fail(rcode: 2) }
        let resolver = Resolver(fixture.environment([server]))
        let found = resolver.all("a.test")
        let deadline = later()
        #expect(resolver.resolve(host("a.test"), deadline: deadline) { _ in true } === found)
        server.setScript { $0.isA ? .answer([]) : .answer([.address("a.test", v6("2001:db8::1"))]) }
        #expect(resolver.resolve(host("a.test"), deadline: deadline) { _ in false }.addresses == [v6("2001:db8::1")])
    }

    @Test(arguments: [true, false]) func `an edited hosts file counts at once`(byRename: Bool) {
        fixture.write("hosts", "192.0.2.1 a.test\n")
        let resolver = Resolver(fixture.environment([]))
        let first = resolver.all("a.test")
        #expect(first.addresses == [v4("192.0.2.1")])
        #expect(resolver.isFresh(first, at: .distantFuture))
        for number in 2...9 {
            let text = "192.0.2.\(number) a.test\n"
            if byRename { fixture.replace("hosts", text) } else { fixture.write("hosts", text) }
            #expect(resolver.known(host("a.test"))?.addresses == [v4("192.0.2.\(number)")])
        }
        #expect(!resolver.isFresh(first, at: .distantFuture))
    }

    /// Who joined such a lookup after the change would get its answer, too.
    @Test func `a way to ask is not used after a file has changed`() throws {
        let (server, resolver, loop, told) = try started.onLoop(fixture) { _ in .answer([]) }
        let query = NameQuery(host("a.test"))
        guard case .ask(let plan) = resolver.begin(query, isEnough: \.isComplete) else {
            Issue.record("there is nobody to ask")
            return
        }
        fixture.write("hosts", "192.0.2.1 a.test\n")
        _ = resolver.resolve(
            query, on: loop, plan, deadline: later(), enough: { _ in false }, completion: told.record)
        #expect(try told.next().addresses == [v4("192.0.2.1")])
        #expect(server.questions.isEmpty)
    }

    /// It would keep an inotify instance, of which a user has 128 (inotify(7)), and all lines of the files.
    @Test func `an answer that somebody keeps does not keep the files`() {
        fixture.write("hosts", "192.0.2.1 a.test\n")
        let resolver = Resolver(fixture.environment([]))
        weak var old: ResolverConfiguration?
        old = resolver.configuration
        let first = resolver.all("a.test")
        #expect(old != nil)
        fixture.write("hosts", "192.0.2.2 a.test\n")
        #expect(resolver.all("a.test").addresses == [v4("192.0.2.2")])
        #expect(old == nil)
        withExtendedLifetime(first) {}
    }

    @Test func `a change of another file beside them changes nothing`() {
        fixture.write("hosts", "192.0.2.1 a.test\n")
        let resolver = Resolver(fixture.environment([]))
        let first = resolver.all("a.test")
        fixture.write("new", "something")
        #expect(resolver.known(host("a.test")) === first)
        #expect(resolver.isFresh(first, at: .distantFuture))
    }

    @Test func `a hosts file that appears, and goes`() {
        var environment = fixture.environment([])
        environment.servers = []
        let resolver = Resolver(environment)
        #expect(resolver.all("a.test").outcome == .noServerConfigured)
        fixture.write("hosts", "192.0.2.1 a.test\n")
        #expect(resolver.all("a.test").outcome == .addresses)
        unsafe unlink(fixture.path("hosts"))
        #expect(resolver.all("a.test").outcome == .noServerConfigured)
    }

    @Test func `symbolic links are followed, and watched`() {
        fixture.write("real.conf", "nameserver 192.0.2.1\n")
        unsafe symlink("real.conf", fixture.path("middle.conf"))
        unsafe symlink("middle.conf", fixture.path("resolv.conf"))
        let resolver = Resolver(fixture.environment([]))
        #expect(resolver.configuredServers == [ServerAddress(v4("192.0.2.1"))])
        fixture.replace("real.conf", "nameserver 192.0.2.2\n")
        #expect(resolver.configuredServers == [ServerAddress(v4("192.0.2.2"))])
        fixture.write("other.conf", "nameserver 192.0.2.3\n")
        unsafe unlink(fixture.path("middle.conf"))
        unsafe symlink("other.conf", fixture.path("middle.conf"))
        #expect(resolver.configuredServers == [ServerAddress(v4("192.0.2.3"))])
        fixture.replace("resolv.conf", "nameserver 192.0.2.4\n")
        #expect(resolver.configuredServers == [ServerAddress(v4("192.0.2.4"))])
    }

    @Test func `a link to a directory that does not exist yet`() {
        unsafe symlink("\(fixture.directory)/sub/real.conf", fixture.path("resolv.conf"))
        let resolver = Resolver(fixture.environment([]))
        #expect(resolver.configuredServers == [ServerAddress(localhost4)])
        unsafe mkdir(fixture.path("sub"), 0o755)
        fixture.write("sub/real.conf", "nameserver 192.0.2.1\n")
        #expect(resolver.configuredServers == [ServerAddress(v4("192.0.2.1"))])
    }

    // MARK: Files that are empty while they are written

    private static func servers(_ texts: String...) -> [ServerAddress] { texts.map { ServerAddress(v4($0)) } }

    @Test func `what resolv.conf said holds for 100 ms after it was emptied`() {
        fixture.write("resolv.conf", "nameserver 192.0.2.1\n")
        let resolver = Resolver(fixture.environment([], manualTime: true))
        #expect(resolver.configuredServers == Self.servers("192.0.2.1"))
        fixture.write("resolv.conf", "")
        #expect(resolver.configuredServers == Self.servers("192.0.2.1"))
        fixture.time.advance(.milliseconds(60))
        // Read again for another reason, and emptied again: both prolong nothing.
        fixture.write("hosts", "192.0.2.1 a.test\n")
        #expect(resolver.all("a.test").outcome == .addresses)
        fixture.write("resolv.conf", "")
        #expect(resolver.configuredServers == Self.servers("192.0.2.1"))
        fixture.time.advance(.milliseconds(39))
        #expect(resolver.configuredServers == Self.servers("192.0.2.1"))
        fixture.time.advance(.milliseconds(1))
        #expect(resolver.configuredServers == Self.servers("127.0.0.1"))
        fixture.write("hosts", "192.0.2.2 a.test\n")
        #expect(resolver.configuredServers == Self.servers("127.0.0.1"))
    }

    @Test func `what the other files said holds as long`() {
        fixture.write("hosts", "192.0.2.1 a.test\n")
        fixture.write("nsswitch.conf", "hosts: files\n")
        let resolver = Resolver(fixture.environment([], manualTime: true))
        var isListed: Bool { resolver.all("a.test").outcome == .addresses }
        #expect(isListed)
        fixture.write("hosts", "")
        #expect(isListed)
        fixture.time.advance(.milliseconds(99))
        #expect(isListed)
        fixture.time.advance(.milliseconds(1))
        #expect(!isListed)
        fixture.write("nsswitch.conf", "hosts: dns\n")
        fixture.write("hosts", "192.0.2.1 a.test\n")
        #expect(!isListed)
        fixture.write("nsswitch.conf", "")
        #expect(!isListed)
        fixture.time.advance(.milliseconds(100))
        #expect(isListed, "without that line the hosts file counts")
    }

    @Test func `what is written then counts at once, and may be emptied again`() {
        fixture.write("resolv.conf", "nameserver 192.0.2.1\n")
        let resolver = Resolver(fixture.environment([], manualTime: true))
        for server in ["192.0.2.2", "192.0.2.3"] {
            let before = resolver.configuredServers
            fixture.write("resolv.conf", "")
            #expect(resolver.configuredServers == before)
            fixture.time.advance(.milliseconds(99))
            fixture.write("resolv.conf", "nameserver \(server)\n")
            #expect(resolver.configuredServers == Self.servers(server))
            fixture.time.advance(.milliseconds(1))
            #expect(resolver.configuredServers == Self.servers(server))
        }
        // One that is removed is not being written.
        unsafe unlink(fixture.path("resolv.conf"))
        #expect(resolver.configuredServers == Self.servers("127.0.0.1"))
    }

    @Test func `a loop is told that an emptied resolv.conf counts, although no event tells it`() throws {
        fixture.write("resolv.conf", "nameserver 192.0.2.1\n")
        let resolver = Resolver(fixture.environment([]))
        let told = ReceivedValues<[ServerAddress]>()
        let loop = try started.loop()
        let observation = resolver.whenFilesChange(on: loop) { [weak resolver] in
            told.record(resolver?.configuredServers ?? [])
        }
        defer { observation.cancel() }
        try loop.block().signal()
        fixture.write("resolv.conf", "")
        try told.next { $0 == Self.servers("127.0.0.1") }
    }

    @Test func `a changed configuration makes cached answers invalid`() {
        let server = started.server(SharingTests.everyName)
        let resolver = Resolver(fixture.environment([server]))
        let generation = resolver.configuration.generation
        let found = resolver.all("a.test")
        #expect(resolver.known(host("a.test")) === found)
        fixture.replace("resolv.conf", "search one.test\n")
        #expect(resolver.known(host("a.test")) == nil)
        #expect(resolver.configuration.generation > generation)
    }

    private static let knowsNewOnly: NameServer.Script = { question in
        guard question.name == "a.new.test" else { return .silence }
        return .answer(question.isA ? [.address("a.new.test", v4("192.0.2.1"))] : [])
    }

    @Test func `a lookup that runs while resolv.conf is replaced goes on under the new one`() throws {
        let server = started.server(Self.knowsNewOnly)
        fixture.write("resolv.conf", "search old.test\n")
        var environment = fixture.environment([server])
        environment.attemptTimeout = .milliseconds(50)
        environment.attempts = 100
        let fixture = fixture
        let changer = try TestThread("change") {
            try server.wait(forQuestions: 2)
            fixture.replace("resolv.conf", "search new.test\n")
        }
        #expect(Resolver(environment).all("a").addresses == [v4("192.0.2.1")])
        try changer.join()
    }

    @Test func `a loop goes on under a replaced resolv.conf, and tells its observers`() throws {
        fixture.write("resolv.conf", "search old.test\n")
        let (server, resolver, loop, told) = try started.onLoop(fixture, Self.knowsNewOnly)
        let changes = Counter()
        let observation = resolver.whenFilesChange(on: loop) { changes.increment() }
        defer { observation.cancel() }
        resolver.resolve("a", on: loop, completion: told.record)
        try server.wait(forQuestions: 2)
        fixture.replace("resolv.conf", "search new.test\n")
        #expect(try told.next().addresses == [v4("192.0.2.1")])
        try WaitLimit.wait(for: "word of the change") { changes.value >= 1 }
    }

    /// Between lookups the loop does not watch the files.
    @Test func `a lookup on a loop after a change is made under the new configuration, and kept`() throws {
        fixture.write("resolv.conf", "search old.test\n")
        let (server, resolver, loop, told) = try started.onLoop(fixture, SharingTests.everyName)
        for (name, full) in [("a", "a.old.test"), ("b", "b.new.test")] {
            resolver.resolve(name, on: loop, completion: told.record)
            let found = try told.next()
            #expect(found.addresses == [SharingTests.address(of: full)])
            #expect(resolver.isFresh(found, at: SystemTime().now()))
            #expect(resolver.known(host(name)) === found)
            #expect(server.count(full) == 2)
            fixture.replace("resolv.conf", "search new.test\n")
        }
    }

    @Test func `a loop is woken by changes only while it has an observer`() throws {
        fixture.write("hosts", "")
        let loop = try EventLoop()
        let resolver = Resolver(fixture.environment([]))
        func isWoken() -> Bool {
            fixture.replace("hosts", "192.0.2.1 a.test\n")
            return topology_wait_readable(loop.rawDescriptor, 0) > 0
        }
        let observation = resolver.whenFilesChange(on: loop) {}
        loop.turn()
        #expect(isWoken())
        loop.turn()
        observation.cancel()
        loop.turn()
        #expect(!isWoken())
        loop.stop()
        loop.turn()
    }

    @Test func `a name that is written to the hosts file while servers are silent is answered`() throws {
        let (server, resolver, loop, told) = try started.onLoop(fixture) { _ in .silence }
        resolver.resolve("a.test", on: loop, completion: told.record)
        try server.wait(forQuestions: 2)
        fixture.replace("hosts", "192.0.2.1 a.test\n")
        #expect(try told.next().addresses == [v4("192.0.2.1")])
    }
}

/// Which answers are kept, and which are dropped first.
@Suite(.timeLimit(.minutes(10)))
struct KeepingTests {
    let fixture = ResolverFixture()

    private func answer(_ name: String, at moment: BootTime, of configuration: ResolverConfiguration) -> Resolution {
        Resolution(
            NameQuery(host(name)),
            Finding(v4: .addresses([TimedAddress(v4("192.0.2.1"), timeToLive: 60)]), v6: .noData, origin: .dns),
            made: moment, configuration: configuration)
    }

    @Test func `an answer that was asked for under older files is not kept under newer ones`() {
        let resolver = Resolver(fixture.environment([]))
        let old = resolver.configuration
        fixture.replace("resolv.conf", "nameserver 192.0.2.53\n")
        let new = resolver.configuration
        #expect(new !== old)
        #expect(!resolver.isFresh(answer("a.test", at: SystemTime().now(), of: old), at: SystemTime().now()))
        #expect(resolver.isFresh(answer("a.test", at: SystemTime().now(), of: new), at: SystemTime().now()))
        resolver.store(answer("a.test", at: SystemTime().now(), of: old))
        #expect(resolver.known(host("a.test")) == nil)
        resolver.store(answer("a.test", at: SystemTime().now(), of: new))
        #expect(resolver.known(host("a.test")) != nil)
    }

    @Test func `a full cache drops the answers that expire first`() {
        let configuration = Resolver(fixture.environment([])).configuration
        let now = fixture.time.now()
        var cache = AnswerCache()
        for number in 0..<AnswerCache.capacity {
            let moment = now.advanced(by: .milliseconds(number))
            cache.store(answer("n\(number).test", at: moment, of: configuration), at: now)
        }
        cache.store(answer("new.test", at: now, of: configuration), at: now)
        let dropped = (0..<AnswerCache.capacity).filter { cache[NameQuery(host("n\($0).test"))] == nil }
        #expect(dropped.count == AnswerCache.capacity / 8)
        // One more answer than are dropped expires within the limit. Any of them may stay.
        #expect(dropped.allSatisfy { $0 <= AnswerCache.capacity / 8 })
        #expect(cache[NameQuery(host("new.test"))] != nil)
    }
}

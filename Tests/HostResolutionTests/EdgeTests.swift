// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import TestHosts
import TestWaiting
import Testing

/// Failures of the system, forks, and a real server.
@Suite(.timeLimit(.minutes(10)))
struct EdgeTests {
    let fixture = ResolverFixture()
    let started = Started()

    @Test func `where inotify is exhausted the files are compared instead`() async {
        // In its own process, since making any inotify instance fails meanwhile.
        await #expect(processExitsWith: .success) {
            let fixture = ResolverFixture()
            FaultInjection.fail(.inotifyCreate, with: .tooManyOpenFiles, times: .max)
            fixture.write("hosts", "192.0.2.1 a.test\n")
            let resolver = Resolver(fixture.environment([]))
            let first = resolver.all("a.test")
            precondition(resolver.known(host("a.test")) === first)
            fixture.replace("hosts", "192.0.2.20 a.test\n")
            precondition(resolver.known(host("a.test"))?.addresses == [v4("192.0.2.20")])
            precondition(!resolver.isFresh(first, at: .distantFuture))
        }
    }

    @Test func `where no socket or no channel can be made the outcome is a failure, and is not kept`() async {
        await #expect(processExitsWith: .success) {
            let server = NameServer(SharingTests.everyName)
            for call in [FaultInjection.Call.socket, .epollCreate] {
                let resolver = Resolver(ResolverFixture().environment([server]))
                FaultInjection.fail(call, with: .tooManyOpenFiles, times: .max)
                precondition(resolver.all("a.test").outcome == .couldNotAsk(.tooManyOpenFiles))
                FaultInjection.reset()
                precondition(resolver.all("a.test").outcome == .addresses)
            }
            server.stop()
        }
    }

    @Test func `a thousand known names without a waiter wake no thread`() async {
        await #expect(processExitsWith: .success) {
            let server = NameServer(SharingTests.everyName)
            let loop = try EventLoop(name: "loop")
            let resolver = Resolver(ResolverFixture().environment([server]))
            let done = Counter()
            for number in 0..<1000 { resolver.resolve("n\(number).test", on: loop) { _ in done.increment() } }
            try WaitLimit.wait(for: "a thousand to be done") { done.value >= 1000 }
            for number in 0..<1000 { precondition(resolver.known(host("n\(number).test")) != nil) }
            // Only what the loop waits for could wake it.
            let pending = Counter()
            loop.enqueue { if resolver.hasWork(on: loop) { pending.increment() } else { done.increment() } }
            try WaitLimit.wait(for: "all to be done") { done.value + pending.value >= 1001 }
            precondition(pending.value == 0)
            loop.stop()
            server.stop()
        }
    }

    @Test(.enabled(if: unsafe access("/usr/sbin/dnsmasq", X_OK) == 0, "dnsmasq-base is not installed"))
    func `a real server`() throws {
        let port = NameServer.deadPort()
        let many = (1...64).flatMap { ["--host-record=many.test,198.51.100.\($0)"] }
        let server = try RunningProgram.dnsmasq(
            [
                "--port=\(port)", "--listen-address=127.0.0.1", "--local=/test/",
                "--host-record=both.test,192.0.2.1,2001:db8::1", "--host-record=four.test,192.0.2.4",
                "--cname=alias.test,both.test", "--local-ttl=42",
            ] + many)
        defer { server.end() }
        fixture.write("resolv.conf", "search test\n")
        var environment = fixture.environment([])
        environment.servers = [ServerAddress(localhost4, port: port)]
        let resolver = Resolver(environment)
        let both = [v6("2001:db8::1"), v4("192.0.2.1")]
        #expect(resolver.all("both.test").addresses == both)
        #expect(resolver.all("both").addresses == both)
        #expect(resolver.all("alias.test").addresses == both)
        #expect(resolver.all("four.test").v4 == .addresses([TimedAddress(v4("192.0.2.4"), timeToLive: 42)]))
        #expect(resolver.all("four.test").v6 == .noData)
        #expect(resolver.all("none.test").outcome == .noSuchName)
        #expect(resolver.all("many.test").addresses.count == 64)
        guard case .failed = resolver.all("elsewhere.example.").outcome else {
            Issue.record("a server without upstream refuses what is not its own")
            return
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostResolution
import LinuxSystem
import NetworkFacts
import Testing

/// Failures of the system, forks, and a server that is not ours.
@Suite(.timeLimit(.minutes(1)))
struct EdgeTests {
    let world = World()

    @Test func `an address of another name in the answer is not taken`() {
        let server = ScriptedDNSServer { question in
            question.isA
                ? .answer([.address("evil.test", v4("192.0.2.66")), .address("a.test", v4("192.0.2.1"))]) : .answer([])
        }
        defer { server.stop() }
        #expect(Resolver(world.environment([server])).all("a.test").addresses == [v4("192.0.2.1")])
    }

    @Test func `where inotify is exhausted the files are compared instead`() async {
        // In a process of its own, since every inotify instance made meanwhile would fail.
        await #expect(processExitsWith: .success) {
            let world = World()
            FaultInjection.fail(.inotifyCreate, with: .tooManyOpenFiles, times: .max)
            world.write("hosts", "192.0.2.1 a.test\n")
            let resolver = Resolver(world.environment([]))
            let first = resolver.all("a.test")
            precondition(resolver.known(host("a.test")) === first)
            world.replace("hosts", "192.0.2.20 a.test\n")
            precondition(resolver.known(host("a.test"))?.addresses == [v4("192.0.2.20")])
            precondition(!first.isFresh(at: .distantFuture))
        }
    }

    @Test func `where no socket can be made the outcome is a failure, and is not kept`() async {
        await #expect(processExitsWith: .success) {
            let server = ScriptedDNSServer(SharingTests.everyName)
            let resolver = Resolver(World().environment([server]))
            FaultInjection.fail(.socket, with: .tooManyOpenFiles, times: .max)
            guard case .failed = resolver.all("a.test").outcome else { preconditionFailure("answered") }
            FaultInjection.reset()
            precondition(resolver.all("a.test").outcome == .addresses)
            server.stop()
        }
    }

    @Test func `where no channel can be had the outcome is a failure`() async {
        await #expect(processExitsWith: .success) {
            let server = ScriptedDNSServer(SharingTests.everyName)
            let resolver = Resolver(World().environment([server]))
            FaultInjection.fail(.epollCreate, with: .tooManyOpenFiles, times: .max)
            guard case .failed = resolver.all("a.test").outcome else { preconditionFailure("answered") }
            FaultInjection.reset()
            precondition(resolver.all("a.test").outcome == .addresses)
            server.stop()
        }
    }

    @Test func `a thousand known names and nobody waiting wake no thread`() async {
        await #expect(processExitsWith: .success) {
            let server = ScriptedDNSServer(SharingTests.everyName)
            let loop = try EventLoop(name: "loop")
            let resolver = Resolver(World().environment([server]))
            let deadline = SystemTime().now().advanced(by: .seconds(30))
            let done = Counter()
            for number in 0..<1000 {
                _ = resolver.resolve(
                    host("n\(number).test"), on: loop, deadline: deadline, enough: { _ in false }
                ) { _ in done.increment() }
            }
            while done.value < 1000 { sched_yield() }
            precondition(resolver.cachedCount == 1000)
            // What the loop waits for is the whole of what could wake it.
            let pending = Counter()
            loop.enqueue { if resolver.hasWork(on: loop) { pending.increment() } else { done.increment() } }
            while done.value + pending.value < 1001 { sched_yield() }
            precondition(pending.value == 0)
            loop.stop()
            server.stop()
        }
    }
}

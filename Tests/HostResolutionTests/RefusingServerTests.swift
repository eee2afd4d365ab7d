// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostResolution
import LinuxSystem
import TestHosts
import Testing

/// Name servers at a port without a listener. The kernel refuses the question at once (icmp(7), ECONNREFUSED).
///
/// An attempt without a refusal would take an hour here. So a lookup that ends before the deadline was refused.
@Suite("Refused questions", .timeLimit(.minutes(10)))
struct RefusingServerTests {
    let fixture = ResolverFixture()

    private func environment(_ servers: [ScriptedDNSServer] = []) -> ResolverEnvironment {
        var environment = fixture.environment(servers)
        let dead = ServerAddress(localhost4, port: ScriptedDNSServer.deadPort())
        environment.servers = [dead] + (environment.servers ?? [])
        environment.attemptTimeout = .seconds(3600)
        return environment
    }

    /// The answers of a blocking lookup and of one on a loop, each with its own resolver.
    private func answers(_ environment: ResolverEnvironment, _ name: String = "a.test") throws -> [Resolution] {
        let loop = try EventLoop(name: "loop")
        defer { loop.stop() }
        let told = ReceivedValues<Resolution>()
        let watching = Resolver(environment)
        _ = watching.resolve(
            host(name), on: loop, deadline: SystemTime().now().advanced(by: .seconds(30)), enough: { _ in false },
            completion: told.record)
        return [Resolver(environment).all(name), try told.next()]
    }

    private func expectFailure(_ resolution: Resolution) {
        for outcome in [resolution.v4, resolution.v6] {
            guard case .failed = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
    }

    @Test(arguments: ["", "options use-vc\n"]) func `fail at once, for both families`(resolvConf: String) throws {
        fixture.write("resolv.conf", resolvConf)
        for resolution in try answers(environment()) { expectFailure(resolution) }
    }

    @Test func `fail at once in every domain that is searched`() throws {
        fixture.write("resolv.conf", "search one.test two.test three.test\n")
        for resolution in try answers(environment(), "a") { expectFailure(resolution) }
    }

    @Test func `fail at once, also many together`() throws {
        let loop = try EventLoop(name: "loop")
        defer { loop.stop() }
        let told = ReceivedValues<Resolution>()
        let resolver = Resolver(environment())
        for number in 0..<300 {
            _ = resolver.resolve(
                host("n\(number).test"), on: loop, deadline: SystemTime().now().advanced(by: .seconds(30)),
                enough: { _ in false }, completion: told.record)
        }
        for resolution in try told.next(300) { expectFailure(resolution) }
    }

    @Test func `go to the next server at once, for both families`() throws {
        let server = ScriptedDNSServer { question in
            .answer([.address(question.name, question.isA ? v4("192.0.2.1") : v6("2001:db8::1"))])
        }
        defer { server.stop() }
        for resolution in try answers(environment([server])) {
            #expect(resolution.addresses == [v6("2001:db8::1"), v4("192.0.2.1")])
        }
        // Two for the thread and two for the loop. No question was repeated.
        #expect(server.questions.count == 4)
    }
}

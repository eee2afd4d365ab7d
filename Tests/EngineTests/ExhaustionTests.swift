// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// Names when there are no descriptors or inotify instances left. Both limits are per process, so each test has its own
/// process.
@Suite("Names, with nothing left", .timeLimit(.minutes(10)), .needs(.namespaces))
struct ExhaustionTests {
    private static func known(_ resolver: Resolver, _ name: String) -> [String] {
        resolver.known(NameQuery(HostName(lenient: name)))?.addresses.map(\.description) ?? []
    }

    @Test func `a file that cannot be opened says what it said before, until it can`() async {
        await #expect(processExitsWith: .success) {
            let fixture = ResolverFixture()
            fixture.write("hosts", "192.0.2.1 a.test\n")
            fixture.write("resolv.conf", "nameserver 192.0.2.53\n")
            let resolver = Resolver(fixture.environment([]))
            try #require(Self.known(resolver, "a.test") == ["192.0.2.1"])
            fixture.write("new", "192.0.2.2 a.test\n")
            try ProcessState.withoutDescriptors {
                unsafe rename(fixture.path("new"), fixture.path("hosts"))
                try #require(Self.known(resolver, "a.test") == ["192.0.2.1"])
                try #require(resolver.configuredServers.map(\.description) == ["192.0.2.53"])
                try #require(!resolver.configuration.isCurrent)
            }
            try #require(Self.known(resolver, "a.test") == ["192.0.2.2"])
            try #require(resolver.configuration.isCurrent)
        }
    }

    @Test func `a file that was never read is not taken for an empty one`() async {
        await #expect(processExitsWith: .success) {
            let fixture = ResolverFixture()
            fixture.write("hosts", "192.0.2.1 a.test\n")
            let name = NameQuery(HostName(lenient: "a.test"))
            func ask(_ resolver: Resolver) -> Resolution {
                resolver.resolve(name, deadline: SystemTime().now().advanced(by: .seconds(30))) { _ in false }
            }
            var resolver: Resolver?
            try ProcessState.withoutDescriptors {
                let made = Resolver(fixture.environment([]))
                try #require(ask(made).outcome == .couldNotAsk(.tooManyOpenFiles))
                resolver = made
            }
            let later = try #require(resolver)
            try #require(ask(later).addresses.map(\.description) == ["192.0.2.1"])
        }
    }

    @Test func `a path is not told without the servers that could not be read`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine()
            let fixture = ResolverFixture()
            fixture.write("resolv.conf", "nameserver 192.0.2.53\n")
            let namespace = NamespaceRegistry.current.namespace(of: topology.namespace)
            let source = try PathSource(topology.options)
            let access = try EngineAccess(namespace)
            let recorder = PathRecorder()
            var kept: ConfigurationFiles?
            var subscription: CancellationToken?
            try ProcessState.withoutDescriptors {
                kept = namespace.configurationFiles { ConfigurationFiles(fixture.environment([])) }
                let told = Result { () throws(ReachabilityError) in try source.current() }
                guard case .failure(let error) = told, error.errno == EMFILE else { throw Errno.badMessage }
                subscription = try source.observe(recorder.record)
                try ProcessState.wait("a look has failed") { source.statistics.failures > 0 }
                try #require(recorder.all.isEmpty)
            }
            try #require(recorder.next().servers.map(\.description) == ["192.0.2.53"])
            try #require(source.current().servers.map(\.description) == ["192.0.2.53"])
            // What was read once still counts.
            try ProcessState.withoutDescriptors {
                unsafe unlink(fixture.path("resolv.conf"))
                try #require(source.current().servers.map(\.description) == ["192.0.2.53"])
            }
            withExtendedLifetime((access, kept, subscription)) {}
        }
    }

    @Test func `a watched name is resolved anew all the same, once a descriptor can be had`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
            try network.watch("listed.test")
            try #require(try network.recorder.next() == .reachable)
            let changer = try Changer(in: network.topology)
            let eth0 = try network.topology.index(of: "eth0")
            network.fixture.write("new", "10.0.0.7 listed.test\n")
            try ProcessState.withoutDescriptors {
                // The loop notices it, but can open neither the file nor a new watch.
                unsafe rename(network.fixture.path("new"), network.fixture.path("hosts"))
                try changer.apply(.route(.add, "192.0.2.200/32", kind: .unreachable))
                try #require(try network.recorder.next() == [])
                try changer.apply(.route(.delete, "192.0.2.200/32", kind: .unreachable))
                try #require(try network.recorder.next() == .reachable)
            }
            // The next event of any kind finds the file readable.
            try changer.apply(.route(.add, "192.0.2.200/32", via: "10.0.0.254", through: eth0))
            try #require(try network.recorder.next() == [.reachable, .isDirect])
        }
    }

    /// The kernel takes milliseconds to close an instance with watches.
    @Test func `the present path is read without an inotify instance`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine()
            FaultInjection.fail(.inotifyCreate, with: .tooManyOpenFiles)
            _ = try topology.run { try PathSource().current() }
            #expect(throws: Errno.tooManyOpenFiles, "the failure still waits for who asks for an instance") {
                _ = try Inotify()
            }
        }
    }

    @Test func `a watched name follows the files at the next change of the network, without inotify`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
            FaultInjection.fail(.inotifyCreate, with: .tooManyOpenFiles, times: .max)
            try network.watch("listed.test")
            try #require(try network.recorder.next() == .reachable)
            network.fixture.replace("hosts", "10.0.0.7 listed.test\n")
            try network.topology.ip("address add 10.9.0.1/24 dev eth0")
            try #require(try network.recorder.next() == [.reachable, .isDirect])

            // Changes are noticed at once again after inotify has become available and the network has changed.
            let before = ProcessState.inotifyCount
            FaultInjection.reset()
            try network.topology.ip("route add unreachable 10.0.0.7")
            try #require(try network.recorder.next() == [])
            try #require(ProcessState.inotifyCount > before)
            network.fixture.replace("hosts", "192.0.2.200 listed.test\n")
            try #require(try network.recorder.next() == .reachable)
        }
    }
}

/// Questions about a name while no engine can be started. Injected failures concern the whole process, so the test has
/// its own.
@Suite("A name without an engine", .timeLimit(.minutes(10)), .needs(.namespaces))
struct NameWithoutEngineTests {
    @Test func `is resolved by a thread of its own, or it is an error`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
            let (first, second) = (try network.reference("a.test"), try network.reference("b.test"))
            // Only the engine's thread fails to start.
            FaultInjection.fail(.threadCreate, with: .wouldBlock)
            try #require(try await first.flags() == .reachable)
            FaultInjection.fail(.threadCreate, with: .wouldBlock, times: 2)
            let error = await #expect(throws: ReachabilityError.self) { try await second.flags() }
            try #require(error?.description == "cannot start a thread: \(Errno.wouldBlock)")
            try #require(try await second.flags() == .reachable)
        }
    }
}

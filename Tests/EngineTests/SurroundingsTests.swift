// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("Each namespace", .timeLimit(.minutes(10)), .needs(.namespaces))
struct NamespaceTests {
    @Test func `answers for itself, also to threads in another one`() throws {
        let (first, second) = (try Machine.wired(), try Machine.wired())
        let reference = try first.run { try ReachabilityRef(address: "192.0.2.1") }
        try second.ip("route add default via 10.0.0.254")
        #expect(try second.run { try reference.getFlags() } == [])
        let recorder = CallbackRecorder()
        try second.run { try recorder.watch(reference) }
        try first.ip("route add default via 10.0.0.254")
        #expect(try recorder.next() == .reachable)
        #expect(try second.run { try reference.getFlags() } == .reachable)
        try reference.setDispatchQueue(nil)
    }

    @Test func `can be given by a path or a descriptor, and shares everything with references made in it`() throws {
        let topology = try Machine.routed()
        let inside = try topology.run { try ReachabilityRef(address: "192.0.2.1") }
        let byPath = try topology.reference("192.0.2.1")
        let descriptor = unsafe open(topology.namespacePath, O_RDONLY | O_CLOEXEC)
        var options = ReachabilityOptions()
        options.networkNamespace = .descriptor(descriptor)
        let byDescriptor = try ReachabilityRef(address: "192.0.2.1", options: options)
        close(descriptor)
        for reference in [inside, byPath, byDescriptor] {
            #expect(try reference.getFlags() == .reachable)
            #expect(reference.namespace === inside.namespace)
        }
    }
}

/// A name in another namespace, after the privilege to enter that was given up. glibc gives it up on all threads (nptl(7)), so each
/// test has a process of its own.
@Suite("Without the privilege to enter it, a namespace", .timeLimit(.minutes(10)), .needs(.namespaces, .otherUsers))
struct DroppedPrivilegeTests {
    /// Runs `body` as a user without privileges.
    private static func unprivileged(_ body: () async throws -> Void) async throws {
        try #require(seteuid(65534) == 0)
        defer { seteuid(0) }
        try await body()
    }

    @Test func `has an engine that still asks for names, if it was running`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7"))
            try network.watch("a.test")
            try #require(network.recorder.next() == [.reachable, .isDirect])
            try await Self.unprivileged {
                try network.watch("b.test")
                try #require(network.recorder.next() == [.reachable, .isDirect])
                try #require(await network.reference("c.test").flags() == [.reachable, .isDirect])
            }
        }
    }

    /// Its lookups are made on the client's thread. What it knew would never change again.
    @Test func `ends a watcher of a name with the error, again at each call`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7"))
            let watcher = try ReachabilityWatcher()
            var told: [ReachabilityFlags] = []
            try watcher.add(network.reference("a.test")) { told.append($0) }
            try watcher.turn { told == [[.reachable, .isDirect]] }
            network.fixture.replace("resolv.conf", "options ndots:1\n")
            try await Self.unprivileged {
                var error = try #require(throws: ReachabilityError.self) { try watcher.turn { false } }
                try #require(error.errno == EPERM && "\(error)".contains("a.test"))
                error = try #require(throws: ReachabilityError.self) { try watcher.process() }
                try #require(error.errno == EPERM && watcher.failure?.errno == EPERM)
                try #require(throws: ReachabilityError.self) { try watcher.add(network.reference("b.test")) { _ in } }
            }
            try #require(!watcher.isReadable())
            try #require(told.count == 1)
        }
    }

    @Test func `is an error for a name that nobody can ask for, and no answer`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7"))
            let reference = try network.reference("a.test")
            try reference.openRouteClients()
            try await Self.unprivileged {
                var error = try #require(throws: ReachabilityError.self) { try reference.getFlags() }
                try #require(error.errno == EPERM)
                error = try #require(throws: ReachabilityError.self) { try reference.explain() }
                try #require(error.errno == EPERM)
                error = try await #require(throws: ReachabilityError.self) { try await reference.flags() }
                try #require(error.errno == EPERM)
            }
            try #require(reference.getFlags() == [.reachable, .isDirect])
        }
    }
}

/// What a question to a name server needs, and the system refuses.
@Suite("A name whose question cannot be sent or awaited", .timeLimit(.minutes(10)), .needs(.namespaces))
struct UnaskedNameTests {
    private static func errors(of network: NamedNetwork) async throws -> [Int32?] {
        let (one, other) = (try network.reference("b.test"), try network.reference("c.test"))
        return [
            #expect(throws: ReachabilityError.self) { try one.getFlags() }?.errno,
            await #expect(throws: ReachabilityError.self) { try await other.flags() }?.errno,
        ]
    }

    @Test func `is an error where no more sockets can be watched`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7"))
            try network.watch("a.test")
            try #require(network.recorder.next() == [.reachable, .isDirect])
            try #require(network.reference("d.test").getFlags() == [.reachable, .isDirect])
            FaultInjection.fail(.epollControl, with: .noSpace, times: .max)
            try #require(await Self.errors(of: network) == [ENOSPC, ENOSPC])
            FaultInjection.reset()
            try #require(network.reference("b.test").getFlags() == [.reachable, .isDirect])
        }
    }

    @Test(.needs(.otherUsers)) func `is an error for a user who may not set its mark`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7"))
            let server = "127.0.0.1:\(network.server.port)"
            try network.topology.run {
                let options = { () -> ReachabilityOptions in
                    var options = ReachabilityOptions()
                    options.nameServers = [server]
                    options.mark = 7
                    return options
                }()
                let reference = try ReachabilityRef(hostname: "a.test", options: options)
                try reference.openRouteClients()
                try #require(seteuid(65534) == 0)
                defer { seteuid(0) }
                let error = try #require(throws: ReachabilityError.self) { try reference.getFlags() }
                try #require(error.errno == EPERM)
            }
        }
    }
}

/// The program closes descriptors that are not its own (closefrom(3)).
@Suite("Where the program closed epoll instances", .timeLimit(.minutes(10)), .needs(.namespaces))
struct ClosedDescriptorTests {
    @Test func `a name is an error, and no answer`() async {
        await #expect(processExitsWith: .success) {
            let opened = try NewDescriptors()
            let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7"))
            try #require(network.reference("a.test").getFlags() == [.reachable, .isDirect])
            let other = try network.reference("b.test")
            opened.close("anon_inode:[eventpoll]")
            let error = try #require(throws: ReachabilityError.self) { try other.getFlags() }
            try Self.requireClosed(error)
        }
    }

    @Test func `a name that the engine asks for is an error, too`() async {
        await #expect(processExitsWith: .success) {
            let opened = try NewDescriptors()
            let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7"))
            try network.watch("a.test")
            try #require(network.recorder.next() == [.reachable, .isDirect])
            let engine = try EngineAccess(network.namespace)
            // Blocked, the engine does not notice before it is asked. Afterwards another one would be started, and would answer.
            let freed = try engine.loop.block()
            opened.close("anon_inode:[eventpoll]")
            let other = try network.reference("b.test")
            let (users, asking) = (network.namespace.sharedEngine.userCount, Task { try await other.flags() })
            try ProcessState.wait("the engine is asked") { network.namespace.sharedEngine.userCount > users }
            freed.signal()
            let error = try await #require(throws: ReachabilityError.self) { try await asking.value }
            try Self.requireClosed(error)
        }
    }

    @Test func `a name is asked for again where what watched it has failed`() async {
        await #expect(processExitsWith: .success) {
            let opened = try NewDescriptors()
            let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7"))
            let reference = try network.reference("a.test")
            let engine = try EngineAccess(network.namespace)
            // So that the name is not known when the engine fails.
            let freed = try engine.loop.block()
            try network.watch(reference)
            try #require(reference.getFlags() == .reachable, "the flags of the default path")
            opened.close("anon_inode:[eventpoll]")
            freed.signal()
            try ProcessState.wait("the engine has failed") { engine.loop.failure != nil }
            // The number of the caller's loop may have been closed, too: that is noticed once.
            try ProcessState.wait("the name is known") { (try? reference.getFlags()) == [.reachable, .isDirect] }
            try #require(try await reference.flags() == [.reachable, .isDirect])
        }
    }

    /// The number may belong to a socket since.
    private static func requireClosed(_ error: ReachabilityError) throws {
        try #require([EBADF, EINVAL].contains(error.errno), "\(error)")
    }
}

@Suite("If the system fails", .timeLimit(.minutes(10)), .needs(.namespaces))
struct FaultTests {
    /// The feed cannot be read any more, and opening another one fails three times.
    @Test func `the engine recovers, and notices later changes`() async {
        await #expect(processExitsWith: .success) {
            for call in [nil, FaultInjection.Call.socket, .bind, .setOption, .epollControl] {
                let network = try WatchedNetwork("10.0.0.1/24")
                let reference = try network.watch("192.0.2.1")
                try network.settle()
                let freed = try network.engine.loop.block()
                try network.topology.ip("route add 192.0.2.0/24 via 10.0.0.254")
                let before = reference.statistics.failures
                FaultInjection.fail(.receive, with: .outOfMemory)
                if let call { FaultInjection.fail(call, with: .outOfMemory, times: 3) }
                freed.signal()
                try #require(try network.recorder.next() == .reachable)
                FaultInjection.reset()
                try #require(reference.statistics.failures > before)
                try network.finishRechecks()
                try network.topology.ip("route del 192.0.2.0/24")
                try #require(try network.recorder.next() == [])
            }
        }
    }

    /// The route was looked up, and the question about its link fails.
    @Test func `a look that fails half-way is counted and made again`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork("10.0.0.1/24")
            let reference = try network.watch("10.0.0.7")
            try network.settle()
            let freed = try network.engine.loop.block()
            // After this, the link has to be asked about again.
            try network.topology.ip("link set eth0 mtu 1400")
            let before = reference.statistics.failures
            FaultInjection.fail(.send, with: .outOfMemory, skipping: 1)
            freed.signal()
            try ProcessState.wait("the failure is counted") { reference.statistics.failures > before }
            FaultInjection.reset()
            try network.topology.ip("link set eth0-peer down")
            try #require(try network.recorder.next() == [])
        }
    }
}

@Suite("Where netlink is forbidden", .timeLimit(.minutes(10)), .needs(.namespaces))
struct ForbiddenNetlinkTests {
    @Test(arguments: ["97", "1", "38", "93"])
    func `connecting a socket answers, and says so`(errno: String) throws {
        let topology = try Machine.wired()
        let command = [BuiltProduct.path("deny-netlink"), errno, BuiltProduct.path("reachability"), "check", "--json"]
        let json = try topology.run { try CallingThread.execute(command + ["127.0.0.1", "10.0.0.7"]) }
        let lines = json.split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines {
            #expect(line.contains("\"answered_by\":\"udp\"") || line.contains("\"answered_by\": \"udp\""))
        }
        #expect(json.contains("isLocalAddress"))
        // Without netlink neither a mark nor a user can be taken into account. That is an error, not an answer.
        for option in ["--mark", "--uid"] {
            let error = try #require(throws: MachineError.self) {
                try topology.run { try CallingThread.execute(command + [option, "7", "127.0.0.1"]) }
            }
            guard case .command(let status, let complaints) = error.cause else { throw error }
            #expect(status == 2 && complaints.contains("netlink is forbidden here"))
        }
    }

    /// A filter of system calls that knows recvmsg(2) and not recvmmsg(2) is found in the wild.
    @Test(arguments: ["1", "38"])
    func `where recvmmsg alone is refused, datagrams are received one by one`(errno: String) throws {
        let topology = try Machine.routed()
        for number in 1...40 { try topology.ip("address add 10.1.0.\(number)/32 dev eth0") }
        let command = [BuiltProduct.path("deny-netlink"), "-m", errno, BuiltProduct.path("reachability")]
        let json = try topology.run {
            try CallingThread.execute(command + ["path", "--json"])
                + CallingThread.execute(command + ["check", "--json"] + (1...40).map { "10.1.0.\($0)" })
        }
        #expect(json.contains("eth0") && !json.contains("udp"))
        #expect(json.split(separator: "isLocalAddress").count == 41)
    }
}

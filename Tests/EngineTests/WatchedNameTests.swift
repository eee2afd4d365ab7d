// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import TestTopology
import Testing

@testable import ReachabilityHostResolution
@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("A watched name", .timeLimit(.minutes(10)), .needs(.namespaces))
struct WatchedNameTests {
    @Test func `is called back also where its flags have been asked for before`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
        let reference = try network.reference("a.test")
        #expect(try reference.getFlags() == .reachable)
        try network.watch(reference)
        #expect(try network.recorder.next() == .reachable)
        #expect(network.server.count("a.test") == 2, "the answer was known")
    }

    /// A change is announced, and the engine has not looked at it yet.
    @Test func `tells one who joins the present answer, not that of the last look`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
        let reference = try network.watch("a.test")
        #expect(try network.recorder.next() == .reachable)
        let engine = try network.namespace.acquireEngine()
        defer { network.namespace.sharedEngine.release() }
        let held = try engine.loop.block()
        try network.topology.ip("route delete default")
        let states = ReceivedValues<ReachabilityFlags>()
        let token = try reference.observe { states.record($0.observation.flags) }
        held.signal()
        #expect(try states.next() == [])
        token.cancel()
    }

    /// The same, and the first question after it fails.
    @Test func `tells one who joins the present answer even if it cannot be asked for at once`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
            let reference = try network.watch("a.test")
            try #require(network.recorder.next() == .reachable)
            let engine = try network.namespace.acquireEngine()
            let held = try engine.loop.block()
            try network.topology.ip("route delete default")
            let states = ReceivedValues<ReachabilityFlags>()
            let token = try reference.observe { states.record($0.observation.flags) }
            let address = try network.topology.reference("192.0.2.1")
            let addressToken = try address.observe { states.record($0.observation.flags) }
            FaultInjection.fail(.send, with: .outOfMemory)
            held.signal()
            try #require(states.next(2) == [[], []])
            token.cancel()
            addressToken.cancel()
        }
    }

    /// Its address is watched already, and the engine has not looked at a change that was announced.
    @Test func `tells the present answer first, too, where its address is watched already`() throws {
        let network = try NamedNetwork(NamedNetwork.holding)
        let address = try network.topology.reference("10.0.0.7")
        let (known, states) = (ReceivedValues<ReachabilityFlags>(), ReceivedValues<ReachabilityFlags>())
        let addressToken = try address.observe { known.record($0.observation.flags) }
        #expect(try known.next() == [.reachable, .isDirect])
        let token = try network.reference("a.test").observe { states.record($0.observation.flags) }
        try network.server.wait(forQuestions: 2)
        let held = try #require(address.namespace.sharedEngine.present).loop.block()
        network.server.release()
        try network.topology.ip("route delete 10.0.0.0/24")
        held.signal()
        #expect(try states.next() == .reachable)
        token.cancel()
        addressToken.cancel()
    }

    /// The next attempt may be minutes away, while a question would be answered at once.
    @Test func `is resolved at once for one who joins, if it could not be resolved before`() throws {
        let network = try NamedNetwork { _ in .fail(rcode: 2) }
        let reference = try network.watch("a.test")
        #expect(try network.recorder.next() == [])
        network.server.setScript { _ in .silence }
        let engine = try network.namespace.acquireEngine()
        defer { network.namespace.sharedEngine.release() }
        let resolver = network.resolver
        let isAtWork = ReceivedValues<Bool>()
        // What is enqueued may enqueue more.
        func look() {
            engine.loop.enqueue {
                engine.loop.enqueue { isAtWork.record(resolver.hasWork(on: engine.loop)) }
            }
        }
        look()
        let token = try reference.observe { _ in }
        look()
        #expect(try isAtWork.next() == false)
        #expect(try isAtWork.next() == true)
        token.cancel()
    }

    @Test func `has the default path's flags until it is resolved, and never blocks`() throws {
        let network = try NamedNetwork(NamedNetwork.holding)
        let reference = try network.watch("a.test")
        try network.server.wait(forQuestions: 2)
        #expect(try reference.getFlags() == .reachable)
        #expect(network.recorder.all == [])
        network.server.release()
        #expect(try network.recorder.next() == [.reachable, .isDirect])
        #expect(try reference.getFlags() == [.reachable, .isDirect])
    }

    /// Only `getFlags` must not wait.
    @Test func `is waited for by a task`() async throws {
        let network = try NamedNetwork(NamedNetwork.holding)
        let reference = try network.watch("a.test")
        try network.server.wait(forQuestions: 2)
        let users = network.namespace.sharedEngine.userCount
        let (flags, explanation) = (Task { try await reference.flags() }, Task { try await reference.explanation() })
        try await WaitLimit.wait(for: "both tasks") { network.namespace.sharedEngine.userCount == users + 2 }
        network.server.release()
        #expect(try await flags.value(for: "the flags") == [.reachable, .isDirect])
        #expect(try await explanation.value(for: "the explanation").addresses == ["10.0.0.7"])
    }

    @Test func `has the default path's flags too where half of its answer is known`() throws {
        let network = try NamedNetwork { question in
            question.isA ? .answer([.address(question.name, IPAddress(text: "192.0.2.1"))]) : .fail(rcode: 2)
        }
        try network.topology.ip("route add unreachable 192.0.2.1")
        let reference = try network.reference("a.test")
        #expect(try reference.getFlags() == [])
        network.server.setScript(NamedNetwork.holding)
        let asked = network.server.questions.count
        try network.watch(reference)
        try network.server.wait(forQuestions: asked + 2)
        #expect(try reference.getFlags() == .reachable)
        network.server.release()
        #expect(try network.recorder.next() == [.reachable, .isDirect])
    }

    @Test func `answers from its newest addresses though the flags stay the same`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1", ttl: 1))
        let reference = try network.watch("a.test")
        #expect(try network.recorder.next() == .reachable)
        network.server.setScript(NamedNetwork.answering("192.0.2.2", ttl: 60))
        try network.server.wait(forQuestions: 4)
        // No callback tells when the new answer is in use.
        try ProcessState.wait("the new address counts") { (try? reference.explain().addresses) == ["192.0.2.2"] }
        try network.topology.ip("route add unreachable 192.0.2.1")
        #expect(try reference.getFlags() == .reachable)
        try network.topology.ip("route add unreachable 192.0.2.2")
        #expect(try network.recorder.next() == [])
    }

    @Test func `keeps its addresses, on their present routes, while a server is silent`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1", ttl: 1))
        let reference = try network.reference("a.test") { $0.resolutionTimeout = .seconds(2) }
        try network.watch(reference)
        #expect(try network.recorder.next() == .reachable)
        network.server.setScript { _ in .silence }
        try network.server.wait(forQuestions: network.server.questions.count + 2)
        try network.topology.ip("route add unreachable 192.0.2.1")
        #expect(try network.recorder.next() == [])
        try network.topology.ip("route del unreachable 192.0.2.1")
        #expect(try network.recorder.next() == .reachable)
    }

    /// After a change of the configuration, a name that was not found is soon asked for again. The second lookup shows that
    /// the failure of the first was noted.
    @Test(arguments: [false, true]) func `keeps its addresses when it could not be resolved again`(
        isSilent: Bool
    ) throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
        let reference = try network.watch("a.test") { $0.resolutionTimeout = .seconds(2) }
        #expect(try network.recorder.next() == .reachable)
        let before = network.server.questions.count
        network.server.setScript { _ in isSilent ? .silence : .fail(rcode: 2) }
        network.fixture.replace("resolv.conf", "search new.test\n")
        // A lookup asks six questions if the server fails, and at least four in two seconds if it is silent. Any further
        // ones belong to the second lookup.
        let lookup = isSilent ? 4 : 6
        try network.server.wait(forQuestions: before + lookup + 2)
        try ProcessState.wait("a second lookup has begun") { network.server.questions.count >= before + lookup + 2 }
        #expect(try reference.getFlags() == .reachable)
        try network.topology.ip("route add unreachable 192.0.2.1")
        #expect(try network.recorder.next() == [])
        try network.topology.ip("route del unreachable 192.0.2.1")
        #expect(try network.recorder.next() == .reachable)
        #expect(network.recorder.all == [.reachable, [], .reachable])
    }

    @Test func `is resolved again when the configuration changes`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
        try network.watch("a.test")
        #expect(try network.recorder.next() == .reachable)
        network.fixture.replace("hosts", "10.0.0.7 a.test\n")
        #expect(try network.recorder.next() == [.reachable, .isDirect])
        network.fixture.replace("hosts", "")
        #expect(try network.recorder.next() == .reachable)
    }

    @Test func `is resolved again when the way out is another`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7"))
        try network.watch("a.test")
        #expect(try network.recorder.next() == [.reachable, .isDirect])
        network.server.setScript(NamedNetwork.answering("192.0.2.1"))
        try network.topology.wire("eth1", address: "10.1.0.1/24")
        try network.topology.ip("route replace default via 10.1.0.254")
        #expect(try network.recorder.next() == .reachable)
    }

    @Test func `has the flags of its best address, and of equals the first`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1", "10.0.0.7", "2001:db8:7::1"))
        try network.watch("a.test")
        // IPv6 has no route. Of the others the lower address comes first.
        #expect(try network.recorder.next() == [.reachable, .isDirect])
        try network.topology.ip("-6 route add default via 2001:db8::2 dev eth0")
        #expect(try network.recorder.next() == .reachable)
        try network.topology.ip("link set eth0-peer down")
        #expect(try network.recorder.next() == [])
    }

    /// The engine sees that a link has gone by a look at one address, before it has read the announcement.
    @Test func `is judged by all its addresses as they are now`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1", "10.0.0.7", "2001:db8:7::1"))
        try network.topology.ip("-6 route add default via 2001:db8::2 dev eth0")
        try network.watch("a.test")
        #expect(try network.recorder.next() == .reachable)
        let engine = try #require(network.namespace.sharedEngine.present)
        let linkIsDown = DispatchSemaphore(value: 0)
        engine.loop.enqueue {
            linkIsDown.wait()
            engine.core.agenda.announced.add(.route(Prefix(IPAddress(text: "2001:db8:7::1"), length: 128)))
            engine.core.evaluateIfDue()
        }
        try network.topology.ip("link set eth0-peer down")
        linkIsDown.signal()
        #expect(try network.recorder.next() == [])
    }

    /// No name server is asked, so nothing else would lead to a question.
    @Test func `that is this machine's has its present addresses, and is never without`() throws {
        let network = try NamedNetwork { _ in .silence }
        network.fixture.write("nsswitch.conf", "hosts: files myhostname\n")
        let reference = try network.watch("machine") { $0.families = [.v4] }
        #expect(try network.recorder.next() == [.reachable, .isLocalAddress, .isDirect])
        let states = ReceivedValues<[IPAddress]>()
        let token = try reference.observe(everyEvaluation: true) { states.record($0.resolution?.addresses ?? []) }
        for number in 1...3 {
            try network.topology.ip(
                """
                address add 10.\(number).0.1/24 dev eth0
                address delete 10.\(number - 1).0.1/24 dev eth0
                """)
            let present: [IPAddress] = [IPAddress(text: "10.\(number).0.1")]
            try states.next { $0.filter { $0.family == .v4 } == present }
        }
        try network.recorder.finishDeliveries()
        #expect(network.recorder.all.filter { !$0.isReachable } == [])
        token.cancel()
    }

    @Test func `that is this machine's is reachable by a link-local address alone`() throws {
        let network = try NamedNetwork { _ in .silence }
        network.fixture.write("nsswitch.conf", "hosts: files myhostname\n")
        try network.topology.ip(
            "-6 address add fe80::7/64 dev eth0 nodad\n-6 address delete 2001:db8::1/64 dev eth0")
        let reference = try network.reference("machine") { $0.families = [.v6] }
        #expect(try reference.getFlags() == [.reachable, .isLocalAddress, .isDirect])
        #expect(try reference.explain().addresses == ["fe80::7%eth0"])
    }

    @Test func `is another one for each family that is asked for alone`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
        let references = try ReachabilityOptions.Family.allCases.map { family in
            try network.reference("a.test") { $0.families = [family] }
        }
        try network.watch(references[0])
        #expect(try network.recorder.next() == .reachable)
        try network.watch(references[1])
        #expect(try network.recorder.next() == [])
        #expect(network.server.questions.map(\.isA) == [true, false])
    }

    @Test func `of one family keeps the answer that it had before it was scheduled`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7"))
        let reference = try network.reference("a.test") { $0.families = [.v4] }
        #expect(try reference.getFlags() == [.reachable, .isDirect])
        let engine = try network.namespace.acquireEngine()
        defer { network.namespace.sharedEngine.release() }
        let held = try engine.loop.block()
        defer { held.signal() }
        try network.watch(reference)
        // The default path's flags would be without isDirect.
        #expect(try reference.getFlags() == [.reachable, .isDirect])
    }

    @Test func `is not asked about again for a second reference`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
        let references = try (0..<3).map { _ in try network.reference("a.test") }
        for reference in references { try network.watch(reference) }
        for _ in references { #expect(try network.recorder.next() == .reachable) }
        #expect(network.server.count("a.test") == 2)
    }
}

@Suite("Asking for a name", .timeLimit(.minutes(10)), .needs(.namespaces))
struct NameAnswerTests {
    @Test func `resolves it once, and answers from what is known then`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
        let reference = try network.reference("a.test")
        for _ in 0..<5 { #expect(try reference.getFlags() == .reachable) }
        #expect(network.server.count("a.test") == 2)
        try network.topology.ip("route add unreachable 192.0.2.1")
        #expect(try reference.getFlags() == [])
    }

    @Test func `under the optimistic policy asks no server, and answers for the default path`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
        let reference = try network.reference("a.test") { $0.resolutionPolicy = .optimistic }
        #expect(try reference.getFlags() == .reachable)
        try network.topology.ip("route del default")
        #expect(try reference.getFlags() == [])
        #expect(network.server.questions == [])
    }

    @Test func `asks no server without a route to it`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
        try network.topology.ip("route del default")
        let reference = try network.reference("a.test") { $0.nameServers = ["198.51.100.53"] }
        #expect(try reference.getFlags() == [])
        #expect(try reference.explain().reason.contains("none of the name servers can be reached"))
    }

    @Test func `ends at the deadline with what is known by then, and says so in the same answer`() async throws {
        let network = try NamedNetwork { $0.isA ? .silence : .answer([]) }
        let reference = try network.reference("a.test") { $0.resolutionTimeout = .milliseconds(20) }
        #expect(try reference.getFlags() == [])
        for answer in [try reference.getFlagsAndReason(), try await reference.flagsAndReason()] {
            #expect(answer == ([], "no_answer"))
        }
        network.server.setScript(NamedNetwork.answering("192.0.2.1"))
        let patient = try network.reference("a.test")
        #expect(try patient.getFlags() == .reachable, "a timeout is not kept")
        #expect(try patient.getFlagsAndReason() == (.reachable, "gateway"))
    }

    @Test func `from a source address is about what can be sent from there`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
        let servers = ["127.0.0.1:\(network.server.port)"]
        for (source, flags) in [("10.0.0.1", .reachable), ("10.0.0.99", [])] as [(String, ReachabilityFlags)] {
            let reference = try network.reference("a.test") { ($0.sourceAddress, $0.nameServers) = (source, servers) }
            #expect(try reference.getFlags() == flags)
        }
    }

    @Test func `over an interface asks a server on this machine all the same`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
        let reference = try network.reference("a.test") {
            $0.interface = "eth0"
            $0.nameServers = ["127.0.0.1:\(network.server.port)"]
        }
        #expect(try reference.getFlags() == .reachable)
        #expect(network.server.count("a.test") == 2)
    }

    @Test(arguments: [true, false])
    func `without blocking a thread ends with the task, also before it began`(isEarly: Bool) async throws {
        let network = try NamedNetwork { _ in .silence }
        let reference = try network.reference("a.test")
        // Of high priority, so that it has other threads than the tests, of which one waits here.
        let asking = Task(priority: .high) {
            if isEarly { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            return try await reference.flags()
        }
        if !isEarly {
            try network.server.wait(forQuestions: 2)
            asking.cancel()
        }
        let error = await #expect(throws: ReachabilityError.self) { try await asking.value }
        #expect(error?.code == .cancelled)
        #expect(network.namespace.sharedEngine.userCount == 0)
    }
}

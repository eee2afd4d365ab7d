// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

@Suite("A watcher on the client's loop", .timeLimit(.minutes(10)), .needs(.namespaces))
struct WatcherTests {
    private let topology: Machine
    private let watcher: ReachabilityWatcher

    init() throws {
        (topology, watcher) = (try Machine.wired(), try ReachabilityWatcher())
    }

    @Test func `tells the present flags first, then each change, on the thread that turns it`() throws {
        var seen: [ReachabilityFlags] = []
        let thread = pthread_self()
        try watcher.add(topology.reference("192.0.2.1")) { flags in
            #expect(pthread_self() == thread)
            seen.append(flags)
        }
        #expect(seen == [])
        try watcher.turn { seen == [[]] }
        try topology.ip("route add default via 10.0.0.254")
        try watcher.turn { seen == [[], .reachable] }
        try topology.ip("route add 192.0.2.1 dev eth0")
        try watcher.turn { seen == [[], .reachable, [.reachable, .isDirect]] }
    }

    @Test func `that is turned late tells the newest flags, once`() throws {
        var seen: [ReachabilityFlags] = []
        try watcher.add(topology.reference("192.0.2.1")) { seen.append($0) }
        try watcher.turn { seen == [[]] }
        try topology.ip("route add default via 10.0.0.254")
        try topology.ip("route del default")
        try topology.ip("route add 192.0.2.1 dev eth0")
        try watcher.turn { seen.count > 1 }
        #expect(seen == [[], [.reachable, .isDirect]])
    }

    @Test func `sleeps between changes: its descriptor is readable only while there is something to do`() throws {
        var count = 0
        let reference = try topology.reference("192.0.2.1")
        try watcher.add(reference) { _ in count += 1 }
        try watcher.turn { count == 1 }
        while watcher.isReadable() { try watcher.process() }
        #expect(count == 1)
        try topology.ip("route add default via 10.0.0.254")
        #expect(watcher.isReadable())
    }

    @Test func `has no thread, and leaves no descriptor`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.wired()
            let reference = try topology.reference("192.0.2.1")
            try reference.openRouteClients()
            let before = ProcessState.descriptors
            do {
                let watcher = try ReachabilityWatcher()
                let own = ProcessState.descriptors
                for _ in 0..<2 {
                    var count = 0
                    let token = try watcher.add(reference) { _ in count += 1 }
                    try watcher.turn { count == 1 }
                    try #require(ProcessState.engineCount == 0)
                    try #require(ProcessState.descriptors > own)
                    // With the last reference in a namespace goes all that is open for the namespace.
                    watcher.remove(token)
                    try watcher.process()
                    try #require(ProcessState.descriptors == own)
                }
                try watcher.add(reference) { _ in }
                try watcher.process()
            }
            try #require(ProcessState.descriptors == before)
        }
    }

    @Test func `watches references of several namespaces`() throws {
        let second = try Machine.wired()
        var seen: [[ReachabilityFlags]] = [[], []]
        try watcher.add(topology.reference("192.0.2.1")) { seen[0].append($0) }
        try watcher.add(second.reference("192.0.2.1")) { seen[1].append($0) }
        try watcher.turn { seen == [[[]], [[]]] }
        try second.ip("route add default via 10.0.0.254")
        try watcher.turn { seen == [[[]], [[], .reachable]] }
    }

    // MARK: What a handler may do

    @Test func `calls no handler of what another handler has removed`() throws {
        var tokens: [ReachabilityWatcher.Token] = []
        var calls: [Int] = []
        for number in 0..<3 {
            tokens.append(
                try watcher.add(topology.reference("192.0.2.1")) { _ in
                    calls.append(number)
                    for token in tokens where token != tokens[number] { watcher.remove(token) }
                })
        }
        try watcher.turn { !calls.isEmpty }
        #expect(calls.count == 1)
        let others = tokens.enumerated().filter { $0.offset != calls[0] }.map(\.element)
        #expect(others.map { watcher.remove($0) } == [false, false])
        #expect(watcher.remove(tokens[calls[0]]))
    }

    @Test func `can be given references by a handler, which may also turn it without effect`() throws {
        let (first, second) = (try topology.reference("192.0.2.1"), try topology.reference("10.0.0.7"))
        var seen: [ReachabilityFlags] = []
        try watcher.add(first) { _ in
            _ = try? watcher.add(second) { seen.append($0) }
            #expect(throws: Never.self) { try watcher.process() }
            #expect(seen == [])
        }
        try watcher.turn { seen == [[.reachable, .isDirect]] }
    }

    @Test func `can be closed by a handler, and then does nothing`() throws {
        let reference = try topology.reference("192.0.2.1")
        var count = 0
        for _ in 0..<2 {
            try watcher.add(reference) { _ in
                count += 1
                watcher.close()
            }
        }
        try watcher.turn { count == 1 }
        try topology.ip("route add default via 10.0.0.254")
        // The change was announced before the command returned, and would be read here.
        #expect(!watcher.isReadable())
        try watcher.process()
        watcher.close()
        #expect(count == 1)
        let error = #expect(throws: ReachabilityError.self) { try watcher.add(reference) { _ in } }
        #expect(error?.code == .scheduling)
    }

    @Test(arguments: [false, true]) func `releases a handler when its reference is removed, and at the end`(
        isEnd: Bool
    ) throws {
        final class Held {}
        var held: Held? = Held()
        weak let watched = held
        let token = try watcher.add(topology.reference("192.0.2.1")) { [held] _ in _ = held }
        held = nil
        #expect(watched != nil)
        if isEnd { watcher.close() } else { watcher.remove(token) }
        #expect(watched == nil)
    }

    // MARK: Names

    @Test func `resolves names, and again when the hosts file changes`() throws {
        let network = try NamedNetwork(NamedNetwork.answering("10.0.0.7"))
        var (answered, listed): ([ReachabilityFlags], [ReachabilityFlags]) = ([], [])
        try watcher.add(network.reference("a.test")) { answered.append($0) }
        try watcher.add(network.reference("listed.test")) { listed.append($0) }
        try watcher.turn { answered == [[.reachable, .isDirect]] && listed == [.reachable] }
        network.fixture.write("hosts", "10.0.0.9 listed.test\n")
        try watcher.turn { listed.last == [.reachable, .isDirect] }
    }

    /// The thread would wait for itself: the lookup on the watcher's loop goes on only when it is turned.
    @Test func `does not hold up a question about a name that it is resolving`() throws {
        let network = try NamedNetwork(NamedNetwork.holding)
        let reference = try network.reference("a.test")
        var seen: [ReachabilityFlags] = []
        try watcher.add(reference) { seen.append($0) }
        // The questions of the watcher are sent, and their answers are held. A question may be sent again.
        try watcher.turn { network.server.count("a.test") >= 2 }
        network.server.setScript(NamedNetwork.answering("10.0.0.7"))
        #expect(try reference.getFlags() == [.reachable, .isDirect])
        network.server.release()
        try watcher.turn { seen == [[.reachable, .isDirect]] }
    }

    // MARK: Ends

    /// The change has the name looked up again, on a loop that is about to end.
    @Test func `that is closed while a change waits leaves no descriptor`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
            let reference = try network.reference("a.test")
            var counts: Set<Int> = []
            for round in 0..<6 {
                let watcher = try ReachabilityWatcher()
                var isTold = false
                try watcher.add(reference) { _ in isTold = true }
                try watcher.turn { isTold }
                try network.topology.ip("route replace default via 10.0.0.\(200 + round)")
                try #require(watcher.isReadable(within: WaitLimit.milliseconds))
                watcher.close()
                // The first round opens what stays.
                if round > 0 { counts.insert(ProcessState.descriptors) }
            }
            try #require(counts.count == 1, "\(counts)")
            network.server.stop()
        }
    }

    /// The lookup keeps the watched name that waits for its answer, and the watched name keeps the lookup.
    @Test func `that is closed while a name is looked up leaves no descriptor`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.holding)
            let reference = try network.reference("a.test")
            var counts: Set<Int> = []
            for round in 0..<6 {
                let watcher = try ReachabilityWatcher()
                try watcher.add(reference) { _ in }
                try watcher.turn { network.server.questions.count >= 2 * (round + 1) }
                watcher.close()
                if round > 0 { counts.insert(ProcessState.descriptors) }
            }
            try #require(counts.count == 1, "\(counts)")
            network.server.stop()
        }
    }

    /// Whoever closes ten thousand connections removes them one after the other.
    @Test func `moves each of those it keeps a few times at most when others are removed`() throws {
        let reference = try Machine().run { try ReachabilityRef(address: "127.0.0.1") }
        let watcher = try ReachabilityWatcher()
        let tokens = try (0..<1_000).map { _ in try watcher.add(reference) { _ in } }
        for token in tokens.dropLast() {
            #expect(watcher.remove(token))
            #expect(!watcher.remove(token))
        }
        #expect(watcher.movedCount <= 2 * tokens.count)
        #expect(watcher.remove(tokens[999]))
    }

    // MARK: Forks

    @Test(.disabled(if: Sanitizer.isThread, "Swift's runtime takes locks for its globals under Thread Sanitizer"))
    func `of the parent does nothing in the child of a fork, and goes on in the parent`() async {
        await #expect(processExitsWith: .success) {
            let topology = try Machine.wired()
            let reference = try topology.reference("192.0.2.1")
            var watcher: ReachabilityWatcher? = try ReachabilityWatcher()
            var seen: [ReachabilityFlags] = []
            let token = try watcher?.add(reference) { seen.append($0) }
            try watcher?.turn { seen == [[]] }
            try topology.ip("route add default via 10.0.0.254")
            try ForkedEngineTests.inChild {
                let isReadable = watcher?.isReadable()
                for _ in 0..<2 {
                    guard code({ try watcher?.process() }) == .unsupported, watcher?.isReadable() == false else {
                        return false
                    }
                }
                let isRemoved = token.map { watcher?.remove($0) == true } ?? true
                let refusal = code { _ = try watcher?.add(reference) { _ in } }
                watcher?.close()
                watcher = nil
                return isReadable == true && seen == [[]] && !isRemoved && refusal == .unsupported
            }
            try watcher?.turn { seen == [[], .reachable] }
            try topology.ip("route del default")
            try watcher?.turn { seen == [[], .reachable, []] }
        }
    }
}

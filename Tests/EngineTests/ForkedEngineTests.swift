// SPDX-License-Identifier: Apache-2.0

import CReachabilityTesting
import Dispatch
import Glibc
import ReachabilityLinuxSystem
import Synchronization
import TestTopology
import Testing

@testable import ReachabilityKit
@testable import ReachabilityReferences
@testable import ReachabilityRoutes

// Each of these forks while the engine's thread runs. ForkTests says why that cannot be under Thread Sanitizer.
@Suite(
    "After a fork", .timeLimit(.minutes(10)), .needs(.namespaces),
    .disabled(if: Sanitizer.isThread, "Swift's runtime takes locks for its globals under Thread Sanitizer"))
struct ForkedEngineTests {
    /// Forks, and requires that `body` returns true in the child.
    ///
    /// - Parameter meanwhile: what the parent does after the fork. The child has none of the topology's threads.
    static func inChild(meanwhile: () throws -> Void = {}, _ body: () throws -> Bool) throws {
        let child = forkProcess()
        if child == 0 {
            do {
                _exit(try body() ? 0 : 1)
            } catch {
                print("in the child:", error)
                _exit(2)
            }
        }
        try meanwhile()
        let status = reachability_testing_wait_for_child(child)
        try #require(status == 0, "the child ended with \(status)")
    }

    /// Runs callbacks on the engine's thread.
    private final class Inline: CallbackRunner {
        func deliver(_ work: @escaping @Sendable () -> Void) { work() }
    }

    @Test func `the child asks and watches for itself, and the parent goes on`() async {
        await #expect(processExitsWith: .success) { try Self.askAndWatch(as: .netlink) }
    }

    @Test func `the child does so where the kernel announces nothing, too`() async {
        await #expect(processExitsWith: .success) {
            try Self.askAndWatch(as: .netlinkQuestions)
        }
    }

    private static func askAndWatch(as method: Explanation.LookupMethod) throws {
        let network = try WatchedNetwork("10.0.0.1/24", isDeaf: method == .netlinkQuestions)
        let options = network.topology.options
        let reference = try ReachabilityRef(address: "192.0.2.1", options: options)
        try network.recorder.watch(reference)
        try #require(try reference.getFlags() == [])
        let isWatching = BytePipe()
        try Self.inChild(meanwhile: {
            try #require(isWatching.read() == 1)
            try network.topology.ip("route add default via 10.0.0.254")
        }) {
            let own = try ReachabilityRef(address: "192.0.2.2", options: options)
            var told: [[ReachabilityFlags]] = [[], []]
            let watcher = try ReachabilityWatcher()
            try watcher.add(reference) { told[0].append($0) }
            try watcher.add(own) { told[1].append($0) }
            try watcher.turn { told == [[[]], [[]]] }
            // With a thread of the engine's.
            let scheduled = [reference, own]
            let (inline, called) = (Inline(), DispatchSemaphore(value: 0))
            for each in scheduled {
                each.setCallback { if $0 == .reachable { called.signal() } }
                try each.schedule(on: .target(inline))
            }
            isWatching.write(1)
            try watcher.turn { told == [[[], .reachable], [[], .reachable]] }
            for _ in scheduled { try called.wait(for: "a callback in the child") }
            for each in scheduled { try each.unschedule() }
            try #require(own.statistics.lookupMethod == method)
            return try reference.getFlags() == .reachable && own.getFlags() == .reachable
        }
        try #require(try reference.getFlags() == .reachable)
        try #require(try network.recorder.next() == .reachable)
        try network.topology.ip("route del default")
        try #require(try reference.getFlags() == [])
        try #require(try network.recorder.next() == [])
        try reference.setDispatchQueue(nil)
    }

    /// Nobody would do it: the loop's thread is the parent's.
    @Test func `a loop of the parent takes no work in the child`() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            try Self.inChild { !loop.enqueue {} }
            try #require(loop.enqueue {})
            loop.stop()
            loop.turn()
        }
    }

    @Test func `the child makes its own object for the fate of a connection`() async {
        await #expect(processExitsWith: .success) {
            let socket = ConnectedSocket(to: "127.0.0.1", by: .udp)
            _ = socket.connect(port: 9)
            let fate = try SocketFate(of: socket.descriptor)
            try #require(try fate.current().fate == .viable)
            try Self.inChild {
                guard code({ _ = try fate.current() }) == .unsupported else { return false }
                guard code({ _ = try fate.observe { _ in } }) == .unsupported else { return false }
                return try SocketFate(of: socket.descriptor).current().fate == .viable
            }
            try #require(try fate.current().fate == .viable)
        }
    }

    /// A lock that another thread of the parent holds at the fork is never released in the child.
    @Test func `the child takes no lock that a thread of the parent may hold`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork()
            let options = network.topology.options
            let reference = try ReachabilityRef(hostname: "localhost", options: options)
            try network.recorder.watch(reference)
            let told = try network.recorder.next()
            try #require(told.isReachable)
            let (isHeld, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let holder = try TestThread("holder") {
                reference.own.client.withLock { _ in
                    isHeld.signal()
                    try? isDone.wait(for: "the child to have ended")
                }
            }
            try isHeld.wait(for: "the lock to be held")
            let queue = DispatchQueue(label: "child")
            try Self.inChild {
                guard try reference.getFlags() == told, try reference.explain().flags == told else { return false }
                guard !reference.isScheduled else { return false }
                guard code({ try reference.setDispatchQueue(queue) }) == .unsupported else { return false }
                guard code({ try reference.setDispatchQueue(nil) }) == .scheduling else { return false }
                reference.setCallback(nil)
                return true
            }
            isDone.signal()
            try holder.join()
            try reference.setDispatchQueue(nil)
        }
    }

    @Test func `the child resolves for itself, and waits for no lookup of the parent`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork { question in
                guard question.isA else { return .answer([]) }
                let record = DNSMessage.Record.address(question.name, IPAddress(text: "192.0.2.1"), ttl: 60)
                return question.name == "held.test" ? .held([record]) : .answer([record])
            }
            func reference(_ name: String) throws -> ReachabilityRef {
                try network.reference(name) { $0.nameServers = ["127.0.0.1:\(network.server.port)"] }
            }
            let (known, held) = (try reference("a.test"), try reference("held.test"))
            try #require(try known.getFlags() == .reachable)
            let thread = try TestThread("held") {
                try! #require(try held.getFlags() == .reachable)
            }
            try network.server.wait(forQuestions: 4)
            try Self.inChild { try known.getFlags() == .reachable && reference("b.test").getFlags() == .reachable }
            #expect(network.server.count("a.test") == 4 && network.server.count("b.test") == 2)
            network.server.release()
            try thread.join()
        }
    }

    /// What a program does that becomes a daemon, or a worker of multiprocessing: closes all descriptors, opens its own, and
    /// frees what it has inherited.
    @Test func `the child closes and wakes nothing when it frees what it inherited`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork("10.0.0.1/24")
            let options = network.topology.options
            var references = [
                try network.topology.reference("192.0.2.1"),
                try ReachabilityRef(hostname: "localhost", options: options),
            ]
            for reference in references { _ = try reference.getFlags() }
            try network.recorder.watch(references[0])
            var watcher: ReachabilityWatcher? = try ReachabilityWatcher()
            var isTold = [false, false]
            for (number, reference) in references.enumerated() {
                try watcher?.add(reference) { _ in isTold[number] = true }
            }
            try watcher?.turn { isTold == [true, true] }
            let source = try PathSource(options)
            var tokens = [
                try source.observe { _ in }, try references[0].observe { _ in },
                try references[1].observe { _ in },
            ]
            var engine: EngineAccess? = try source.engine()
            try Self.inChild {
                for descriptor in 3..<Int32(1024) { close(descriptor) }
                var own: [Int32] = []
                for _ in 0..<32 {
                    var pair: [Int32] = [-1, -1]
                    let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue)
                    unsafe try #require(socketpair(AF_UNIX, type, 0, &pair) == 0)
                    own += pair
                }
                watcher = nil
                for token in tokens { token.cancel() }
                tokens = []
                engine = nil
                references = []
                // Each is still open, and nobody has written to it.
                return own.first == 3
                    && own.allSatisfy { descriptor in
                        var value: UInt64 = 0
                        return unsafe read(descriptor, &value, 8) == -1 && errno == EAGAIN
                    }
            }
            try #require(engine != nil && watcher != nil && tokens.count == 3)
            for token in tokens { token.cancel() }
            watcher?.close()
            engine = nil
            try network.topology.ip("route add default via 10.0.0.254")
            try #require(try network.recorder.next() == .reachable)
            try references[0].setDispatchQueue(nil)
        }
    }
}

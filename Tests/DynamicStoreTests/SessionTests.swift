// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import SystemConfigurationCore

@Suite("A session", .timeLimit(.minutes(10)), .needs(.namespaces, .sysfs, .settings), .serialized)
struct SessionTests {
    private let network: StoreNetwork

    init() throws {
        network = try StoreNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
        try network.ip("route add default via 10.0.0.254")
    }

    private func session() -> StoreSession {
        network.topology.run { StoreSession(files: network.files) }
    }

    @Test("reads the values of the network it was opened in")
    func reading() throws {
        let session = session()
        #expect(session.value(of: "State:/Network/Global/IPv4")?["PrimaryInterface"] == "eth0")
        #expect(session.value(of: "State:/Network/Global/IPv4")?["Router"] == "10.0.0.254")
        #expect(session.value(of: "State:/Network/Global/IPv6") == nil)
        #expect(LegacyStatus.last == .noKey)
        #expect(
            session.keys(matching: "State:/Network/Interface/eth0/.*")?.contains("State:/Network/Interface/eth0/IPv4")
                == true)
        #expect(session.keys(matching: "nothing") == [])
        let values = session.values(
            of: ["State:/Network/Global/IPv4", "missing"], matching: ["State:/Network/Interface/[^/]+/Link"])
        #expect(
            values.map { Set($0.keys) } == [
                "State:/Network/Global/IPv4", "State:/Network/Interface/eth0/Link",
                "State:/Network/Interface/eth0-peer/Link",
            ])
        #expect(session.values(of: [], matching: []) == [:])
    }

    @Test("refuses patterns that are no regular expressions, and keeps what it watched")
    func badPatterns() throws {
        let client = try StoreClient(in: network, keys: ["State:/Network/Global/IPv4"])
        defer { client.end() }
        #expect(client.session.keys(matching: "(") == nil)
        #expect(LegacyStatus.last == .failed)
        #expect(client.session.values(of: [], matching: ["["]) == nil)
        #expect(LegacyStatus.last == .failed)
        #expect(!client.session.watch([], patterns: ["ok", "("]))
        #expect(LegacyStatus.last == .invalidArgument)
        try network.ip("route del default")
        #expect(try client.calls.next() == ["State:/Network/Global/IPv4"])
    }

    /// In a process of its own, because the limit and the environment are the process's.
    @Test(
        "tells the kernel's name and proxies without a network and a descriptor, and no name instead of that of a file")
    func withoutDescriptors() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("http_proxy", "http://proxy.example:3128", 1)
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
            let session = StoreSession()
            let name = session.localHostName
            let ofFiles = [session.computerName, session.hostName, session.consoleUser?.name].map {
                ($0, LegacyStatus.last)
            }
            let foreign = (session.value(of: "com.example.key"), LegacyStatus.last)
            let proxies = session.proxies
            let several = session.values(of: [StoreKey.hostNames, StoreKey.proxies], matching: [])
            let network = session.value(of: "State:/Network/Global/IPv4")
            let status = LegacyStatus.last
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(name == HostIdentity.name.split(separator: ".").first.map(String.init))
            #expect(ofFiles.allSatisfy { $0.0 == nil && $0.1.rawValue == EMFILE }, "\(ofFiles)")
            #expect(foreign.0 == nil && foreign.1 == .noKey)
            #expect(session.computerName != nil)
            #expect(proxies?["HTTPProxy"] == "proxy.example")
            #expect(several?.count == 2)
            #expect(network == nil && status.rawValue == EMFILE)
        }
    }

    @Test("is scheduled in one place at a time")
    func scheduling() throws {
        let client = try StoreClient(in: network, keys: ["key"])
        #expect(!client.session.setQueue(.queue(client.calls.queue)))
        #expect(LegacyStatus.last == .notifierActive)
        client.end()
        #expect(!client.session.setQueue(nil))
        #expect(LegacyStatus.last == .invalidArgument)
    }

    private static let keys = ["State:/Network/Global/IPv4", "State:/Network/Interface/eth0/IPv4"]

    /// A session that watches `keys`, and its owner, which the test keeps.
    private func session(calling slow: SlowClient<[String]>) -> (StoreSession, WeakOwner) {
        let (session, owner) = network.topology.run {
            (StoreSession(files: network.files) { _, keys in slow.call(keys) }, WeakOwner())
        }
        session.belong(to: owner)
        #expect(
            network.topology.run { session.watch(Self.keys, patterns: []) && session.setQueue(.queue(slow.queue)) })
        return (session, owner)
    }

    @Test("tells one thing at a time on a concurrent queue, also if it is scheduled anew during a call")
    func anotherSchedule() throws {
        let (slow, keys) = (SlowClient<[String]>(), Self.keys)
        let (session, owner) = session(calling: slow)
        defer {
            _ = session.setQueue(nil)
            _ = session.watch([], patterns: [])
        }
        try network.ip("route del default")
        try slow.waitForFirstCall()
        #expect(session.setQueue(nil) && session.setQueue(.queue(slow.queue)))
        try network.ip("address add 10.0.0.2/24 dev eth0")
        // Another client may be told of a change before this one.
        try WaitLimit.wait(for: "the change") { session.state.withLock(\.changed) == [keys[1]] }
        try slow.release()
        #expect(try slow.values.next(2) == [[keys[0]], [keys[1]]])
        #expect(slow.callsAtATime == 1)
        withExtendedLifetime(owner) {}
    }

    @Test("is held while it is scheduled, and freed afterwards")
    func lifetime() throws {
        weak var session: StoreSession?
        do {
            let client = try StoreClient(in: network, patterns: StoreClient.system)
            session = client.session
        }
        try #require(session != nil)
        #expect(session?.setQueue(nil) == true)
        // The engine may still hold it for a call that is under way.
        try WaitLimit.wait(for: "the session to be freed") { session == nil }
    }

    /// Both begin, and one of them is too late. The engine runs as long as one of its users has not left. Here its thread is held
    /// until both have begun, so what has left is still among the users.
    @Test("that two threads begin to watch with leaves nothing behind that still watches")
    func surplus() throws {
        let source = network.topology.run { PathSource() }
        let keeper = try source.engine()
        var users: Set<Int> = []
        for _ in 0..<1000 where users.count < 2 {
            let held = try keeper.loop.block()
            let session = network.topology.run { StoreSession(files: network.files) }
            let starting = Counter()
            let threads = try (0..<2).map { _ in
                try TestThread("client") {
                    starting.increment()
                    try WaitLimit.wait(for: "the other thread") { starting.value == 2 }
                    _ = session.watch(["State:/Network/Global/IPv4"], patterns: [])
                }
            }
            for thread in threads { try thread.join() }
            users.insert(source.namespace.sharedEngine.userCount)
            held.signal()
            _ = session.watch([], patterns: [])
            try ProcessState.wait("everybody has left the engine") { source.namespace.sharedEngine.userCount == 1 }
        }
        // That of this test, the two of what watches, and once one more.
        #expect(users.isSuperset(of: [4]) && users.isSubset(of: [3, 4]), "\(users)")
        withExtendedLifetime(keeper) {}
    }
}

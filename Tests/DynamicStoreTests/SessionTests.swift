// SPDX-License-Identifier: Apache-2.0

import LegacyReachability
import ReachabilityKit
import TestHosts
import TestTopology
import TestWaiting
import Testing

@testable import DynamicStore

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
        let client = try StoreClient(in: network, keys: ["key of a test"])
        defer { client.end() }
        #expect(client.session.keys(matching: "(") == nil)
        #expect(LegacyStatus.last == .failed)
        #expect(client.session.values(of: [], matching: ["["]) == nil)
        #expect(LegacyStatus.last == .failed)
        #expect(!client.session.watch([], patterns: ["ok", "("]))
        #expect(LegacyStatus.last == .invalidArgument)
        #expect(client.session.notify("key of a test"))
        #expect(try client.calls.next() == ["key of a test"])
    }

    @Test("shares the values that clients set with the other sessions of the process")
    func ownValues() throws {
        let (writer, reader) = (session(), session())
        #expect(writer.add("com.example.key", "one"))
        #expect(!reader.add("com.example.key", "two"))
        #expect(LegacyStatus.last == .keyExists)
        #expect(reader.value(of: "com.example.key") == "one")
        #expect(reader.set("com.example.key", ["a": [1, true, .data([1])]]))
        #expect(writer.value(of: "com.example.key") == ["a": [1, true, .data([1])]])
        #expect(writer.keys(matching: "com\\.example\\..*") == ["com.example.key"])
        #expect(writer.remove("com.example.key"))
        #expect(!writer.remove("com.example.key"))
        #expect(LegacyStatus.last == .noKey)
    }

    @Test(
        "refuses to change what is the system's",
        arguments: [
            "State:/Network/Global/IPv4", "Setup:/System", "State:/Users/ConsoleUser", "State:/Network/Service/X/IPv4",
        ])
    func system(_ key: String) throws {
        let session = session()
        for attempt in [
            { session.add(key, 1) }, { session.add(key, 1, isTemporary: true) }, { session.set(key, 1) },
            { session.remove(key) }, { session.notify(key) },
            { session.set(["com.example.fine": 1], removing: [key], notifying: []) },
            { session.set([:], removing: [], notifying: [key]) },
        ] {
            LegacyStatus.last = .ok
            #expect(!attempt())
            #expect(LegacyStatus.last == .accessError)
        }
        #expect(session.value(of: "com.example.fine") == nil)
        #expect(!session.set("", 1))
        #expect(LegacyStatus.last == .invalidArgument)
    }

    @Test("ends its temporary values with itself, and says so to others")
    func temporary() throws {
        let client = try StoreClient(in: network, keys: ["com.example.temporary", "com.example.kept"])
        defer { client.end() }
        do {
            let writer = session()
            #expect(writer.add("com.example.temporary", 1, isTemporary: true))
            #expect(writer.add("com.example.kept", 1))
            #expect(try client.calls.next(where: { $0.contains("com.example.kept") }).isEmpty == false)
        }
        #expect(try client.calls.next() == ["com.example.temporary"])
        #expect(client.session.value(of: "com.example.temporary") == nil)
        #expect(client.session.remove("com.example.kept"))
    }

    @Test("sets, removes and notifies several keys at once, and tells only of what changed")
    func multiple() throws {
        let client = try StoreClient(in: network, patterns: ["several/.*"])
        defer { client.end() }
        #expect(client.session.set("several/old", 1))
        #expect(client.session.set("several/same", 1))
        try client.calls.finishDeliveries()
        let before = client.calls.all.count
        #expect(
            client.session.set(
                ["several/new": 2, "several/same": 1], removing: ["several/old", "several/missing"],
                notifying: ["several/notified"]))
        try client.calls.finishDeliveries()
        #expect(
            client.calls.all.dropFirst(before).flatMap(\.self).sorted() == [
                "several/new", "several/notified", "several/old",
            ])
        #expect(client.session.set([:], removing: ["several/new", "several/same"], notifying: []))
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
        try network.fence()
        try WaitLimit.wait(for: "the session to be freed") { session == nil }
    }
}

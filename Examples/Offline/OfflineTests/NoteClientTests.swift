// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import NetworkTesting
import OfflineClient
import Testing

@Suite(.network, .timeLimit(.minutes(2)))
struct NoteClientTests {
    /// A cable to a router, which answers for the name of the server.
    private func connect() throws -> (machine: Machine, router: Machine) {
        let machine = try Machine.current
        let router = try machine.connect("eth0", to: "router", "10.0.0.1/24", "10.0.0.254/24")
        try machine.route("default", via: "10.0.0.254")
        try router.nameServer { $0 == "api.test" ? ["203.0.113.80"] : nil }
        return (machine, router)
    }

    private func client(isWaiting: @escaping @Sendable () -> Void = {}) -> NoteClient {
        NoteClient(server: URL(string: "http://api.test")!, patience: 1, isWaiting: isWaiting)
    }

    @Test func sendsANote() async throws {
        let (_, router) = try connect()
        let web = try router.webServer(at: "203.0.113.80") { .ok("thanks for \($0.body)") }
        #expect(try await client().send("milk") == "thanks for milk")
        #expect(try await web.firstRequest().line == "POST /notes HTTP/1.1")
    }

    @Test func waitsForTheCable() async throws {
        let (machine, router) = try connect()
        let web = try router.webServer(at: "203.0.113.80") { _ in .ok("done") }
        try machine.link("eth0").unplug()
        let (waits, waiting) = AsyncStream.makeStream(of: Void.self)
        let note = Task { try await client { waiting.yield() }.send("milk") }
        for await _ in waits { break }
        #expect(web.requests.isEmpty)
        try machine.link("eth0").plugIn()
        #expect(try await note.value == "done")
    }

    @Test func doesNotTakeAPortalForTheServer() async throws {
        let (_, router) = try connect()
        _ = try router.webServer(at: "203.0.113.80") { _ in .redirect(to: "http://10.0.0.254/login") }
        _ = try router.webServer(at: "10.0.0.254") { _ in .ok("Please log in") }
        let error = await #expect(throws: NoteClient.Failure.self) { try await client().send("milk") }
        guard case .redirected(let place) = error else { return }
        #expect(place.absoluteString == "http://10.0.0.254/login")
    }

    @Test func doesNotWaitForAServerThatRefuses() async throws {
        let (_, router) = try connect()
        try router.host("203.0.113.80")
        let error = await #expect(throws: URLError.self) {
            try await client { Issue.record("it waits") }.send("milk")
        }
        #expect(error?.code == .cannotConnectToHost)
    }
}

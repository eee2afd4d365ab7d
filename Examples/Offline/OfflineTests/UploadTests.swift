// SPDX-License-Identifier: Apache-2.0

// The tests that Docs/Testing.md begins with.

import Foundation
import NetworkTesting
import OfflineClient
import Testing

@Suite(.network)
struct UploadTests {
    @Test func goesOnAfterTheCableIsBack() async throws {
        let machine = try Machine.current  // this process, with all its threads
        let router = try machine.connect("eth0", to: "router", "10.0.0.1/24", "10.0.0.254/24")
        try machine.route("default", via: "10.0.0.254")
        try router.nameServer { $0 == "api.test" ? ["203.0.113.80"] : nil }
        let web = try router.webServer(at: "203.0.113.80") { $0.connection == 1 ? .stall : .ok("done") }

        let (waits, waiting) = AsyncStream.makeStream(of: Void.self)
        let client = NoteClient(server: URL(string: "http://api.test")!, patience: 1) { waiting.yield() }
        let upload = Task { try await client.send("milk") }
        try await web.firstRequest()
        try machine.link("eth0").unplug()  // returns when the kernel has done and announced it
        for await _ in waits { break }  // the client has noticed
        try machine.link("eth0").plugIn()
        #expect(try await upload.value == "done")
    }
}

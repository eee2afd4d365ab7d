// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityReferences
import TestTopology
import Testing

@Suite("A server on another machine", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct MachineServerTests {
    /// A line of shell that sends text and prints what comes until the end of the stream, or what it complains about.
    static func receiving(from address: String, _ port: Int, sending text: String = "") -> String {
        let exchange = "exec 3<>/dev/tcp/\(address)/\(port); printf '\(text)' >&3; cat <&3"
        return "timeout 100 bash -c \"\(exchange)\" 2>&1 || true"
    }

    private static let request = #"GET /page HTTP/1.1\r\nHost: web.test\r\n\r\n"#

    // MARK: TCP

    @Test(arguments: [
        (TCPServer.Manner.resetting("half"), "Connection reset by peer"), (.halfClosing("all"), "all"),
    ])
    func `treats a connection in its manner`(_ manner: TCPServer.Manner, _ seen: String) async throws {
        let machines = try TwoMachines()
        let server = try machines.router.tcpServer(at: "203.0.113.7", port: 7000, manner)
        let said = try machines.client.run(Self.receiving(from: "203.0.113.7", 7000, sending: "hello"))
        #expect(said.contains(seen), "\(said)")
        try await server.firstConnection()
        #expect(server.connectionCount == 1)
        server.stop()
        #expect(try machines.client.run(Self.receiving(from: "203.0.113.7", 7000)).contains("Connection refused"))
    }

    @Test func `refuses where there is an address and no server`() throws {
        let machines = try TwoMachines()
        try machines.router.host("203.0.113.7")
        #expect(try machines.client.run(Self.receiving(from: "203.0.113.7", 7000)).contains("Connection refused"))
    }

    @Test func `is silent, and ends its connections with its machine`() async throws {
        let client = try Machine()
        let socket: ConnectedSocket
        do {
            let server = try Machine()
            try client.connect("eth0", to: server, "10.0.0.1/24", "10.0.0.254/24")
            let silent = try server.tcpServer(at: "10.0.0.254", port: 7000, .silent)
            socket = client.run { ConnectedSocket(to: "10.0.0.254", by: .tcp) }
            #expect(throws: Never.self) { try socket.connect(port: 7000).get() }
            try await silent.firstConnection()
            #expect(Self.received(from: socket) == nil)
        }
        try await WaitLimit.wait(for: "the end of the stream") { Self.received(from: socket) == 0 }
    }

    /// How many bytes are there, 0 for the end of the stream; nil if there is nothing yet.
    private static func received(from socket: ConnectedSocket) -> Int? {
        var byte: UInt8 = 0
        let count = unsafe recv(socket.descriptor, &byte, 1, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : count
    }

    // MARK: HTTP

    @Test(arguments: [
        (WebServer.Answer.reply(status: 200, fields: ["Connection: close"], body: "done"), "\r\n\r\ndone"),
        (
            .reply(status: 302, fields: ["Location: http://portal.test/", "Connection: close"]),
            "Location: http://portal.test/"
        ),
        (.cut, "Content-Length: 100\r\n\r\nhalf"), (.reset, "Connection reset by peer"),
    ])
    func `answers a request in its manner`(_ answer: WebServer.Answer, _ seen: String) async throws {
        let machines = try TwoMachines()
        let server = try machines.router.webServer(at: "203.0.113.80") { request in
            request.path == "/page" ? answer : .hangUp
        }
        let said = try machines.client.run(Self.receiving(from: "203.0.113.80", 80, sending: Self.request))
        #expect(said.contains(seen), "\(said)")
        let request = try await server.firstRequest()
        #expect(request.method == "GET" && request.fields["host"] == "web.test" && request.connection == 1)
        #expect(server.requests.count == 1)
    }

    @Test func `answers nothing after it hangs up, and waits for requests with a task`() async throws {
        let machines = try TwoMachines()
        let server = try machines.router.webServer(at: "203.0.113.80") { _ in .hangUp }
        let waiting = Task(priority: .high) { try await server.requests(2).map(\.path) }
        for _ in 0..<2 {
            #expect(try machines.client.run(Self.receiving(from: "203.0.113.80", 80, sending: Self.request)) == "")
        }
        #expect(try await waiting.value(for: "two requests") == ["/page", "/page"])
        let never = Task(priority: .high) { try await server.requests(3) }
        never.cancel()
        await #expect(throws: CancellationError.self) { try await never.value(for: "the end of the wait") }
    }

    // MARK: Names

    /// What our resolver says of a name for which the server has this answer.
    private func explain(_ machines: TwoMachines, _ answer: NameServer.Answer?) throws -> (NameServer, Explanation) {
        let server = try machines.router.nameServer { $0 == "web.test" ? answer : nil }
        var options = ReachabilityOptions()
        options.nameServers = ["10.0.0.254"]
        options.resolutionTimeout = .milliseconds(300)
        let explained = try machines.client.run { [options] in
            try ReachabilityRef(hostname: "web.test", options: options).explain()
        }
        return (server, explained)
    }

    @Test func `has the addresses of a name`() async throws {
        let (server, explained) = try explain(TwoMachines(), ["203.0.113.80", "203.0.113.81"])
        #expect(explained.addresses == ["203.0.113.80", "203.0.113.81"] && explained.flags == .reachable)
        #expect(server.names.allSatisfy { $0 == "web.test" } && server.names.count == 2)
        #expect(try await server.firstQuestion() == "web.test")
    }

    @Test(arguments: [
        (nil, "no_such_name"), (NameServer.Answer.noSuchName, "no_such_name"), (.addresses([]), "no_addresses"),
        (.serverFailure, "name_servers_failed"), (.addresses(["no address"]), "name_servers_failed"),
        (.silence, "no_answer"),
        (.later(["203.0.113.80"]), "no_answer"),
    ])
    func `has no address`(_ answer: NameServer.Answer?, _ code: String) throws {
        let (_, explained) = try explain(TwoMachines(), answer)
        #expect(explained.addresses.isEmpty)
        #expect(explained.reasonCode == code)
    }

    @Test func `answers later, and otherwise from then on`() throws {
        let machines = try TwoMachines()
        let (server, _) = try explain(machines, .later(["203.0.113.80"]))
        server.release()
        server.answer { _ in .addresses(["203.0.113.81"], ttl: 0) }
        var options = ReachabilityOptions()
        options.nameServers = ["10.0.0.254"]
        let explained = try machines.client.run { [options] in
            try ReachabilityRef(hostname: "other.test", options: options).explain()
        }
        #expect(explained.addresses == ["203.0.113.81"])
    }

    // MARK: No callback

    @Test func `a callback has been made when the network has settled, or never comes`() throws {
        let machines = try TwoMachines()
        let recorder = ReceivedValues<ReachabilityFlags>()
        let reference = try machines.client.run { try ReachabilityRef(address: "203.0.113.80") }
        reference.setCallback { recorder.record($0) }
        try reference.setDispatchQueue(recorder.queue)
        defer { try? reference.setDispatchQueue(nil) }
        for _ in 0..<20 {
            try machines.client.link("eth0").address("10.0.7.1/24")
            try machines.client.link("eth0").removeAddress("10.0.7.1/24")
            try machines.client.settle()
            try recorder.finishDeliveries()
            #expect(recorder.untaken == 0)
            try machines.client.link("eth0").unplug()
            try machines.client.settle()
            try recorder.finishDeliveries()
            #expect(recorder.untaken == 1)
            #expect(try recorder.next() == [])
            try machines.client.link("eth0").plugIn()
            try machines.client.settle()
            try recorder.finishDeliveries()
            #expect(recorder.untaken == 1)
            #expect(try recorder.next() == .reachable)
        }
        try Machine().settle()
    }
}

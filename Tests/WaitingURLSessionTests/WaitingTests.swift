// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology
import Testing
import WaitingURLSession

/// Requests of a program of its own, in a network that comes and goes.
@Suite("A request that waits", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct WaitingTests {
    private let network: ClientNetwork

    init() throws {
        network = try ClientNetwork()
        try network.wire("eth1", number: 1)
    }

    @Test(arguments: ["data", "upload", "file", "download"])
    func `is performed when there is a route to an address`(kind: String) throws {
        let isUpload = kind == "upload" || kind == "file"
        let server = try network.server([.answer("hello")])
        let client = try network.client(isUpload ? "PUT" : "GET", kind)
        try client.waitForOutput("<waits: the host cannot be reached>")
        try network.plugIn(1)
        try client.waitForOutput("<got: hello>")
        #expect(try server.requests.next().body == (isUpload ? "the body" : ""))
    }

    @Test func `waits where netlink is forbidden`() throws {
        try network.server([.answer("hello")])
        let client = try network.client(environment: [BuiltProduct.path("deny-netlink"), "97"])
        try client.waitForOutput("<waits: the host cannot be reached>")
        try network.plugIn(1)
        try client.waitForOutput("<got: hello>")
    }

    /// In a process of its own, where there is no route at all, because the test closes a descriptor of the engine.
    @Test func `ends if changes of the network cannot be observed any more`() async {
        await #expect(processExitsWith: .success) { try Self.losesEngine(allowsExpensive: true) }
        await #expect(processExitsWith: .success) { try Self.losesEngine(allowsExpensive: false) }
    }

    private static func losesEngine(allowsExpensive: Bool) throws {
        let engine = try PathSource().engine()
        let told = ReceivedValues<String>()
        Task(priority: .high) {
            do {
                let url = URL(string: "http://203.0.113.80/")!
                _ = try await URLSession.shared.data(
                    from: url, waitingForConnectivity: .seconds(3600), allowsExpensivePaths: allowsExpensive
                ) { _ in told.record("waits") }
            } catch {
                told.record("\((error as? URLError)?.code.rawValue ?? 0)")
            }
        }
        try #require(try told.next() == "waits")
        close(engine.loop.rawDescriptor)
        engine.loop.enqueue {}
        // The first is what FoundationNetworking gives where there is no route.
        let code = allowsExpensive ? URLError.Code.unknown : .dataNotAllowed
        try #require(try told.next() == "\(code.rawValue)")
    }

    @Test func `is not observed any more at its end`() async {
        await #expect(processExitsWith: .success) {
            let source = PathSource()
            let url = URL(string: "http://203.0.113.80/")!
            let answer = try? await URLSession.shared.data(from: url, waitingForConnectivity: .zero)
            try #require(answer == nil)
            try #require(source.namespace.sharedEngine.userCount == 0)
        }
    }

    @Test func `does not wait if nothing is missing`() throws {
        try network.server([.answer("hello")])
        try network.plugIn(1)
        #expect(try network.client().waitForOutput("\n") == "<got: hello>\n")
    }

    @Test func `is performed when a name can be resolved`() throws {
        try network.startNameServer()
        let server = try network.server([.answer("hello")])
        let client = try network.client("GET", "http://web.test/")
        try client.waitForOutput("<waits: the host cannot be reached>")
        try network.plugIn(1)
        try client.waitForOutput("<got: hello>")
        #expect(try server.requests.next().line == "GET / HTTP/1.1")
    }

    @Test(.needs(.python), arguments: ["data", "download"])
    func `is answered by a real server, as often as the network comes back`(kind: String) throws {
        try network.startRealServer("hello")
        for _ in 1...3 {
            let client = try network.client("GET", kind)
            try client.waitForOutput("<waits: the host cannot be reached>")
            try network.plugIn(1)
            try client.waitForOutput("<got: hello>")
            try network.plugOut(1)
        }
    }

    @Test(arguments: ["http_proxy=http://203.0.113.80:3128", "all_proxy=203.0.113.80:3128"])
    func `is performed when the proxy can be reached, which resolves the name`(proxy: String) throws {
        let server = try network.server(port: 3128, [.answer("hello")])
        let client = try network.client("GET", "http://inside.invalid/page", environment: [proxy])
        try client.waitForOutput("<waits: the host cannot be reached>")
        try network.plugIn(1)
        try client.waitForOutput("<got: hello>")
        #expect(try server.requests.next().line == "GET http://inside.invalid/page HTTP/1.1")
    }

    @Test func `uses no proxy for an exception`() throws {
        try network.server([.answer("hello")])
        try network.plugIn(1)
        let client = try network.client(environment: ["http_proxy=http://192.0.2.1:3128", "no_proxy=203.0.113.0/24"])
        #expect(try client.waitForOutput("\n") == "<got: hello>\n")
    }

    @Test(arguments: ["GET", "PUT", "DELETE"])
    func `is repeated after a reset if it is idempotent`(method: String) throws {
        let server = try network.server([.reset, .answer("hello")])
        try network.plugIn(1)
        try network.client(method).waitForOutput("<got: hello>")
        _ = try server.requests.next(2)
    }

    @Test(arguments: ["POST", "PATCH"])
    func `fails after a reset if it is not idempotent`(method: String) throws {
        let server = try network.server([.reset, .answer("hello")])
        try network.plugIn(1)
        try network.client(method, "upload").waitForOutput("<failed: -1005")
        #expect(server.requests.all.map(\.body) == ["the body"])
    }

    @Test func `is repeated once after resets, and then after a change of the network`() throws {
        let server = try network.server([.reset, .reset, .answer("hello")])
        try network.plugIn(1)
        let client = try network.client()
        try client.waitForOutput(
            "<waits: the last attempt failed with the code -1005, and the network has not changed>")
        #expect(server.requests.all.count == 2)
        try network.machine.ip("address add 10.9.9.9/24 dev eth1")
        try client.waitForOutput("<got: hello>")
    }

    @Test func `is sent once after a refusal, whatever its method`() throws {
        try network.plugIn(1)
        let client = try network.client("POST", "upload")
        try client.waitForOutput(
            "<waits: the last attempt failed with the code -1004, and the network has not changed>")
        let server = try network.server([.answer("hello")])
        try network.machine.ip("address add 10.9.9.9/24 dev eth1")
        try client.waitForOutput("<got: hello>")
        #expect(server.requests.all.map(\.body) == ["the body"])
    }
}

@Suite("The transfer of a request that waits", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct TransferTests {
    private let network: ClientNetwork

    init() throws {
        network = try ClientNetwork()
        try network.wire("eth1", number: 1)
        try network.plugIn(1)
    }

    @Test func `begins again by another network if its own is gone`() throws {
        let server = try network.server([.stall, .answer("hello")])
        let client = try network.client()
        try server.requests.next()
        try network.move(to: 2)
        try client.waitForOutput("<got: hello>")
    }

    @Test func `leaves no file of an attempt behind`() throws {
        let server = try network.server([.redirect(302, "/next"), .stall, .answer("hello")])
        try network.machine.run("mkdir /etc/temporary")
        let client = try network.client("GET", "download", environment: ["TMPDIR=/etc/temporary"])
        _ = try server.requests.next(2)
        // Others may read the folder.
        try network.machine.run("test \"$(stat -c %a /etc/temporary/*)\" = 600")
        try network.move(to: 2)
        try client.waitForOutput("<got: hello>")
        // The last attempt may go after what it has brought was printed.
        try WaitLimit.wait(for: "the files to go") {
            (try? network.machine.run("test -z \"$(ls /etc/temporary)\"")) != nil
        }
    }

    /// The server says no more, so nothing else ends the transfer.
    @Test(.disabled(if: Sanitizer.isThread, "Thread Sanitizer needs room for a file of its own"))
    func `ends a download at once if there is no room for the file`() throws {
        try network.server([.stall])
        try network.machine.run(
            """
            mkdir /etc/temporary
            mount -t tmpfs -o size=4k tmpfs /etc/temporary
            echo full > /etc/temporary/filler
            """)
        let client = try network.client("GET", "download", "idle=1000", environment: ["TMPDIR=/etc/temporary"])
        let text = try client.waitForOutput(">")
        #expect(text.contains("No space left"), "\(text)")
    }

    @Test func `uses a kept connection if nothing has changed`() throws {
        let server = try network.server([.stay("warm"), .stay("hello")])
        try network.client("GET", "data", "warm=http://203.0.113.80/warm").waitForOutput("<got: hello>")
        #expect(server.requests.all.map(\.connection) == [1, 1])
    }

    /// Linux does not end it, and it carries nothing any more.
    @Test func `uses no kept connection of a network that is gone`() throws {
        let server = try network.server([.stay("warm"), .answer("hello")])
        try network.machine.run("mkfifo /etc/go")
        let client = try network.client("GET", "data", "warm=http://203.0.113.80/warm", "go=/etc/go")
        try client.waitForOutput("<warm>")
        try network.machine.ip("link del eth1")
        try network.machine.run("timeout 60 sh -c 'echo > /etc/go'")
        try client.waitForOutput("<waits: ")
        try network.wire("eth2", number: 2)
        try network.plugIn(2)
        try client.waitForOutput("<got: hello>")
        #expect(server.requests.all.map(\.connection) == [1, 2])
    }

    /// 401 asks for a password.
    @Test(arguments: [0, 1], ["data", "upload", "download"])
    func `asks the delegate of the session for a password, in each attempt`(failures: Int, kind: String) throws {
        let question = WebServer.Answer.redirect(401, "/", ["WWW-Authenticate: Basic realm=\"test\""])
        let server = try network.server(
            Array(repeating: .reset, count: failures) + [question, .answer("hello")])
        let client = try network.client(kind == "upload" ? "PUT" : "GET", kind, "password=secret", within: "20")
        try client.waitForOutput("<got: hello>")
        #expect(
            server.requests.all.last?.fields["authorization"]
                == "Basic \(Data("ada:secret".utf8).base64EncodedString())")
    }

    @Test func `fails if its network is gone and it must not begin again`() throws {
        let server = try network.server([.silence, .answer("hello")])
        let client = try network.client("POST", "upload")
        try server.requests.next()
        try network.move(to: 2)
        try client.waitForOutput("<failed: -1005")
        #expect(server.requests.all.count == 1)
    }

    @Test func `ends with the time for everything, and says what was missing`() throws {
        try network.server([.stall])
        try network.client(within: "0.2").waitForOutput("<failed: -1001 The request was not answered in time.>")
        try network.plugOut(1)
        let late = try network.client(within: "0.2")
        try late.waitForOutput("<failed: -1001 The request was not answered in time: the host cannot be reached.>")
    }

    @Test(arguments: [WebServer.Answer.silence, .stall])
    func `ends at once when the task is cancelled`(manner: WebServer.Answer) throws {
        let server = try network.server([manner])
        try network.machine.run("mkfifo /etc/cancel")
        let client = try network.client("GET", "data", "cancel=/etc/cancel")
        try server.requests.next()
        try network.machine.run("timeout 60 sh -c 'echo > /etc/cancel'")
        try client.waitForOutput("<failed: -999")
    }

    @Test func `ends at once when the task is cancelled while it waits for a network`() throws {
        try network.plugOut(1)
        try network.machine.run("mkfifo /etc/cancel")
        let client = try network.client("GET", "data", "cancel=/etc/cancel")
        try client.waitForOutput("<waits: ")
        try network.machine.run("timeout 60 sh -c 'echo > /etc/cancel'")
        try client.waitForOutput("<failed: -999")
    }
}

@Suite("A request that avoids networks", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct AvoidanceTests {
    private let network: ClientNetwork

    init() throws {
        network = try ClientNetwork()
        try network.wire("wwan0", number: 7, type: "wwan")
        try network.plugIn(7, metric: 700)
    }

    @Test(arguments: [("cheap", "an expensive network"), ("wired", "a mobile network")])
    func `waits until another network leads to the host`(option: String, words: String) throws {
        let server = try network.server([.answer("hello")])
        let client = try network.client("GET", "data", option)
        try client.waitForOutput("<waits: \(words) leads to the host>")
        try network.wire("eth1", number: 1)
        try network.plugIn(1)
        try client.waitForOutput("<got: hello>")
        #expect(server.requests.all.count == 1)
    }

    @Test func `uses any network otherwise`() throws {
        try network.server([.answer("hello")])
        #expect(try network.client().waitForOutput("\n") == "<got: hello>\n")
    }

    @Test func `avoids a network that leads to one of the host's addresses`() throws {
        let server = try network.server([.answer("hello")])
        try network.machine.run("printf '203.0.113.80 dual.test\\n203.0.113.81 dual.test\\n' > /etc/hosts")
        try network.wire("eth1", number: 1)
        try network.machine.ip("route add 203.0.113.80/32 via 10.0.1.254")
        let client = try network.client("GET", "data", "wired", "http://dual.test/")
        try client.waitForOutput("<waits: ")
        try network.machine.ip("route add 203.0.113.81/32 via 10.0.1.254")
        try client.waitForOutput("<got: hello>")
        #expect(server.requests.all.count == 1)
    }

    @Test func `uses no kept connection of a network that it avoids`() throws {
        let server = try network.server([.stay("warm"), .answer("hello")])
        try network.wire("eth1", number: 1)
        try network.machine.run("mkfifo /etc/go")
        let client = try network.client("GET", "data", "wired", "warm=http://203.0.113.80/warm", "go=/etc/go")
        try client.waitForOutput("<warm>")
        try network.plugIn(1)
        try network.machine.run("timeout 60 sh -c 'echo > /etc/go'")
        try client.waitForOutput("<got: hello>")
        #expect(server.requests.all.map(\.connection) == [1, 2])
    }

    @Test func `is not sent over a mobile network where netlink is forbidden`() throws {
        let server = try network.server([.answer("hello")])
        let client = try network.client(
            "GET", "data", "wired", environment: [BuiltProduct.path("deny-netlink"), "97"])
        try client.waitForOutput("<waits: a mobile network leads to the host>")
        #expect(server.requests.all.isEmpty)
    }

    @Test func `gives up a transfer that would go on by an expensive network`() throws {
        let server = try network.server([.stall, .stall, .answer("hello")])
        try network.wire("eth1", number: 1)
        try network.plugIn(1)
        let (get, post) = (try network.client("GET", "data", "cheap"), try network.client("POST", "upload", "cheap"))
        _ = try server.requests.next(2)
        try network.plugOut(1)
        try get.waitForOutput("<waits: an expensive network leads to the host>")
        try post.waitForOutput("<failed: -1020")
        try network.plugIn(1)
        try get.waitForOutput("<got: hello>")
    }
}

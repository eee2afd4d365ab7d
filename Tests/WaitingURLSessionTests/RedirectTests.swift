// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import TestTopology
import Testing

@testable import WaitingURLSession

@Suite("The request after a redirect")
struct RedirectionTests {
    private func next(
        _ method: String = "GET", from start: String, _ status: Int = 302, to location: String,
        _ fields: [String: String] = [:]
    ) throws -> URLRequest? {
        let url = try #require(URL(string: start))
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.allHTTPHeaderFields = fields
        let response = HTTPURLResponse(
            url: url, statusCode: status, httpVersion: nil, headerFields: ["location": location])
        return Redirection.request(after: request, try #require(response))
    }

    /// RFC 3986 5.4.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"), ("..", "http://a/b/"), ("../../../g", "http://a/g"), ("//g", "http://g"),
        ("https://g/h", "https://g/h"),
    ])
    func `is to the location`(location: String, url: String) throws {
        #expect(try next(from: "http://a/b/c/d;p?q", to: location)?.url?.absoluteString == url)
    }

    @Test(arguments: [
        ("http://a/next", true), ("http://a:80/", true), ("HTTP://A/", true), ("/next", true), ("http://a:81/", false),
        ("https://a/", false), ("http://b/", false), ("//b/", false), ("http://www.a/", false),
    ])
    func `has credentials for the same server`(location: String, isKept: Bool) throws {
        let secrets = [
            "Authorization": "secret", "Proxy-Authorization": "secret", "Cookie": "a=b", "Host": "name",
            "Accept": "text/html",
        ]
        let fields = try #require(try next(from: "http://a/", to: location, secrets)).allHTTPHeaderFields
        #expect(fields == (isKept ? secrets : ["Accept": "text/html"]))
    }

    @Test func `tells the user and the password of a URL to its server only`() throws {
        #expect(try next(from: "http://u:p@a/b", to: "//c/d")?.url?.absoluteString == "http://c/d")
        #expect(try next(from: "http://u:p@a/b", to: "/d")?.url?.absoluteString == "http://u:p@a/d")
    }

    @Test func `does not describe a body that it does not have`() throws {
        let described = ["Content-Type": "text/plain", "content-length": "8", "Accept": "text/html"]
        #expect(
            try next("POST", from: "http://a/", 303, to: "/", described)?.allHTTPHeaderFields == ["Accept": "text/html"]
        )
        #expect(try next("POST", from: "http://a/", 307, to: "/", described)?.allHTTPHeaderFields?.count == 3)
    }

    @Test(arguments: [("http", "http"), ("http", "https"), ("https", "https"), ("https", "http"), ("HTTPS", "Http")])
    func `stays encrypted`(from: String, to: String) throws {
        let hop = Hop(request: URLRequest(url: try #require(URL(string: "\(from)://a/"))), body: nil)
        let next = Result { try hop.redirected(to: URLRequest(url: try #require(URL(string: "\(to)://b/c")))) }
        guard from.lowercased() == "https", to.lowercased() == "http" else {
            #expect(throws: Never.self) { try next.get() }
            return
        }
        let error = try #require(throws: URLError.self) { try next.get() }
        #expect(error.code == .appTransportSecurityRequiresSecureConnection)
        #expect(
            error.localizedDescription == "The redirect from https to \(to)://b/c is not followed: it is not encrypted."
        )
    }

    @Test func `keeps the condition, whatever the delegate makes of it`() throws {
        var request = URLRequest(url: try #require(URL(string: "http://a/")))
        request.allowsCellularAccess = false
        let hop = try Hop(request: request, body: nil)
            .redirected(to: URLRequest(url: try #require(URL(string: "http://b/"))))
        #expect(!hop.request.allowsCellularAccess)
    }
}

/// Each hop of a redirect is a request of its own (RFC 9110 15.4).
@Suite("A request that is redirected", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct RedirectTests {
    private static let elsewhere = "http://203.0.113.81/next"
    private let network: ClientNetwork

    init() throws {
        network = try ClientNetwork()
        try network.wire("eth1", number: 1)
        try network.plugIn(1)
    }

    @Test(arguments: ["upload", "file", "body", "stream", "download"])
    func `is sent once, and waits for the host of the hop`(kind: String) throws {
        let server = try network.server([.redirect(303, Self.elsewhere), .answer("hello")])
        try network.machine.ip("route add unreachable 203.0.113.81/32")
        let client = try network.client("POST", kind)
        try client.waitForOutput("<waits: ")
        try network.machine.ip("route del unreachable 203.0.113.81/32")
        try client.waitForOutput("<got: hello>")
        let body = kind == "download" ? "" : " the body"
        #expect(server.received == ["POST /\(body)", "GET /next"])
    }

    @Test func `is sent once, and the hop again after a refusal`() throws {
        let server = try network.server([.redirect(303, "http://203.0.113.80:81/next"), .answer("hello")])
        let client = try network.client("POST", "upload")
        try client.waitForOutput("<waits: the last attempt failed with the code -1004")
        let next = try network.server(port: 81, [.answer("hello")])
        try network.machine.ip("address add 10.9.9.9/24 dev eth1")
        try client.waitForOutput("<got: hello>")
        #expect(server.received == ["POST / the body"])
        #expect(next.received == ["GET /next"])
    }

    @Test func `is sent once, and the hop again after a reset`() throws {
        let server = try network.server([.redirect(303, "/next"), .reset, .answer("hello")])
        try network.client("POST", "upload").waitForOutput("<got: hello>")
        #expect(server.received == ["POST / the body", "GET /next", "GET /next"])
    }

    @Test func `does not send a hop again that is not idempotent`() throws {
        let server = try network.server([.redirect(307, "/next"), .reset, .answer("hello")])
        try network.client("POST", "upload").waitForOutput("<failed: -1005")
        #expect(server.received == ["POST / the body", "POST /next the body"])
    }

    @Test(
        arguments: [
            (301, "POST", "GET /next"), (302, "POST", "GET /next"), (303, "POST", "GET /next"),
            (307, "POST", "POST /next the body"), (308, "POST", "POST /next the body"),
            (301, "PUT", "PUT /next the body"), (302, "PUT", "PUT /next the body"), (303, "PUT", "GET /next"),
            (307, "PUT", "PUT /next the body"), (302, "PATCH", "PATCH /next the body"),
            (301, "DELETE", "DELETE /next the body"), (303, "DELETE", "GET /next"),
        ], ["upload", "file", "body"])
    func `goes on with the method and the body of the status`(
        step: (status: Int, method: String, next: String), kind: String
    ) throws {
        let server = try network.server([.redirect(step.status, Self.elsewhere), .answer("hello")])
        try network.client(step.method, kind).waitForOutput("<got: hello>")
        #expect(server.received == ["\(step.method) / the body", step.next])
    }

    @Test func `fails if the body was a stream, which can be read once`() throws {
        let server = try network.server([.redirect(307, Self.elsewhere), .answer("hello")])
        try network.client("POST", "stream").waitForOutput("<failed: -1021")
        #expect(server.received == ["POST / the body"])
    }

    @Test func `stays a HEAD after 303`() throws {
        let server = try network.server([.redirect(303, "/next"), .answer("")])
        try network.client("HEAD").waitForOutput("<got: >")
        #expect(server.received == ["HEAD /", "HEAD /next"])
    }

    @Test func `finds a relative location`() throws {
        let server = try network.server([.redirect(302, "../c?q=1"), .redirect(301, "?r=2"), .answer("hello")])
        try network.client("GET", "http://203.0.113.80/a/b/").waitForOutput("<got: hello>")
        #expect(server.received == ["GET /a/b/", "GET /a/c?q=1", "GET /a/c?r=2"])
    }

    @Test func `ends a loop after 20 hops`() throws {
        let server = try network.server([.redirect(302, "/")])
        try network.client("GET").waitForOutput("<failed: -1007")
        #expect(server.requests.all.count == 21)
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://203.0.113.80/"])
    func `goes nowhere but to web servers`(location: String) throws {
        try network.server([.redirect(302, location)])
        try network.client("GET").waitForOutput("<failed: -1002")
    }

    @Test(arguments: ["Authorization", "Cookie"])
    func `tells credentials to the same server only`(field: String) throws {
        let server = try network.server([
            .redirect(307, "/next"), .redirect(307, Self.elsewhere), .answer("hello"),
        ])
        try network.client("POST", "upload", "field=\(field):secret").waitForOutput("<got: hello>")
        #expect(server.requests.all.map { $0.fields[field.lowercased()] } == ["secret", "secret", nil])
    }

    @Test func `carries cookies as their storage says`() throws {
        let server = try network.server([
            .redirect(302, "/next", ["Set-Cookie: a=b; Path=/"]), .redirect(302, Self.elsewhere), .answer("hello"),
        ])
        try network.client("GET").waitForOutput("<got: hello>")
        #expect(server.requests.all.map { $0.fields["cookie"] } == [nil, "a=b", nil])
    }

    @Test func `is what the delegate of the session makes of it`() throws {
        let server = try network.server([.redirect(307, "/next"), .answer("hello")])
        let client = try network.client("POST", "upload", "redirect=http://203.0.113.81/other")
        let said = try client.waitForOutput("<got: hello>")
        #expect(said.contains("<redirect: 307 POST http://203.0.113.80/next>"))
        #expect(server.received == ["POST / the body", "POST /other the body"])
        #expect(server.requests.all.last?.fields["changed"] == "yes")
    }

    @Test(arguments: ["data", "upload", "download"])
    func `ends where the delegate refuses`(kind: String) throws {
        let server = try network.server([.redirect(302, "/next"), .answer("hello")])
        try network.client(kind == "upload" ? "POST" : "GET", kind, "redirect=refuse").waitForOutput("<got: 302 >")
        #expect(server.requests.all.count == 1)
    }

    @Test func `does not follow a redirect of an attempt that it has given up`() throws {
        let server = try network.server([.redirect(302, "/next"), .silence, .answer("hello")])
        try network.machine.run("mkfifo /etc/answer")
        let client = try network.client("GET", "data", "redirect=later", "answer=/etc/answer")
        try client.waitForOutput("<redirect: ")
        for number in [2, 3] {
            try network.move(to: number)
            guard number == 2 else { break }
            _ = try server.requests.next(2)
            try network.machine.run("timeout 60 sh -c 'echo > /etc/answer'")
            try client.waitForOutput("<answered>")
        }
        try client.waitForOutput("<got: hello>")
        #expect(server.received == ["GET /", "GET /", "GET /"])
    }

    @Test(arguments: [true, false])
    func `ends at once when it is cancelled during a hop`(isDelegateAsked: Bool) throws {
        let server = try network.server([.redirect(302, "/next"), .silence])
        try network.machine.run("mkfifo /etc/cancel")
        let client = try network.client("GET", "cancel=/etc/cancel", isDelegateAsked ? "redirect=never" : "data")
        if isDelegateAsked { try client.waitForOutput("<redirect: ") } else { _ = try server.requests.next(2) }
        try network.machine.run("timeout 60 sh -c 'echo > /etc/cancel'")
        try client.waitForOutput("<failed: -999")
    }

    @Test func `avoids networks on every hop`() throws {
        try network.wire("wwan0", number: 7, type: "wwan")
        try network.machine.ip("route add 203.0.113.81/32 via 10.0.7.254")
        let server = try network.server([.redirect(303, Self.elsewhere), .answer("hello")])
        let client = try network.client("POST", "upload", "wired")
        try client.waitForOutput("<waits: ")
        #expect(server.received == ["POST / the body"])
        try network.machine.ip("route del 203.0.113.81/32")
        try client.waitForOutput("<got: hello>")
        #expect(server.received == ["POST / the body", "GET /next"])
    }
}

@Suite("A request that must not be sent twice", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct SentOnceTests {
    private let network: ClientNetwork

    init() throws {
        network = try ClientNetwork()
        try network.wire("eth1", number: 1)
        try network.plugIn(1)
    }

    /// libcurl sends a request again if it finds a kept connection dead (Curl_retry_request).
    @Test(arguments: ["data", "upload", "stream"])
    func `does not rely on a kept connection`(kind: String) throws {
        let server = try network.server([.stay("warm"), .reset, .answer("hello")])
        try network.client("POST", kind, "warm=http://203.0.113.80/warm").waitForOutput("<failed: -1005")
        #expect(server.received == ["GET /warm", kind == "data" ? "POST /" : "POST / the body"])
    }

    /// libcurl would send the second request without its body, which it has read.
    @Test(arguments: ["upload", "file", "body"])
    func `is sent again with its body if that is allowed`(kind: String) throws {
        let server = try network.server([.stay("warm"), .reset, .answer("hello")])
        try network.client("PUT", kind, "warm=http://203.0.113.80/warm").waitForOutput("<got: hello>")
        #expect(server.received == ["GET /warm", "PUT / the body", "PUT / the body"])
    }

    /// FoundationNetworking calls every failure a refused connection if another address refused one before.
    @Test func `was sent, although another address refused the connection`() throws {
        try network.machine.run(
            "printf '10.0.1.1 dual.test\\n203.0.113.80 dual.test\\n' > /etc/hosts; echo multi on > /etc/host.conf")
        let server = try network.server([.hangUp, .answer("hello")])
        try network.client("POST", "upload", "http://dual.test/").waitForOutput("<failed: ")
        #expect(server.received == ["POST / the body"])
    }
}

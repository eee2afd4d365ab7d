// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// A web server that answers each request as a function tells it to (RFC 9112).
public final class WebServer: RunningServer {
    /// The server's reaction to a request.
    public enum Answer: Hashable, Sendable {
        /// Sends a response. The connection stays open for another request, unless a field says "Connection: close".
        case reply(status: Int, fields: [String] = [], body: String = "")
        /// Sends half of a response, and then nothing.
        case stall
        /// Sends nothing, and leaves the connection open.
        case silence
        /// Sends half of a response, and closes the connection.
        case cut
        /// Closes the connection without a response.
        case hangUp
        /// Resets the connection without a response.
        case reset

        /// A response with status 200.
        public static func ok(_ body: String = "") -> Answer { .reply(status: 200, body: body) }

        /// A redirection to another URL, as a captive portal sends.
        public static func redirect(to location: String) -> Answer {
            .reply(status: 302, fields: ["Location: \(location)"])
        }
    }

    /// A request as it was received.
    public struct Request: Sendable {
        /// The first line, such as "GET / HTTP/1.1".
        public let line: String
        /// The values of the header fields, by their names in lower case.
        public let fields: [String: String]
        /// The body as text.
        public let body: String
        /// The number of the connection, counted from 1.
        public let connection: Int

        /// The method, such as "GET".
        public var method: String { String(line.prefix { $0 != " " }) }
        /// The request target, such as "/".
        public var path: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
    }

    private let threads: ConnectionThreads
    private let received: Received<Request>

    /// Has to be called in the namespace of the server.
    ///
    /// - Parameter address: nil for all.
    package init(
        at address: IPAddress? = nil, port: UInt16 = 80, _ answer: @escaping @Sendable (Request) -> Answer
    ) throws(Errno) {
        let received = Received<Request>()
        self.received = received
        threads = try ConnectionThreads(at: address, port: port, "web server") { client, number in
            while let request = Self.read(from: client, number) {
                received.record(request)
                switch answer(request) {
                case .reply(let status, let fields, let body):
                    Self.send(client, status, fields, body)
                    if fields.contains(where: { $0.lowercased() == "connection: close" }) {
                        client.end()
                        return false
                    }
                case .stall:
                    client.write(Self.halfAnswer)
                    return true
                case .silence: return true
                case .cut:
                    client.write(Self.halfAnswer)
                    client.end()
                    return false
                case .hangUp:
                    client.end()
                    return false
                case .reset:
                    client.reset()
                    return false
                }
            }
            return false
        }
    }

    /// The requests received so far.
    public var requests: [Request] { received.all }

    var activity: [String] { received.all.map(\.line) }

    /// Waits for the first request, and returns it.
    @discardableResult
    public func firstRequest() async throws -> Request { try await received.value(at: 0) }

    /// Waits until this many requests have been received, and returns them.
    @discardableResult
    public func requests(_ count: Int) async throws -> [Request] {
        if count > 0 { _ = try await received.value(at: count - 1) }
        return Array(received.all.prefix(count))
    }

    /// Stops accepting connections: new ones are refused. Open ones stay.
    public func stop() { threads.stop() }

    // MARK: Reading and writing

    private static let halfAnswer = Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".utf8)

    /// Nil at the end of the stream.
    private static func read(from client: TCPPeer, _ connection: Int) -> Request? {
        guard let lines = readLines(from: client), let first = lines.first else { return nil }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        let body: [UInt8] =
            if fields["transfer-encoding"] == "chunked" {
                readChunks(from: client)
            } else {
                client.read(fields["content-length"].flatMap { Int($0) } ?? 0, within: nil)
            }
        return Request(
            line: first, fields: fields, body: String(decoding: body, as: UTF8.self), connection: connection)
    }

    /// The lines before an empty line; nil at the end of the stream.
    private static func readLines(from client: TCPPeer) -> [String]? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let byte = client.read(1, within: nil)
            guard !byte.isEmpty else { return nil }
            head += byte
        }
        return String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    /// RFC 9112 7.1, without extensions and trailers.
    private static func readChunks(from client: TCPPeer) -> [UInt8] {
        var body: [UInt8] = []
        while true {
            var size: [UInt8] = []
            while !size.suffix(2).elementsEqual("\r\n".utf8) {
                let byte = client.read(1, within: nil)
                guard !byte.isEmpty else { return body }
                size += byte
            }
            let count = Int(String(decoding: size.dropLast(2), as: UTF8.self), radix: 16) ?? 0
            body += client.read(count + 2, within: nil).dropLast(2)
            if count == 0 { return body }
        }
    }

    private static func send(_ client: TCPPeer, _ status: Int, _ fields: [String], _ text: String) {
        let lines = ["HTTP/1.1 \(status) -", "Content-Length: \(text.utf8.count)"] + fields
        client.write(Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + text).utf8))
    }
}

extension Machine {
    /// Starts a web server at an address, which this machine gets if it does not have it yet.
    ///
    /// - Parameter answer: returns the reaction to a request. It is called on a thread of the server.
    @discardableResult
    public func webServer(
        at address: String, port: UInt16 = 80, _ answer: @escaping @Sendable (WebServer.Request) -> WebServer.Answer
    ) throws(MachineError) -> WebServer {
        try start(at: address, "web server") { (address) throws(Errno) in
            try WebServer(at: address, port: port, answer)
        }
    }
}

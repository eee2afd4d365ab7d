// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import Synchronization
import TestHosts

/// A web server that treats each request in the manner that is next, and the following ones in the last.
final class WebServer: Sendable {
    enum Manner: Sendable {
        case answer(String)
        /// Answers, and waits for another request on the same connection.
        case stay(String)
        /// Answers with a status of redirection and a location. Header lines may follow.
        case redirect(Int, String, [String] = [])
        /// Sends half of an answer, and then nothing.
        case stall
        /// Reads the request, and then nothing.
        case silence
        /// Ends the connection after the request.
        case hangUp
        /// Resets the connection after the request.
        case reset
    }

    struct Request: Sendable {
        /// The first line.
        let line: String
        /// The values of the other lines by their names in small letters.
        let fields: [String: String]
        let body: String
        /// The number of the connection, from 1.
        let connection: Int
    }

    let requests = ReceivedValues<Request>()
    private let listener: TCPListener
    private let manners: Mutex<[Manner]>
    private let held = Mutex<[TCPPeer]>([])

    /// To be made in the namespace of the server.
    init(port: UInt16 = 80, _ manners: [Manner]) throws {
        listener = try TCPListener(port: port)
        self.manners = Mutex(manners)
        // They end after `stop`, or when nothing has come for a minute.
        try Thread.start(name: "web server", stackBytes: 256 << 10) { [self] in
            var connection = 0
            while let client = try? listener.accept() {
                connection += 1
                try? Thread.start(name: "web client", stackBytes: 256 << 10) { [self, connection] in
                    while serve(client, connection) {}
                }.detach()
            }
        }.detach()
    }

    func stop() { listener.stop() }

    /// The first line and the body of each request, without the protocol's version.
    var received: [String] {
        requests.all.map { "\($0.line.replacing(" HTTP/1.1", with: "")) \($0.body)".trimmingSuffix(" ") }
    }

    /// Returns whether another request may follow.
    private func serve(_ client: TCPPeer, _ connection: Int) -> Bool {
        guard let lines = readLines(from: client), let first = lines.first else { return false }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        let body: [UInt8] =
            if fields["transfer-encoding"] == "chunked" {
                readChunks(from: client)
            } else {
                client.read(fields["content-length"].flatMap { Int($0) } ?? 0)
            }
        let text = String(decoding: body, as: UTF8.self)
        requests.record(Request(line: first, fields: fields, body: text, connection: connection))
        let manner = manners.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        switch manner {
        case .answer(let text):
            send(client, 200, ["Connection: close"], text)
            client.end()
        case .stay(let text):
            send(client, 200, [], text)
            return true
        case .redirect(let status, let location, let more):
            send(client, status, ["Location: \(location)", "Connection: close"] + more, "it is elsewhere")
            client.end()
        case .stall:
            client.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".utf8))
            held.withLock { $0.append(client) }
        case .silence: held.withLock { $0.append(client) }
        case .hangUp: client.end()
        case .reset: client.reset()
        }
        return false
    }

    /// The lines before an empty one; nil at the end of the stream.
    private func readLines(from client: TCPPeer) -> [String]? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let byte = client.read(1)
            guard !byte.isEmpty else { return nil }
            head += byte
        }
        return String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    /// RFC 9112 7.1, without extensions and trailers.
    private func readChunks(from client: TCPPeer) -> [UInt8] {
        var body: [UInt8] = []
        while true {
            var size: [UInt8] = []
            while !size.suffix(2).elementsEqual("\r\n".utf8) {
                let byte = client.read(1)
                guard !byte.isEmpty else { return body }
                size += byte
            }
            let count = Int(String(decoding: size.dropLast(2), as: UTF8.self), radix: 16) ?? 0
            body += client.read(count + 2).dropLast(2)
            if count == 0 { return body }
        }
    }

    private func send(_ client: TCPPeer, _ status: Int, _ fields: [String], _ text: String) {
        let lines = ["HTTP/1.1 \(status) -", "Content-Length: \(text.utf8.count)"] + fields
        client.write(Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + text).utf8))
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: Character) -> String { last == suffix ? String(dropLast()) : self }
}

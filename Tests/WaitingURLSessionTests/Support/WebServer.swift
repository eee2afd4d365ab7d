// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization
import TestHosts

/// A web server that treats each request in the manner that is next, and the following ones in the last.
final class WebServer: Sendable {
    enum Manner: Sendable {
        case answer(String)
        /// Sends half of an answer, and then nothing.
        case stall
        /// Reads the request, and then nothing.
        case silence
        /// Resets the connection after the request.
        case reset
    }

    struct Request: Sendable {
        /// The first line.
        let line: String
        let body: String
    }

    let requests = ReceivedValues<Request>()
    private let listener: TCPListener
    private let manners: Mutex<[Manner]>
    private let held = Mutex<[TCPPeer]>([])

    /// To be made in the namespace of the server.
    init(port: UInt16 = 80, _ manners: [Manner]) throws {
        listener = try TCPListener(port: port)
        self.manners = Mutex(manners)
        // It ends after `stop`, or when no client has come for a minute.
        try Thread.start(name: "web server", stackBytes: 256 << 10) { [self] in
            while let client = try? listener.accept() { serve(client) }
        }.detach()
    }

    func stop() { listener.stop() }

    private func serve(_ client: TCPPeer) {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let byte = client.read(1)
            guard !byte.isEmpty else { return }
            head += byte
        }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.split(separator: ":")[1].drop { $0 == " " }) }
        let body = String(decoding: client.read(length ?? 0), as: UTF8.self)
        requests.record(Request(line: lines.first.map(String.init) ?? "", body: body))
        let manner = manners.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        switch manner {
        case .answer(let text):
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n"
            client.write(Array((head + text).utf8))
            client.end()
        case .stall:
            client.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".utf8))
            held.withLock { $0.append(client) }
        case .silence: held.withLock { $0.append(client) }
        case .reset: client.reset()
        }
    }
}

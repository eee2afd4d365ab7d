// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import Synchronization
import TestHosts

/// The web server that NetworkManager asks whether it is online. It treats each request in the way that was set last.
final class WebServer: Sendable {
    enum Manner: Sendable {
        /// Gives the answer that NetworkManager expects (nm-connectivity.c).
        case online
        /// Sends the client to a page where one logs in, as a captive portal does.
        case redirecting
        /// Hangs up without an answer.
        case hangingUp
    }

    private let listener: TCPListener
    private let manner: Mutex<Manner>

    /// To be made in the namespace of the server.
    init(_ manner: Manner) throws {
        listener = try TCPListener(port: 80)
        self.manner = Mutex(manner)
        // It ends after `stop`, or when no client has come for a minute.
        try Thread.start(name: "web server", stackBytes: 256 << 10) { [self] in
            while let client = try? listener.accept() { serve(client) }
        }.detach()
    }

    func set(_ manner: Manner) { self.manner.withLock { $0 = manner } }

    func stop() { listener.stop() }

    private func serve(_ client: TCPPeer) {
        var request: [UInt8] = []
        while !request.ends(with: "\r\n\r\n") {
            let byte = client.read(1)
            guard !byte.isEmpty else { return }
            request += byte
        }
        let head =
            switch manner.withLock(\.self) {
            case .online: "HTTP/1.1 200 OK\r\nX-NetworkManager-Status: online"
            case .redirecting: "HTTP/1.1 302 Found\r\nLocation: http://10.0.1.254/login"
            case .hangingUp: ""
            }
        if !head.isEmpty { client.write(Array("\(head)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)) }
        client.end()
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}

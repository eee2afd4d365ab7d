// SPDX-License-Identifier: Apache-2.0

import Network
import Synchronization
import TestHosts

/// Keeps a network's engine running, on a thread that sees the network's /sys.
struct Running {
    private let monitor: NWPathMonitor

    init(_ network: TestNetwork) throws {
        let recorder = PathRecorder()
        monitor = network.monitor()
        network.start(monitor, recorder)
        try recorder.next()
    }

    func end() { monitor.cancel() }
}

/// A web server for one request.
final class OneAnswer: Sendable {
    let port: UInt16

    init(_ body: String) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopbackAddress()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let outcome = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, length) | listen(listener, 1) | getsockname(listener, pointer, &length)
            }
        }
        guard outcome == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            let peer = accept(listener, nil, nil)
            var request = [UInt8](repeating: 0, count: 4096)
            _ = unsafe recv(peer, &request, request.count, 0)
            let answer = Array(
                "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)".utf8)
            _ = unsafe send(peer, answer, answer.count, 0)
            close(peer)
            close(listener)
        }
    }
}

private func loopbackAddress() -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

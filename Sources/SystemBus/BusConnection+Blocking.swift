// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

extension BusConnection {
    /// Asks once what NetworkManager says, on the calling thread. Returns nil if no answer comes in time.
    ///
    /// - Parameter socket: a connected socket that does not block.
    package static func report(
        over socket: consuming OwnedDescriptor, timeout: Duration, time: any TimeSource = SystemTime()
    ) -> NetworkManager.Report? {
        let socket = socket
        let deadline = time.now().advanced(by: timeout)
        do throws(Errno) {
            let epoll = try Epoll()
            try epoll.add(socket.rawValue, .readable, token: 0)
            var client = NetworkManagerClient()
            var actions = client.start()
            while true {
                for action in actions {
                    switch action {
                    case .send(let bytes):
                        // The socket buffer of a new connection always has room for these few hundred bytes.
                        guard try StreamSocket.write(socket, bytes) == bytes.count else { return nil }
                    case .report(let report): return report
                    case .hangUp: return nil
                    }
                }
                let now = time.now()
                guard now < deadline else { return nil }
                try epoll.wait(timeoutMilliseconds: deadline.duration(since: now).wholeMilliseconds) { _ in }
                guard let bytes = try readIfReady(socket) else {
                    actions = []
                    continue
                }
                guard !bytes.isEmpty else { return nil }
                actions = client.receive(bytes, at: time.now())
            }
        } catch {
            return nil
        }
    }

    /// Nil if nothing has come.
    private static func readIfReady(_ socket: borrowing OwnedDescriptor) throws(Errno) -> [UInt8]? {
        do throws(Errno) {
            return try StreamSocket.read(socket, upTo: 4096)
        } catch {
            guard error == .wouldBlock else { throw error }
            return nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// Tells the service manager how it stands, by the protocol of sd_notify(3): a datagram of lines to the socket that
/// NOTIFY_SOCKET names. Without that variable nothing is told.
final class ServiceManager {
    private let name: UnixSocket.Name?
    private var status: String?

    init(socket: String? = EnvironmentVariable.value(of: "NOTIFY_SOCKET")) {
        let socket = socket ?? ""
        name =
            switch socket.first {
            case "/": .path(Array(socket.utf8))
            // The first byte stands for the zero of an abstract name (unix(7)).
            case "@": .abstract(Array(socket.utf8.dropFirst()))
            default: nil
            }
    }

    var isPresent: Bool { name != nil }

    /// Tells what the program is doing, if that has changed.
    func tell(_ status: String) {
        guard isPresent, status != self.status else { return }
        self.status = status
        send("STATUS=\(status.printable)")
    }

    /// Tells that what was waited for has come.
    func tellReady(_ status: String) {
        self.status = status
        if isPresent { send("READY=1\nSTATUS=\(status.printable)") }
    }

    /// A manager that cannot be told is no reason not to wait.
    private func send(_ message: String) {
        guard let name else { return }
        do throws(Errno) {
            let socket = try UnixSocket.openDatagram()
            try UnixSocket.connect(socket, to: name)
            _ = try StreamSocket.write(socket, Array(message.utf8))
        } catch {}
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem

/// Tells the service manager how it stands, by the protocol of sd_notify(3): a datagram of lines to the socket that
/// NOTIFY_SOCKET names. Without that variable nothing is told.
final class ServiceManager {
    private let name: UnixSocket.Name?
    private var status = ""
    private var isReady = false
    /// What the manager has been told.
    private var told = (status: "", isReady: false)
    /// A socket that was full.
    private var full: OwnedDescriptor?

    init() {
        let socket = EnvironmentVariable.value(of: "NOTIFY_SOCKET") ?? ""
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
        self.status = status
        sendAgain()
    }

    /// Tells that what was waited for has come.
    func tellReady(_ status: String) {
        isReady = true
        tell(status)
    }

    /// Sends what the manager does not know yet. One that cannot be told is no reason not to wait.
    func sendAgain() {
        guard let name else { return }
        var news: [String] = []
        if isReady, !told.isReady { news.append("READY=1") }
        if status != told.status { news.append("STATUS=\(status.printable)") }
        guard !news.isEmpty else { return full = nil }
        do throws(Errno) {
            let socket = try InternetSocket.open(family: AF_UNIX, type: Int32(SOCK_DGRAM.rawValue), protocol: 0)
            try UnixSocket.connect(socket, to: name)
            do throws(Errno) {
                _ = try StreamSocket.write(socket, Array(news.joined(separator: "\n").utf8))
            } catch {
                if error == .wouldBlock { return full = consume socket }
            }
        } catch {}
        full = nil
        told = (status, isReady)
    }

    /// Has the loop report when there is room for a message that was not sent. Returns whether there is such a message.
    @discardableResult
    func waitForRoom(on loop: MainLoop<some QueuedMessage>) -> Bool {
        switch full {
        case .some(let socket):
            loop.watchRoom(socket.rawValue)
            return true
        case .none: return false
        }
    }
}

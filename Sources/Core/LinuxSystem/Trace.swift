// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

@_implementationOnly import CReachabilityLinux

/// Reports the work of the package, a line at a time, to a client's handler, and to standard error if the environment variable
/// REACHABILITY_TRACE was `looks` when the trace was made. Lines that one of them does not accept soon are dropped, because an
/// engine must not wait.
package struct Trace: Sendable {
    private let isForStandardError = EnvironmentVariable.value(of: "REACHABILITY_TRACE") == "looks"

    package init() {}

    package var isOn: Bool { isForStandardError || Self.isForClient.load(ordering: .relaxed) }

    /// Writes a line. The time is written as `strace -ttt` writes it. The client's handler gets the line without it.
    package func note(_ text: @autoclosure () -> String) {
        guard isOn else { return }
        let text = text()
        Self.send(text)
        guard isForStandardError else { return }
        let now = WallTime.now
        let line = Array("\(now.seconds).\("\(now.nanoseconds / 1000)".padded(to: 6)) \(text)\n".utf8)
        var awaited = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        // A pipe that has room takes a page (pipe(7)).
        if unsafe poll(&awaited, 1, 0) > 0 { _ = unsafe write(2, line, min(line.count, 4096)) }
    }

    // MARK: The client's handler

    private struct Client {
        var handler: (@Sendable (String) -> Void)?
        var lines: [String] = []
        var lostCount = 0
    }

    private static let client = Lock(Client())
    /// Whether there is a handler.
    private static let isForClient = Atomic(false)
    private static let queue = DispatchQueue(label: "reachability.trace")
    private static var mostLines: Int { 1000 }

    /// Called on its own queue, with one line at a time.
    package static var handler: (@Sendable (String) -> Void)? {
        get { client.withLock(\.handler) }
        set {
            // The old handler is released outside the lock, because a deinitializer of the client's may call anything.
            client.remove { client in
                defer { client.handler = newValue }
                isForClient.store(newValue != nil, ordering: .relaxed)
                return client.handler
            }
        }
    }

    private static func send(_ line: String) {
        // In the child of a fork no queue works.
        guard !ForkEpoch.isChild else { return }
        let isFirst = client.withLock { client in
            guard client.handler != nil else { return false }
            guard client.lines.count < mostLines else {
                client.lostCount += 1
                return false
            }
            client.lines.append(line)
            return client.lines.count == 1
        }
        if isFirst { queue.async(execute: callHandler) }
    }

    private static func callHandler() {
        let (lines, lostCount) = undisturbed {
            client.withLock { client in
                defer { (client.lines, client.lostCount) = ([], 0) }
                return (client.lines, client.lostCount)
            }
        }
        for line in lines { handler?(line) }
        if lostCount > 0 { handler?("\(lostCount) lines were lost, as the handler was slower than the network") }
    }
}

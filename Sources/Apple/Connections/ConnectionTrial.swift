// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// One attempt to connect, for a client that only wants to know whether it succeeds. The connection is closed at once.
/// Unlike ``Connection`` it needs no queue, and so no further thread.
package final class ConnectionTrial: @unchecked Sendable {  // `attempt` is confined to the transport's thread
    private let transport: any ConnectionTransport
    private var attempt: ConnectionAttempt?

    private init(_ transport: any ConnectionTransport) {
        self.transport = transport
    }

    /// - Parameters:
    ///   - timeLimit: the longest it may take, including the name's resolution.
    ///   - finished: called once on the transport's thread, with nil after a success. Not called after a cancellation.
    /// - Returns: ends the attempt.
    /// - Throws: if there is no thread for it.
    package static func begin(
        _ transport: any ConnectionTransport, timeLimit: Duration,
        finished: @escaping @Sendable (ConnectionFailure?) -> Void
    ) throws(ConnectionFailure) -> CancellationToken {
        try transport.open()
        let trial = ConnectionTrial(transport)
        transport.enqueue { trial.begin(timeLimit, finished) }
        return CancellationToken {
            transport.enqueue { trial.end() }
        }
    }

    private func begin(_ timeLimit: Duration, _ finished: @escaping @Sendable (ConnectionFailure?) -> Void) {
        let attempt = ConnectionAttempt(transport) { [self] outcome in
            switch outcome {
            case .success(let stream):
                stream.close(isReset: false)
                finished(nil)
            case .failure(let failure): finished(failure)
            }
            end()
        }
        self.attempt = attempt
        attempt.begin(timeLimit: timeLimit)
    }

    private func end() {
        attempt?.abandon()
        attempt = nil
        transport.close()
    }
}

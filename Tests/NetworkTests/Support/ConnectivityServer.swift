// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityTestMachines

/// The web server that NetworkManager asks whether it is online. It treats each request in the way that was set last.
final class ConnectivityServer: Sendable {
    enum Manner: Sendable {
        /// Gives the answer that NetworkManager expects (nm-connectivity.c).
        case online
        /// Sends the client to a page where one logs in, as a captive portal does.
        case redirecting
        /// Hangs up without an answer.
        case hangingUp

        fileprivate var answer: WebServer.Answer {
            switch self {
            case .online: .reply(status: 200, fields: ["X-NetworkManager-Status: online", "Connection: close"])
            case .redirecting:
                .reply(status: 302, fields: ["Location: http://10.0.1.254/login", "Connection: close"])
            case .hangingUp: .hangUp
            }
        }
    }

    private let server: WebServer
    private let manner: SharedManner

    private final class SharedManner: Sendable {
        let present: Lock<Manner>

        init(_ manner: Manner) { present = Lock(manner) }
    }

    /// To be made in the namespace of the server.
    init(_ manner: Manner) throws {
        let manner = SharedManner(manner)
        self.manner = manner
        server = try WebServer { _ in manner.present.withLock(\.self).answer }
    }

    func set(_ manner: Manner) { self.manner.present.withLock { $0 = manner } }

    func stop() { server.stop() }
}

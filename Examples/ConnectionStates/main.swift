// SPDX-License-Identifier: Apache-2.0

// Prints the states of a connection, and whether it can carry data, until it ends.
//
//     connection-states HOST PORT
//
// The script `demo` in this directory runs it while a network changes.

import Glibc
import Network

guard CommandLine.arguments.count == 3, let port = NWEndpoint.Port(CommandLine.arguments[2]) else {
    print("usage: connection-states HOST PORT")
    exit(64)
}

/// Prints a line at once, also to a pipe.
@Sendable func say(_ line: String) {
    print(line)
    fflush(nil)
}

let connection = NWConnection(host: NWEndpoint.Host(CommandLine.arguments[1]), port: port, using: .tcp)
say("setup")
connection.stateUpdateHandler = { state in
    say("\(state)")
    switch state {
    case .failed: connection.cancel()
    case .cancelled: exit(0)
    case .setup, .waiting, .preparing, .ready: break
    }
}
connection.viabilityUpdateHandler = { isViable in say(isViable ? "  can carry data" : "  cannot carry data") }
connection.pathUpdateHandler = { path in say("  path: \(path)") }
connection.start(queue: .main)
dispatchMain()

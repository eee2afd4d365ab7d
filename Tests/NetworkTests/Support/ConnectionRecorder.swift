// SPDX-License-Identifier: Apache-2.0

import Network
import TestHosts

/// Collects the calls of a connection's handlers, in words.
typealias ConnectionRecorder = ReceivedValues<String>

extension ReceivedValues<String> {
    func attach(to connection: NWConnection) {
        connection.stateUpdateHandler = { [self] state in record("\(state)") }
        connection.viabilityUpdateHandler = { [self] isViable in record(isViable ? "viable" : "not viable") }
    }
}

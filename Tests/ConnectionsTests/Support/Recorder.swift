// SPDX-License-Identifier: Apache-2.0

import Connections
import LinuxSystem
import TestHosts

/// Collects what a connection's client is told, in words.
typealias Recorder = ReceivedValues<String>

extension ReceivedValues<String> {
    /// - Parameter witness: held by a handler for as long as the connection holds that.
    func attach(to connection: Connection, holding witness: Witness? = nil) {
        connection.client.change(\.state) { [self, witness] state in
            withExtendedLifetime(witness) { record(Self.words(state)) }
        }
        connection.client.change(\.viability) { [self] isViable in record(isViable ? "viable" : "not viable") }
    }

    static func words(_ state: ConnectionMachine.State) -> String {
        switch state {
        case .setup: "setup"
        case .preparing: "preparing"
        case .waiting(let failure): "waiting: \(words(failure))"
        case .ready: "ready"
        case .failed(let failure): "failed: \(words(failure))"
        case .cancelled: "cancelled"
        }
    }

    static func words(_ failure: ConnectionFailure) -> String {
        switch failure {
        case .system(let error): error.description
        case .unresolved(let outcome): "\(outcome)"
        }
    }
}

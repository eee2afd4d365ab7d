// SPDX-License-Identifier: Apache-2.0

import Connections
import LinuxSystem
import TestHosts

/// Collects a connection's events, in words.
typealias Recorder = ReceivedValues<String>

extension ReceivedValues<String> {
    /// - Parameter witness: held by the observer, for as long as the connection holds that.
    func attach(to connection: Connection, holding witness: Witness? = nil) {
        connection.client.setObserver { [self, witness] event in
            withExtendedLifetime(witness) { record(Self.words(event)) }
        }
    }

    static func words(_ event: ConnectionEvent) -> String {
        switch event {
        case .state(let state): words(state)
        case .viability(let isViable): isViable ? "viable" : "not viable"
        case .betterPath(let isAvailable): isAvailable ? "better path" : "no better path"
        }
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

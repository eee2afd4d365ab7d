// SPDX-License-Identifier: Apache-2.0

import ReachabilityConnections
import ReachabilityLinuxSystem
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

    /// Records what was received, of which `bytes` says as much as matters.
    func record(_ content: ReceivedContent, _ bytes: String) {
        let failure = content.failure.map { ": \(Self.words($0))" } ?? ""
        record("received \(bytes)\(content.isEnd ? " end" : "")\(failure)")
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

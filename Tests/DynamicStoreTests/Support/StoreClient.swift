// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology

@testable import SystemConfigurationCore

/// A client with a session, and the keys it was told.
final class StoreClient: Sendable {
    let session: StoreSession
    let calls: ReceivedValues<[String]>
    private let network: StoreNetwork

    /// All keys.
    static let system = ["State:.*", "Setup:.*"]

    /// - Parameter network: in whose namespace the session is opened.
    init(in network: StoreNetwork, keys: [String] = [], patterns: [String] = []) throws {
        let calls = ReceivedValues<[String]>()
        self.calls = calls
        self.network = network
        session = network.topology.run {
            StoreSession(files: network.files) { _, keys in calls.record(keys) }
        }
        session.belong(to: self)
        let isScheduled = network.topology.run {
            session.watch(keys, patterns: patterns) && session.setQueue(.queue(calls.queue))
        }
        if !isScheduled { throw Refused(status: LegacyStatus.last) }
    }

    /// The value of a key, read on the thread that sees the network's own /etc.
    func value(of key: String) -> PropertyValue? {
        network.topology.run { session.value(of: key) }
    }

    struct Refused: Error {
        let status: LegacyStatus
    }

    /// A scheduled session holds its owner.
    func end() {
        _ = session.setQueue(nil)
        _ = session.watch([], patterns: [])
    }
}

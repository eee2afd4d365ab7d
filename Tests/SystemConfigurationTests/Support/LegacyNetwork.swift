// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration
import TestTopology

/// A network in which a test makes its target local or unreachable.
enum LegacyNetwork {
    static let target = "192.0.2.7"
    static let local: SCNetworkReachabilityFlags = [.reachable, .isLocalAddress, .isDirect]

    struct NoTarget: Error {}

    static func make() throws -> Machine {
        let machine = try Machine()
        try machine.set(local: false)
        return machine
    }
}

extension Machine {
    func reference(_ name: String = LegacyNetwork.target) throws -> SCNetworkReachability {
        guard let target = run({ SCNetworkReachabilityCreateWithName(nil, name) }) else {
            throw LegacyNetwork.NoTarget()
        }
        return target
    }

    /// Makes the target local to this network, or unreachable.
    func set(local isLocal: Bool, _ target: String = LegacyNetwork.target) throws {
        try ip(isLocal ? "route replace \(target) dev lo" : "route replace unreachable \(target)")
    }
}

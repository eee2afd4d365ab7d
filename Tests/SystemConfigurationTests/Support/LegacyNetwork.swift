// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SystemConfiguration
import TestTopology
import TestWaiting

/// A network in which a test makes its targets local or unreachable.
///
/// A test cannot wait for "no callback". So there is a second target, the fence: after the callback of its change, all
/// earlier changes have been handled.
final class LegacyNetwork {
    static let target = "192.0.2.7"
    static let local: SCNetworkReachabilityFlags = [.reachable, .isLocalAddress, .isDirect]

    let topology: Topology
    private let fence: SCNetworkReachability
    private let fenceCalls = Calls()
    private let queue = DispatchQueue(label: "fence")

    init() throws {
        let topology = try Topology()
        self.topology = topology
        for address in [Self.target, "198.51.100.1"] { try topology.ip("route add unreachable \(address)") }
        let calls = fenceCalls
        fence = try Self.reference("198.51.100.1", in: topology)
        SCNetworkReachabilitySetCallback(fence, { _, flags, _ in calls.record(flags) }, nil)
        SCNetworkReachabilitySetDispatchQueue(fence, queue)
    }

    /// A target that is scheduled stays alive.
    deinit {
        SCNetworkReachabilitySetDispatchQueue(fence, nil)
    }

    struct NoTarget: Error {}

    static func reference(_ name: String, in topology: Topology) throws -> SCNetworkReachability {
        guard let target = topology.run({ SCNetworkReachabilityCreateWithName(nil, name) }) else { throw NoTarget() }
        return target
    }

    func reference(_ name: String = LegacyNetwork.target) throws -> SCNetworkReachability {
        try Self.reference(name, in: topology)
    }

    /// Makes the target local to this network, or unreachable.
    func set(local isLocal: Bool, _ target: String = LegacyNetwork.target) throws {
        try topology.ip(isLocal ? "route replace \(target) dev lo" : "route replace unreachable \(target)")
    }

    /// Returns when all earlier changes have been handled.
    func settle() throws {
        try set(local: true, "198.51.100.1")
        _ = try fenceCalls.next()
        try set(local: false, "198.51.100.1")
        _ = try fenceCalls.next()
        try queue.finish()
    }
}

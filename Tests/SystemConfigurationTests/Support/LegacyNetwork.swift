// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SystemConfiguration
import TestTopology
import TestWaiting

/// A network in which a test makes its targets local or unreachable, with a `Fence`.
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
        try topology.ip("route add unreachable \(Self.target)")
        try topology.makeFence()
        let calls = fenceCalls
        fence = try Self.reference(Fence.address, in: topology)
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
        try Fence.pass(in: topology) { _ in _ = try fenceCalls.next() }
        try queue.finish()
    }
}

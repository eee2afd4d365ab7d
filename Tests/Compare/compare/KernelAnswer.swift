// SPDX-License-Identifier: Apache-2.0

import NetworkFacts
import TestTopology

/// What `ip route get` says of a target, and `ip link show` of the link its route leaves by: the truth.
struct KernelAnswer {
    let isReachable: Bool

    /// The kernel's answer in the calling thread's namespace.
    ///
    /// - Parameter keys: as `ip route get` takes them. The scope of an IPv6 address is one.
    static func about(_ target: String, keys: [String] = []) throws -> KernelAnswer {
        let parts = target.split(separator: "%").map(String.init)
        let scope = parts.count > 1 ? ["oif", parts[1]] : []
        let route: [Substring]
        do throws(TopologyError) {
            route = try CallingThread.execute(["ip", "route", "get", parts[0]] + scope + keys).split(separator: " ")
        } catch {
            guard case .command = error else { throw error }
            // The kernel refuses: no route, or one of a type that says no.
            return KernelAnswer(isReachable: false)
        }
        if ["unreachable", "prohibit", "blackhole", "throw"].contains(route.first) {
            return KernelAnswer(isReachable: false)
        }
        guard let at = route.firstIndex(of: "dev"), route.first != "local" else {
            return KernelAnswer(isReachable: route.first == "local")
        }
        let link = try CallingThread.execute(["ip", "-o", "link", "show", "dev", String(route[at + 1])])
        let isDead = ["state DOWN", "state LOWERLAYERDOWN", "state NOTPRESENT", "NO-CARRIER"].contains(
            where: link.contains)
        return KernelAnswer(isReachable: !isDead)
    }

    /// Whether any host far away can be reached, in either family.
    static func aboutAnything() throws -> KernelAnswer {
        let far = ["203.0.113.1", "2001:db8:ffff::1"]
        return KernelAnswer(isReachable: try far.contains { try about($0).isReachable })
    }
}

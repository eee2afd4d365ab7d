// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestTopology

/// The kernel's answer: `ip route get` for a target, and `ip link show` for the link its route leaves by.
struct KernelAnswer {
    let isReachable: Bool

    /// What a scene calls the arguments of `ip route get`.
    private static let keys: [Substring: String] = ["mark": "mark", "source": "from", "interface": "oif", "uid": "uid"]

    /// The kernel's answer in the calling thread's namespace. The scope of an IPv6 address becomes an argument, too.
    static func about(_ question: Scenario.Question) throws -> KernelAnswer {
        let parts = question.target.split(separator: "%").map(String.init)
        let scope = parts.count > 1 ? ["oif", parts[1]] : []
        let keys = question.options.flatMap { option in
            let pair = option.split(separator: "=")
            return [Self.keys[pair[0]]!, String(pair[1])]
        }
        let route: [Substring]
        do throws(MachineError) {
            route = try CallingThread.execute(["ip", "route", "get", parts[0]] + scope + keys).split(separator: " ")
        } catch {
            guard case .command = error.cause else { throw error }
            // There is no route, or one that forbids.
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
        return KernelAnswer(isReachable: try far.contains { try about(.init(text: $0)).isReachable })
    }
}

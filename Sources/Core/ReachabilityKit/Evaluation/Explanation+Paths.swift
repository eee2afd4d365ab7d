// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink

extension Explanation {
    /// The explanation of a verdict on addresses that was found over netlink.
    ///
    /// - Parameter portsDecide: whether the hop that the answer names is only one of several, of which ports decide.
    init(of target: Target, _ lookup: TargetLookup, names: [InterfaceIndex: String], portsDecide: Bool = false) {
        let (verdict, records) = (lookup.result.verdict, lookup.records)
        let text = ExplanationText { names[$0] ?? "interface \($0.rawValue)" }
        // The last lookup with this verdict decided. A pair's first lookup only checks the local address.
        let deciding = records.last { $0.verdict == verdict } ?? records.last
        let route = deciding?.answer.route
        let source = deciding?.query.source ?? route?.source
        var steps = records.flatMap(text.steps) + text.flagSteps(for: verdict, deciding)
        if portsDecide {
            steps.append(Step("hops", "the route has several hops, and ports decide which of them a connection takes"))
        }
        self.init(
            target: target.description,
            flags: verdict.flags,
            interface: portsDecide ? nil : verdict.interface.map { names[$0] ?? "\($0.rawValue)" },
            gateway: portsDecide ? nil : route?.gateway?.unscoped.description,
            source: source?.unscoped.description,
            table: route.map(ExplanationText.table(of:)),
            addresses: target.addresses.map(\.description),
            lookupMethod: .netlink,
            reason: verdict.reason,
            steps: steps)
    }

    /// The explanation of a verdict that was found by connecting a UDP socket.
    init(of target: Target, _ finding: ConnectedLookup.Finding) {
        let text = ExplanationText { finding.linkName ?? "interface \($0.rawValue)" }
        var steps = [
            Step("asked", "whether a UDP socket can be connected to it, as netlink is forbidden here; nothing is sent")
        ]
        if let source = finding.source { steps.append(Step("source", source.description)) }
        if let name = finding.linkName { steps.append(Step("link", name)) }
        self.init(
            target: target.description, flags: finding.verdict.flags, interface: finding.linkName,
            source: finding.source?.description, addresses: target.addresses.map(\.description), lookupMethod: .udp,
            reason: finding.verdict.reason,
            steps: steps + text.flagSteps(for: finding.verdict, nil))
    }
}

extension Target {
    /// The addresses of the target.
    fileprivate var addresses: [IPAddress] {
        switch self {
        case .address(let address): [address]
        case .pair(let local, let remote): [remote ?? local]
        case .defaultPath, .defaultPathOf, .name: []
        }
    }
}

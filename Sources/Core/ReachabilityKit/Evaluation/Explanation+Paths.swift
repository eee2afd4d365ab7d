// SPDX-License-Identifier: Apache-2.0

import NetworkFacts

extension Explanation {
    /// The explanation of a verdict on addresses that was found over netlink.
    init(of target: Target, verdict: Verdict, records: [LookupRecord], names: [InterfaceIndex: String]) {
        let text = ExplanationText { names[$0] ?? "interface \($0.rawValue)" }
        // The last lookup with this verdict decided. A pair's first lookup only checks the local address.
        let deciding = records.last { $0.verdict == verdict } ?? records.last
        var route: RouteDecision?
        if case .route(let found) = deciding?.answer, !verdict.flags.isEmpty { route = found }
        let source = deciding?.query.source ?? route?.source
        self.init(
            target: target.description,
            flags: verdict.flags,
            interface: verdict.interface.map { names[$0] ?? "\($0.rawValue)" },
            gateway: route?.gateway?.unscoped.description,
            source: source?.unscoped.description,
            table: route.map(ExplanationText.table(of:)),
            addresses: target.addresses.map(\.description),
            lookupMethod: .netlink,
            reason: verdict.reason,
            steps: records.flatMap(text.steps) + text.flagSteps(for: verdict, deciding))
    }

    /// The explanation of a verdict that was found by connecting a UDP socket.
    init(of target: Target, _ finding: UDPLookup.Finding) {
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

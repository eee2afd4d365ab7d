// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink

extension Explanation {
    /// The explanation of a verdict on addresses.
    ///
    /// - Parameter portsDecide: whether the hop that the answer names is only one of several, of which ports decide.
    init(
        of target: Target, _ lookup: TargetLookup, names: [InterfaceIndex: String], portsDecide: Bool = false,
        lookupMethod: LookupMethod = .netlink
    ) {
        let (verdict, records) = (lookup.result.verdict, lookup.records)
        let text = ExplanationText(lookupMethod) { names[$0] ?? "interface \($0.rawValue)" }
        // The last lookup with this verdict decided. A pair's first lookup only checks the local address.
        let deciding = records.last { $0.verdict == verdict } ?? records.last
        let route = deciding?.answer.route
        let source = deciding?.query.source ?? route?.source
        var steps = records.flatMap(text.steps) + text.flagSteps(for: verdict, deciding)
        if lookupMethod == .netlinkQuestions {
            steps.append(Step("changes", "the kernel announces none here; what is watched is looked at again"))
        }
        if portsDecide {
            steps.append(Step("hops", "the route has several hops, and ports decide which of them a connection takes"))
        }
        self.init(
            target: target.description,
            flags: verdict.flags,
            interface: portsDecide ? nil : verdict.interface.map { names[$0] ?? "\($0.rawValue)" },
            gateway: portsDecide ? nil : route?.gateway?.unscoped.description,
            source: source?.unscoped.description,
            table: route.flatMap { $0.isHopUnknown ? nil : ExplanationText.table(of: $0) },
            addresses: target.addresses.map(\.description),
            lookupMethod: lookupMethod,
            reason: verdict.reason,
            steps: steps)
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

// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import NetworkFacts

extension ReachabilityRef {
    /// Asks anew, in more detail than ``getFlags()`` does, and tells what was learned and why each flag is set.
    ///
    /// - Throws: ``ReachabilityError`` where the kernel could not be asked.
    public func explain() throws(ReachabilityError) -> Explanation {
        let kernel = try stack.kernel()
        let settled = kernel.sentinel.settle()
        do throws(NetlinkError) {
            return try kernel.conversations.withConversation { (conversation) throws(NetlinkError) in
                var evidence: [Evidence] = []
                let lookup = TargetLookup(
                    conversation: conversation, links: kernel.links, generation: settled?.links, keys: keys
                ) { evidence.append($0) }
                let verdict = try lookup.verdict(on: target).verdict
                var names: [InterfaceIndex: String] = [:]
                for index in Self.interfaces(in: evidence) {
                    names[index] = try kernel.links.facts(
                        of: index, generation: settled?.links, asking: conversation)?.name
                }
                return Explanation(of: target, verdict: verdict, evidence: evidence, names: names)
            }
        } catch {
            throw ReachabilityError(error, object: target.description)
        }
    }

    private static func interfaces(in evidence: [Evidence]) -> Set<InterfaceIndex> {
        var indices: Set<InterfaceIndex> = []
        for item in evidence {
            for index in [item.query.interface, item.verdict.interface, item.link?.index, item.link?.master] {
                if let index { indices.insert(index) }
            }
            if case .route(let route) = item.answer, let index = route.interface { indices.insert(index) }
        }
        return indices
    }
}

extension Explanation {
    /// The explanation of a verdict on addresses, by netlink.
    init(of target: Target, verdict: Verdict, evidence: [Evidence], names: [InterfaceIndex: String]) {
        let text = ExplanationText { names[$0] ?? "interface \($0.rawValue)" }
        // Of several questions the last one with this verdict decided; a pair's first merely admitted the local side.
        let deciding = evidence.last { $0.verdict == verdict } ?? evidence.last
        var route: RouteDecision?
        if case .route(let found) = deciding?.answer, !verdict.flags.isEmpty { route = found }
        self.init(
            target: target.description,
            flags: verdict.flags,
            interface: verdict.interface.map { names[$0] ?? "\($0.rawValue)" },
            gateway: route?.gateway?.unscoped.description,
            source: (deciding?.query.source ?? route?.preferredSource)?.unscoped.description,
            addresses: evidence.filter { $0.purpose == .target }.map(\.query.destination.description),
            answeredBy: .netlink,
            reason: verdict.reason.description,
            steps: evidence.flatMap(text.steps) + text.flagSteps(for: verdict, evidence: deciding))
    }
}

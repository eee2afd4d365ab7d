// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityResolverFiles

extension Explanation {
    /// The explanation of a name: its addresses, where they come from, and the explanation of the address that decides.
    init(
        of host: NamedHost, _ resolution: Resolution, servers: [(ServerAddress, String)],
        addresses: [(address: IPAddress, explanation: Explanation)], lookupMethod: LookupMethod, at now: BootTime
    ) {
        let missing = host.resolver.configuration.missingModules(for: resolution.query)
        var steps = [Step("name", Self.origin(of: resolution, notAsked: missing, at: now))]
        for (server, state) in servers { steps.append(Step("server", "\(server): \(state)")) }
        let chosen = PathEvaluation.best(of: addresses.map(\.explanation.flags))
        for (position, (address, explanation)) in addresses.enumerated() {
            let mark = position == chosen ? " (this one counts: \(Self.choice(explanation.flags.rank)))" : ""
            steps.append(Step("address", "\(address): \(explanation.flags): \(explanation.reason)\(mark)"))
        }
        let deciding = (chosen ?? addresses.indices.first).map { addresses[$0].explanation }
        guard let deciding else {
            let problem = host.name.problem.map { ": \($0)" } ?? ""
            let cause = Reason.unresolved(resolution)
            let reason = cause.description + problem
            self.init(
                target: host.name.description, flags: [], lookupMethod: lookupMethod, reason: reason,
                code: cause.code, words: cause.words, isUndetermined: cause.isUndetermined,
                steps: steps + [Step("flag", "Not Reachable: \(reason)")])
            return
        }
        self = deciding.renamed(
            host.name.description, before: steps, addresses: addresses.map(\.address.description))
    }

    private static func choice(_ rank: ReachabilityFlags.Rank) -> String {
        rank == .reachable ? "the first that is reachable" : "none is reachable, and this one needs only a connection"
    }

    private static func origin(of resolution: Resolution, notAsked missing: [String], at now: BootTime) -> String {
        var text = resolution.outcome.sentence
        switch resolution.origin {
        case .hostsFile: text += ", by the hosts file"
        case .ownHostName: text += ", as the name of this machine"
        case .module(let name): text += ", by the source '\(name)' of nsswitch.conf"
        case .localhost: text += ", as every name for this machine itself (RFC 6761)"
        case .dns: text += ", by DNS (A: \(resolution.v4.words); AAAA: \(resolution.v6.words))"
        case .none: break
        }
        if !missing.isEmpty {
            text += "; not asked, because this static program cannot load modules: \(missing.joined(separator: ", "))"
        }
        if resolution.origin == .dns, resolution.expires > now, resolution.expires != .distantFuture {
            text += ", valid for another \(resolution.expires.duration(since: now).components.seconds) s"
        }
        return text
    }

    /// This explanation as that of a name, preceded by further steps.
    func renamed(_ target: String, before: [Step], addresses: [String]) -> Explanation {
        Explanation(
            target: target, flags: flags, interface: interface, gateway: gateway, source: source, table: table,
            addresses: addresses, lookupMethod: lookupMethod, reason: reason, code: reasonCode, words: reasonWords,
            isUndetermined: isUndetermined, steps: before + steps)
    }
}

extension FamilyOutcome {
    /// The outcome as text.
    package var words: String {
        switch self {
        case .addresses(let found): found.count == 1 ? "1 address" : "\(found.count) addresses"
        case .noSuchName: "no such name"
        case .noData: "none"
        case .failed(let status): "failed, \(status)"
        case .couldNotAsk(let error): "could not be asked, \(error)"
        case .deadlinePassed: "no answer in time"
        case .notAwaited: "not waited for"
        case .cancelled: "cancelled"
        case .notAsked: "not asked"
        }
    }
}

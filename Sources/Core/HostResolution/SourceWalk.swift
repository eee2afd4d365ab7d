// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityResolverFiles

/// What a source, or several, said about a name.
struct Finding: Sendable {
    var v4: FamilyOutcome
    var v6: FamilyOutcome
    var origin: ResolutionOrigin
    /// Nil if it follows from both families.
    var outcome: ResolutionOutcome?

    init(v4: FamilyOutcome, v6: FamilyOutcome, origin: ResolutionOrigin, outcome: ResolutionOutcome? = nil) {
        (self.v4, self.v6, self.origin, self.outcome) = (v4, v6, origin, outcome)
    }

    /// The same for both families.
    init(_ both: FamilyOutcome, _ origin: ResolutionOrigin, outcome: ResolutionOutcome? = nil) {
        self.init(v4: both, v6: both, origin: origin, outcome: outcome)
    }

    /// Addresses without a limit to their validity.
    init(_ addresses: [IPAddress], for query: NameQuery, _ origin: ResolutionOrigin, timeToLive: UInt32? = nil) {
        func outcome(_ family: AddressFamily) -> FamilyOutcome {
            guard query.wants(family) else { return .notAsked }
            let matching = addresses.filter { $0.family == family }
            return matching.isEmpty ? .noData : .addresses(matching.map { TimedAddress($0, timeToLive: timeToLive) })
        }
        self.init(v4: outcome(.v4), v6: outcome(.v6), origin: origin)
    }

    /// As an NSS module would report it. For glibc's nss_dns a server that is silent or fails is unavailable, and one that finds the
    /// question malformed does not know the name (_nss_dns_gethostbyname3_r in resolv/nss_dns/dns-host.c).
    var status: NameSources.Status {
        if outcome == nil, v4 == .notAsked, v6 == .notAsked { return .unavailable }
        return switch outcome ?? ResolutionOutcome(v4, v6) {
        case .addresses: .success
        case .noSuchName, .noData, .impossibleName: .notFound
        case .failed(let status) where !status.mayPass: .notFound
        case .deadlinePassed: .tryAgain
        default: .unavailable
        }
    }

    /// A source that cannot be asked. It says nothing about the name.
    static let unavailable = Finding(.notAsked, .none)

    /// Of two findings the one that tells more.
    func orMoreInformative(_ other: Finding?) -> Finding {
        guard let other else { return self }
        return (other.weight, other.origin == .none ? 0 : 1) > (weight, origin == .none ? 0 : 1) ? other : self
    }

    private var weight: Int {
        switch outcome ?? ResolutionOutcome(v4, v6) {
        case .addresses: 5
        case .cancelled: 4
        case .couldNotAsk, .failed, .deadlinePassed: 3
        case .noServerReachable, .noServerConfigured: 2
        case .noData: 1
        case .noSuchName, .impossibleName: 0
        }
    }
}

/// Goes through the sources for a name. Those that are answered here have their findings already.
struct SourceWalk: Sendable {
    enum Step: Sendable {
        case found(Finding)
        case dns
        case module(String)
    }

    private var steps: ArraySlice<(step: Step, ends: Set<NameSources.Status>)>
    private var best: Finding?

    init(_ steps: [(step: Step, ends: Set<NameSources.Status>)]) {
        self.steps = steps[...]
        skipFound()
    }

    /// The source to ask now: DNS or a module. Nil if the walk is over.
    var next: Step? { steps.first?.step }

    /// The source to ask now, as the origin of what it says.
    var origin: ResolutionOrigin {
        switch next {
        case .module(let name): .module(name)
        case .dns: .dns
        case .found, nil: .none
        }
    }

    /// Whether another source follows if the present one is unavailable.
    var goesOnWithout: Bool { steps.count > 1 && steps.first?.ends.contains(.unavailable) == false }

    /// What is known, with what the present source has said so far.
    func finding(_ present: Finding? = nil) -> Finding {
        present?.orMoreInformative(best) ?? best ?? Finding(.noSuchName, .none)
    }

    /// Records what the present source said.
    mutating func record(_ finding: Finding, as status: NameSources.Status? = nil) {
        guard let ends = steps.popFirst()?.ends else { return }
        best = finding.orMoreInformative(best)
        if ends.contains(status ?? finding.status) { steps = [] }
        skipFound()
    }

    /// Puts a finding in the place of servers that cannot be asked.
    ///
    /// - Parameter refusal: returns nil if they can.
    mutating func replaceDNS(by refusal: () -> Finding?) {
        let places = steps.indices.filter { if case .dns = steps[$0].step { true } else { false } }
        guard !places.isEmpty, let finding = refusal() else { return }
        for place in places { steps[place].step = .found(finding) }
        skipFound()
    }

    private mutating func skipFound() {
        if case .found(let finding)? = steps.first?.step { record(finding) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// What is known of a condition that held when it was looked at last.
enum Certainty {
    case holds
    /// Only what was found earlier says so. It has to be proved once more.
    case stale
    case broken
}

/// How new a proof has to be. Only connections are proofs that age: the kernel announces everything else.
struct ProofDemand: Hashable {
    var since = BootTime(nanoseconds: 0)
    /// Whether it has to be newer than the last change of the network, too.
    var isAfterChange = false
}

/// Whether conditions hold at the same time, and have done so for long enough. Pure: the time is given.
///
/// A connection may have been made long before the last condition came to hold, and its server may have ended since. So what is
/// older than a second is proved once more when all hold, and, if that has to last, at each change of the network and at the end.
struct Simultaneity {
    static let proofAge: Duration = .seconds(1)

    private enum Phase: Hashable {
        /// Not all hold.
        case apart
        /// All hold. What was proved before this moment is being proved once more.
        case proving(since: BootTime)
        /// All held together, and that has to last until this moment.
        case lasting(until: BootTime)
        /// It has lasted. What was proved before this moment is being proved once more.
        case provingTheEnd(since: BootTime)
    }

    let stableTime: Duration
    private var phase = Phase.apart

    init(_ stableTime: Duration) { self.stableTime = stableTime }

    /// When it will have lasted for long enough; nil if it is not known to hold.
    var moment: BootTime? { if case .lasting(let end) = phase { end } else { nil } }

    var isProving: Bool {
        switch phase {
        case .apart, .lasting: false
        case .proving, .provingTheEnd: true
        }
    }

    /// How new proofs have to be now.
    func demand(at now: BootTime) -> ProofDemand {
        let since: BootTime =
            switch phase {
            case .apart: now.earlier(by: Self.proofAge)
            case .proving(let since), .provingTheEnd(let since): since
            case .lasting: BootTime(nanoseconds: 0)
            }
        return ProofDemand(since: since, isAfterChange: stableTime > .zero)
    }

    /// Returns whether everything holds, and has done so for long enough.
    ///
    /// - Parameter certainty: looks at the conditions. What is stale is proved once more, and this is called again then.
    mutating func observe<Failure: Error>(
        at now: BootTime, _ certainty: (ProofDemand) throws(Failure) -> Certainty
    ) throws(Failure) -> Bool {
        if let moment, now >= moment {
            // Also where it lasted for less than a second, a proof from its beginning says nothing about its end.
            let beginning = moment.earlier(by: stableTime)
            phase = .provingTheEnd(
                since: max(now.earlier(by: Self.proofAge), beginning.advanced(by: .nanoseconds(1))))
        }
        var demand = demand(at: now)
        var found = try certainty(demand)
        if found == .broken, phase != .apart {
            // What holds at this moment is a new beginning.
            phase = .apart
            demand = self.demand(at: now)
            found = try certainty(demand)
        }
        switch (found, phase) {
        case (.broken, _): phase = .apart
        case (.stale, .apart): phase = .proving(since: demand.since)
        case (.holds, .apart), (.holds, .proving):
            if stableTime == .zero { return true }
            phase = .lasting(until: now.advanced(by: stableTime))
        case (.holds, .provingTheEnd): return true
        case (.stale, _), (.holds, .lasting): break
        }
        return false
    }
}

/// Which conditions have held since a period began. Pure.
///
/// With `--any` another one may take over, if the kernel says that one of them holds at that moment. It is not known of a connection
/// whether its server was there when the other came.
struct Carriers {
    /// What was found at one moment, by the positions of the conditions.
    struct Findings {
        var sure: Set<Int> = []
        var stale: Set<Int> = []
        /// Those of which the kernel announces the end.
        var announced: Set<Int> = []
    }

    /// How many have to hold at the same time.
    let needed: Int
    /// Nil while there is no period.
    private var positions: Set<Int>?

    init(needed: Int) { self.needed = needed }

    /// A condition did not hold, if only for a moment.
    mutating func noteBreak(_ position: Int) { positions?.remove(position) }

    mutating func certainty(_ found: Findings) -> Certainty {
        let holding = found.sure.union(found.stale)
        let carrying = holding.intersection(positions ?? holding)
        guard carrying.count >= needed else {
            positions = nil
            return .broken
        }
        guard carrying.intersection(found.sure).count >= needed else { return .stale }
        let mayJoin = positions == nil || !found.announced.isDisjoint(with: carrying)
        positions = mayJoin ? found.sure : carrying
        return .holds
    }
}

extension BootTime {
    /// The moment `duration` before this one.
    fileprivate func earlier(by duration: Duration) -> BootTime {
        BootTime(nanoseconds: nanoseconds - min(nanoseconds, UInt64(duration / .nanoseconds(1))))
    }
}

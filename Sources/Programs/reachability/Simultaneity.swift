// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

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
        let demand = demand(at: now)
        let found = try certainty(demand)
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

extension BootTime {
    /// The moment `duration` before this one.
    fileprivate func earlier(by duration: Duration) -> BootTime {
        BootTime(nanoseconds: nanoseconds - min(nanoseconds, UInt64(duration / .nanoseconds(1))))
    }
}

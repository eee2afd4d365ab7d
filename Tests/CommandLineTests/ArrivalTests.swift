// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import Testing

@testable import reachability

@Suite("What was waited for has come")
struct ArrivalTests {
    private static func at(_ seconds: Double) -> BootTime { BootTime(nanoseconds: UInt64(seconds * 1e9)) }

    /// A look: when it was, whether all held, when they had held for long enough, and when they will have.
    private typealias Look = (now: Double, holds: Bool, end: Double?, moment: Double?)

    private static let rows: [(stableTime: Duration, looks: [Look])] = [
        // When all hold. What is proved once more then may take any time.
        (.zero, [(2, false, nil, nil), (3, true, 3, nil), (8, true, 3, nil)]),
        // A refusal has it begin anew.
        (.zero, [(3, true, 3, nil), (4, false, nil, nil), (9, true, 9, nil)]),
        // It has to last. No timer is left then.
        (.seconds(4), [(1, true, nil, 5), (4, true, nil, 5), (5, true, 5, nil), (7, true, 5, nil)]),
        (.milliseconds(500), [(1, true, nil, 1.5), (1.5, true, 1.5, nil)]),
        // After a break the whole time counts anew, also after one that is over at the same moment, or at the end.
        (
            .seconds(4),
            [(1, true, nil, 5), (3, false, nil, nil), (3, true, nil, 7), (6, true, nil, 7), (7, true, 7, nil)]
        ),
        (.seconds(4), [(1, true, nil, 5), (5, true, 5, nil), (6, false, nil, nil), (7, true, nil, 11)]),
    ]

    @Test("when all hold, and have held for long enough", arguments: rows.indices)
    func looks(row: Int) {
        var arrival = Arrival(after: Self.rows[row].stableTime)
        for look in Self.rows[row].looks {
            #expect(arrival.observe(look.holds, at: Self.at(look.now)) == look.end.map(Self.at), "\(look)")
            #expect(arrival.moment == look.moment.map(Self.at), "\(look)")
        }
    }
}

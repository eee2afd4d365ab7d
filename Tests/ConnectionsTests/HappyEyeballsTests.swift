// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import Testing

@testable import ReachabilityConnections

@Suite("Happy Eyeballs")
struct HappyEyeballsTests {
    static let six1 = IPAddress.v6(IPv6Address("2001:db8::1")!)
    static let six2 = IPAddress.v6(IPv6Address("2001:db8::2")!)
    static let four1 = IPAddress.v4(IPv4Address(192, 0, 2, 1))
    static let four2 = IPAddress.v4(IPv4Address(192, 0, 2, 2))
    static let attemptDelay = HappyEyeballs.Action.startDelay(.milliseconds(250))
    static let resolutionDelay = HappyEyeballs.Action.startDelay(.milliseconds(50))

    enum Event: Sendable {
        case found([IPAddress]), end, delay, failed(IPAddress), connected(IPAddress)
    }

    static let rows: [String: [(Event, [HappyEyeballs.Action])]] = [
        "one address, which answers": [
            (.found([four1]), [resolutionDelay]),
            (.end, [.stopDelay, .attempt(four1)]),
            (.connected(four1), []),
        ],
        "IPv6 begins at once, IPv4 follows after the delay": [
            (.found([six1]), [.attempt(six1), attemptDelay]),
            (.found([six1, four1]), []),
            (.end, []),
            (.delay, [.attempt(four1)]),
            (.connected(four1), [.abandon(six1)]),
        ],
        "IPv4 waits for IPv6, which comes in time": [
            (.found([four1]), [resolutionDelay]),
            (.found([six1, four1]), [.stopDelay, .attempt(six1), attemptDelay]),
            (.end, []),
            (.failed(six1), [.stopDelay, .attempt(four1)]),
            (.connected(four1), []),
        ],
        "IPv4 waits for IPv6 only for the delay": [
            (.found([four1]), [resolutionDelay]),
            (.delay, [.attempt(four1), attemptDelay]),
            (.found([six1, four1]), []),
            (.end, []),
            (.delay, [.attempt(six1)]),
            (.connected(four1), [.abandon(six1)]),
        ],
        "the families take turns": [
            (.found([six1, six2, four1, four2]), [.attempt(six1), attemptDelay]),
            (.end, []),
            (.delay, [.attempt(four1), attemptDelay]),
            (.delay, [.attempt(six2), attemptDelay]),
            (.delay, [.attempt(four2)]),
            (.connected(six2), [.abandon(six1), .abandon(four1), .abandon(four2)]),
        ],
        "a failure begins the next at once and restarts the delay": [
            (.found([six1, six2, four1]), [.attempt(six1), attemptDelay]),
            (.end, []),
            (.failed(six1), [.attempt(four1), attemptDelay]),
            (.failed(four1), [.stopDelay, .attempt(six2)]),
            (.failed(six2), [.giveUp]),
        ],
        "all failed, but more may follow": [
            (.found([six1]), [.attempt(six1), attemptDelay]),
            (.failed(six1), []),
            (.delay, []),
            (.found([six1, four1]), [.attempt(four1), attemptDelay]),
            (.failed(four1), []),
            (.end, [.stopDelay, .giveUp]),
        ],
        "begins with the family of the better address": [
            (.found([four1, six1, four2]), [.attempt(four1), attemptDelay]),
            (.delay, [.attempt(six1), attemptDelay]),
            (.delay, [.attempt(four2), attemptDelay]),
        ],
        "a better address that comes late is tried before the ones that wait": [
            (.found([six2, four2]), [.attempt(six2), attemptDelay]),
            (.found([six2, four1, four2]), []),
            (.delay, [.attempt(four1), attemptDelay]),
            (.delay, [.attempt(four2), attemptDelay]),
        ],
        "the families take turns, also with addresses that come late": [
            (.found([six1]), [.attempt(six1), attemptDelay]),
            (.found([six1, six2, four1]), []),
            (.delay, [.attempt(four1), attemptDelay]),
            (.found([six1, six2, four1, four2]), []),
            (.delay, [.attempt(six2), attemptDelay]),
            (.delay, [.attempt(four2), attemptDelay]),
        ],
        "no address": [(.end, [.giveUp])],
        "known addresses change nothing": [
            (.found([six1]), [.attempt(six1), attemptDelay]),
            (.found([six1]), []),
            (.delay, []),
            (.end, []),
            (.connected(six1), []),
        ],
    ]

    @Test("decides by RFC 8305", arguments: rows.keys.sorted())
    func decides(row: String) throws {
        var eyeballs = HappyEyeballs()
        for (step, (event, expected)) in try #require(Self.rows[row]).enumerated() {
            let actions =
                switch event {
                case .found(let addresses): eyeballs.addressesFound(addresses)
                case .end: eyeballs.resolutionEnded()
                case .delay: eyeballs.delayPassed()
                case .failed(let address): eyeballs.failed(address)
                case .connected(let address): eyeballs.connected(address)
                }
            #expect(actions == expected, "step \(step): \(event)")
        }
    }

    @Test("puts the rest of the larger family at the end")
    func interleaved() {
        let all = [Self.four1, Self.four2, Self.six1]
        #expect(HappyEyeballs.interleaved(all, startingWith: .v6) == [Self.six1, Self.four1, Self.four2])
        #expect(HappyEyeballs.interleaved(all, startingWith: .v4) == [Self.four1, Self.six1, Self.four2])
        #expect(HappyEyeballs.interleaved([Self.four1], startingWith: .v6) == [Self.four1])
    }
}

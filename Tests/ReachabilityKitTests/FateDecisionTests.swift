// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import Testing

@testable import ReachabilityKit
@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// The fate of a connection from what is known of it: the table of fates in Docs/Embedding.md, row by row.
@Suite("What decides the fate of a connection")
struct FateDecisionTests {
    private static let (eth0, eth1, lo) = (InterfaceIndex(2)!, InterfaceIndex(3)!, InterfaceIndex(1)!)
    private static let own = IPAddress.v4(IPv4Address(10, 0, 0, 1))
    private static let other = IPAddress.v4(IPv4Address(10, 0, 1, 1))

    private static func verdict(
        _ reason: Reason, _ flags: ReachabilityFlags = [], by interface: InterfaceIndex? = eth0
    )
        -> Verdict
    { Verdict(flags: flags, interface: interface, reason: reason) }

    private static let leaves = verdict(.throughGateway, .reachable)

    private static func decision(
        _ condition: SocketFacts.Condition = .open, _ verdict: Verdict = leaves, owner: InterfaceIndex? = eth0,
        next: Verdict = leaves, from source: IPAddress? = own
    ) -> FateDecision {
        FateDecision(
            condition: condition, local: own, verdict: verdict, owner: owner, next: next, nextSource: source)
    }

    static let fates: [(FateDecision, SocketFate.Fate)] = [
        (decision(), .viable),
        (decision(.open, verdict(.dormantLink, [.reachable, .connectionRequired])), .viable),
        (decision(.open, verdict(.notOurAddress)), .unviable(.sourceGone)),
        (decision(.open, verdict(.noSourceAddress)), .unviable(.sourceGone)),
        (decision(.open, verdict(.linkBroken(.down))), .unviable(.noCarrier)),
        (decision(.open, verdict(.linkBroken(.lowerLayerDown))), .unviable(.noCarrier)),
        (decision(.open, verdict(.linkDisabled)), .unviable(.linkDown)),
        (decision(.open, verdict(.refused(.noRoute))), .unviable(.noRoute)),
        (decision(.open, verdict(.refused(.prohibited))), .unviable(.noRoute)),
        (decision(.open, verdict(.refused(.noSuchInterface))), .unviable(.interfaceGone)),
        (decision(.open, verdict(.interfaceMissing)), .unviable(.interfaceGone)),
        (decision(.open, verdict(.linkGone)), .unviable(.interfaceGone)),
        // The socket's own end decides, whatever the network does.
        (decision(.failed), .dead(.failed)), (decision(.ended), .dead(.ended)), (decision(.gone), .dead(.closed)),
        (decision(.failed, verdict(.notOurAddress)), .dead(.failed)),
    ]

    @Test("follows from the socket's condition and the verdict on its packets", arguments: fates)
    func fate(decision: FateDecision, expected: SocketFate.Fate) { #expect(decision.fate == expected) }

    private static let moved = verdict(.throughGateway, .reachable, by: eth1)

    static let better: [(FateDecision, InterfaceIndex?)] = [
        (decision(), nil),
        (decision(next: moved, from: other), eth1),
        // The kernel sends this connection's packets there, too, but the answers come to its address.
        (decision(.open, moved, next: moved, from: other), eth1),
        (decision(.open, verdict(.notOurAddress), owner: nil, next: moved, from: other), eth1),
        // A newer address of the same interface.
        (decision(next: leaves, from: other), nil),
        // The address lives on another interface than the one by which all packets leave.
        (decision(.open, moved, next: moved, from: own), nil),
        (decision(.open, moved, owner: lo, next: moved, from: other), nil),
        (decision(.open, moved, owner: nil, next: moved, from: other), nil),
        (decision(next: verdict(.dormantLink, [.reachable, .connectionRequired], by: eth1), from: other), nil),
        (decision(next: verdict(.refused(.noRoute), by: nil), from: nil), nil),
        (decision(.failed, next: moved, from: other), nil),
    ]

    @Test("names the interface of a new connection if it is another", arguments: better)
    func betterPath(decision: FateDecision, expected: InterfaceIndex?) { #expect(decision.betterInterface == expected) }

    /// POLLERR, POLLHUP and POLLNVAL of poll(2).
    private static let (error, hangUp, invalid): (Int32, Int32, Int32) = (8, 16, 32)

    static let conditions: [(Int32, UInt8?, SocketFacts.Condition)] = [
        (0, 1, .open), (0, nil, .open),
        // In the error queue of an established connection, or ended by the peer alone (CLOSE_WAIT).
        (error, 1, .open), (0, 8, .open), (error, nil, .open),
        (error | hangUp, 7, .failed), (hangUp, 7, .ended), (hangUp, 5, .ended), (hangUp, nil, .ended),
        (invalid, nil, .gone), (invalid, 1, .gone),
    ]

    @Test("takes the condition from poll(2) and the state of TCP", arguments: conditions)
    func condition(events: Int32, state: UInt8?, expected: SocketFacts.Condition) {
        #expect(SocketFacts.condition(events: events, tcpState: state) == expected)
    }
}

// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import Netlink

/// Everything that a fate depends on. Pure: no I/O, no state.
package struct FateDecision: Hashable, Sendable {
    package var condition: SocketFacts.Condition
    /// The address that the socket sends from.
    package var local: IPAddress
    /// The verdict on its packets: those from this address, with the keys of the socket.
    package var verdict: Verdict
    /// The interface that has the local address, if the kernel tells.
    package var owner: InterfaceIndex?
    /// The verdict on a new connection, and the address that it would send from.
    package var next: Verdict
    package var nextSource: IPAddress?

    package var fate: SocketFate.Fate {
        switch condition {
        case .gone: .dead(.closed)
        case .ended: .dead(.ended)
        case .failed: .dead(.failed)
        case .open: verdict.flags.rank == .none ? .unviable(SocketFate.Obstacle(verdict.reason)) : .viable
        }
    }

    /// The interface by which a new connection would leave, if it is another than this one's: that which has the local address.
    /// (The routes of Linux may send its packets elsewhere, but the answers come back to that address.) A connection that would
    /// begin at the same address is no better, wherever that address is.
    package var betterInterface: InterfaceIndex? {
        guard condition == .open, next.flags.rank == .reachable, nextSource?.unscoped != local.unscoped,
            let interface = next.interface, interface != own
        else { return nil }
        return interface
    }

    private var own: InterfaceIndex? { owner.flatMap { $0 == .loopback ? nil : $0 } ?? verdict.interface }
}

extension InterfaceIndex {
    /// The loopback interface has this number in every namespace.
    fileprivate static let loopback = InterfaceIndex(1)!
}

extension SocketFate.Obstacle {
    fileprivate init(_ reason: Reason) {
        switch reason {
        case .notOurAddress, .noSourceAddress: self = .sourceGone
        case .interfaceMissing, .linkGone, .refused(.noSuchInterface): self = .interfaceGone
        case .linkDisabled: self = .linkDown
        case .linkBroken: self = .noCarrier
        default: self = .noRoute
        }
    }
}

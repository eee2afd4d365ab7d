// SPDX-License-Identifier: Apache-2.0

package import HostResolution
package import LinuxSystem
import NetworkFacts
package import ReachabilityKit

/// Why a connection is not there.
package enum ConnectionFailure: Error, Hashable, Sendable {
    /// A system call failed, or would have: there is no way to the host.
    case system(Errno)
    /// The host's name has no addresses.
    case unresolved(ResolutionOutcome)

    /// Whether a change of the network, or another try, could make a difference.
    package var isPassing: Bool {
        switch self {
        case .system(let error): !Self.lasting.contains(error)
        case .unresolved(.impossibleName): false
        case .unresolved: true
        }
    }

    /// Errors that say something about this process or about what was asked for, and nothing about the network.
    private static let lasting: Set<Errno> = [
        .invalidArgument, .protocolNotSupported, .addressFamilyNotSupported, .tooManyOpenFiles,
        .tooManyOpenFilesInSystem,
        .outOfMemory, .noBufferSpace, .notSupported,
    ]

    /// What is told where several addresses failed, each in its way: who was refused has come further than who
    /// heard nothing, and that further than who found no way.
    package static func mostTelling(of failures: [ConnectionFailure]) -> ConnectionFailure? {
        var best: ConnectionFailure?
        for failure in failures where best.map({ failure.weight > $0.weight }) ?? true { best = failure }
        return best
    }

    private var weight: Int {
        switch self {
        case .unresolved: 0
        case .system(.networkUnreachable), .system(.networkDown), .system(.addressNotAvailable): 1
        case .system(.hostUnreachable): 2
        case .system(.timedOut): 3
        case .system: 4
        }
    }

    /// What a verdict of "not reachable" means to somebody who wants to connect: the error of the call that need not
    /// even be made.
    package init(_ reason: Reason) {
        self =
            switch reason {
            case .refused(.unreachable): .system(.hostUnreachable)
            case .refused(.prohibited): .system(.permissionDenied)
            case .refused: .system(.networkUnreachable)
            case .interfaceMissing, .linkDisabled, .linkBroken, .linkGone: .system(.networkDown)
            case .notOurAddress, .noSourceAddress: .system(.addressNotAvailable)
            case .interfaceNotNamed: .system(.invalidArgument)
            case .notResolved(let outcome): .unresolved(outcome)
            case .thisMachine, .onLink, .throughGateway, .overPointToPoint, .dormantLink, .familiesDiffer,
                .connectable:
                .system(.networkUnreachable)
            }
    }
}

// SPDX-License-Identifier: Apache-2.0

package import HostResolution
package import LinuxSystem
import Netlink
package import ReachabilityKit

/// Why a connection is not established.
package enum ConnectionFailure: Error, Hashable, Sendable {
    /// A system call failed, or would fail because there is no route to the host.
    case system(Errno)
    /// The host's name has no addresses.
    case unresolved(ResolutionOutcome)

    /// Whether another attempt may succeed, now or after a change of the network.
    package var isTemporary: Bool {
        switch self {
        case .system(let error): !Self.permanent.contains(error)
        case .unresolved(.impossibleName): false
        case .unresolved: true
        }
    }

    /// Errors about this process or about the request, and not about the network.
    private static let permanent: Set<Errno> = [
        .invalidArgument, .protocolNotSupported, .addressFamilyNotSupported, .tooManyOpenFiles,
        .tooManyOpenFilesInSystem, .outOfMemory, .noBufferSpace, .notSupported,
    ]

    /// The failure to report if several addresses failed: the one that got furthest. A refused connection got further
    /// than one without an answer, and that one further than one without a route.
    package static func mostInformative(of failures: [ConnectionFailure]) -> ConnectionFailure? {
        var best: ConnectionFailure?
        for failure in failures where best.map({ failure.progress > $0.progress }) ?? true { best = failure }
        return best
    }

    private var progress: Int {
        switch self {
        case .unresolved: 0
        case .system(.networkUnreachable), .system(.networkDown), .system(.addressNotAvailable): 1
        case .system(.hostUnreachable): 2
        case .system(.timedOut): 3
        case .system: 4
        }
    }

    /// The error that connect(2) would give for a verdict of "not reachable".
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
            case .otherFamily: .unresolved(.noData)
            case .thisMachine, .onLink, .throughGateway, .overPointToPoint, .dormantLink, .familiesDiffer,
                .connectable:
                .system(.networkUnreachable)
            }
    }
}

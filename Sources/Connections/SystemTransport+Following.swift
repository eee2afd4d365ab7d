// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import NetworkFacts
import ReachabilityKit

/// Being told of changes that matter to a connection.
extension SystemTransport {
    package func follow(_ tell: @escaping @Sendable (ConnectionFailure?) -> Void) -> any ConnectionTask {
        let follower = HostFollower(choice, tell)
        let host =
            choice.isFree
            ? try? reference.observe { [reference] sighting in
                follower.observe(Self.obstacle(on: reference, after: sighting))
            } : nil
        let paths = try? choice.source.subscribe(follower)
        return Task {
            follower.isOver = true
            host?.cancel()
            paths?.cancel()
        }
    }

    /// What is in the way to a host now; nil where nothing is.
    private static func obstacle(on reference: ReachabilityRef, after sighting: ObservedState) -> ConnectionFailure? {
        guard sighting.observation.flags.rank == .none else { return nil }
        do throws(ReachabilityError) {
            let verdict = try reference.verdict(after: sighting)
            return verdict.flags.rank == .none ? ConnectionFailure(verdict.reason) : nil
        } catch {
            return .system(.networkUnreachable)
        }
    }

    package func follow(
        _ stream: any ConnectionStream, _ tell: @escaping @Sendable (Bool) -> Void
    ) -> any ConnectionTask {
        let (local, remote) = (stream.localEnd, stream.remoteEnd)
        let target = Target(local: IPAddress(local), remote: IPAddress(remote)) ?? .defaultPath
        // A connection within the machine needs nothing but its address; asked for with an interface, the kernel would
        // look for a way out.
        let reference = ReachabilityRef(target: target, keys: reference.keys, namespace: reference.namespace)
        let following = try? reference.observe { tell($0.observation.flags.rank != .none) }
        return Task { following?.cancel() }
    }
}

extension IPAddress {
    package init(_ end: StreamSocket.End) {
        let address = IPAddress(bytes: end.address)
        if case .v6(let inner, _) = address {
            self = .v6(inner, scope: InterfaceIndex(end.scope))
        } else {
            self = address
        }
    }
}

/// Puts together what is known of the way to a host: the verdict on it, and changes of any way out. The latter count
/// too: a route may be there while the address to send from still comes.
private final class HostFollower: PathSubscriber, @unchecked Sendable {  // confined to the engine's thread
    private let choice: InterfaceChoice
    private let tell: @Sendable (ConnectionFailure?) -> Void
    private var obstacle: ConnectionFailure??
    private var path: NetworkPath?
    var isOver = false

    init(_ choice: InterfaceChoice, _ tell: @escaping @Sendable (ConnectionFailure?) -> Void) {
        self.choice = choice
        self.tell = tell
    }

    func observe(_ obstacle: ConnectionFailure?) {
        guard !isOver else { return }
        self.obstacle = .some(obstacle)
        tell(obstacle)
    }

    func observe(_ path: NetworkPath) {
        guard !isOver else { return }
        let before = self.path
        self.path = path
        guard before != path else { return }
        if !choice.isFree {
            tell(choice.allowed(path).isEmpty ? .system(.networkDown) : nil)
        } else if before != nil, let obstacle {
            tell(obstacle)
        }
    }
}

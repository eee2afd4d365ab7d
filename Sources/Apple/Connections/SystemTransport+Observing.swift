// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import ReachabilityKit
import Synchronization

/// The changes of routes that matter to a connection.
extension SystemTransport {
    package func observeHost(_ report: @escaping @Sendable (ConnectionFailure?) -> Void) -> CancellationToken {
        let observer = HostObserver(choice, report) { [weak self] path in
            self?.observedPath.withLock { $0 = path }
        }
        let host = try? reference.observe { [reference] state in
            observer.hostChanged(Self.obstacle(on: reference, after: state))
        }
        let path = try? choice.source.subscribe(observer)
        return CancellationToken {
            observer.isCancelled = true
            host?.cancel()
            path?.cancel()
        }
    }

    /// Why the host cannot be reached now; nil if it can.
    private static func obstacle(on reference: ReachabilityRef, after state: ObservedState) -> ConnectionFailure? {
        guard state.observation.flags.rank == .none else { return nil }
        do throws(ReachabilityError) {
            let verdict = try reference.verdict(after: state)
            return verdict.flags.rank == .none ? ConnectionFailure(verdict.reason) : nil
        } catch {
            return .system(.networkUnreachable)
        }
    }

    package func observe(
        _ stream: any ConnectionStream, _ report: @escaping @Sendable (Bool) -> Void
    ) -> CancellationToken {
        let (local, remote) = (stream.localEnd, stream.remoteEnd)
        let target = Target(local: IPAddress(local), remote: IPAddress(remote)) ?? .defaultPath
        // With the connection's keys, as a route by another interface does not carry its packets.
        let reference = ReachabilityRef(target: target, keys: reference.keys, namespace: reference.namespace)
        let subscription = try? reference.observe { report($0.observation.flags.rank != .none) }
        return CancellationToken { subscription?.cancel() }
    }
}

extension IPAddress {
    package init(_ end: StreamSocket.End) {
        let address = IPAddress(bytes: end.address)
        if case .v6(let inner, _) = address {
            self = .v6(inner, scope: Scope(number: end.scope))
        } else {
            self = address
        }
    }
}

/// Combines the verdict on a host with changes of the machine's path. Those matter too: a route may exist before the
/// address to send from.
///
/// The verdict is on all networks. If the client leaves some out, it does not decide, but a change of it is news all the same:
/// the host may have a route by another network now.
private final class HostObserver: PathSubscriber, @unchecked Sendable {  // confined to the engine's thread
    private let choice: InterfaceChoice
    private let report: @Sendable (ConnectionFailure?) -> Void
    private let keep: @Sendable (NetworkPath) -> Void
    /// Nil until the host was looked up.
    private var obstacle: ConnectionFailure??
    private var path: NetworkPath?
    /// The metered networks of the last report.
    private var metered: [String] = []
    var isCancelled = false

    init(
        _ choice: InterfaceChoice, _ report: @escaping @Sendable (ConnectionFailure?) -> Void,
        keeping keep: @escaping @Sendable (NetworkPath) -> Void
    ) {
        self.choice = choice
        self.report = report
        self.keep = keep
    }

    func hostChanged(_ obstacle: ConnectionFailure?) {
        guard !isCancelled else { return }
        self.obstacle = .some(obstacle)
        if choice.isFree { report(obstacle) } else { reportChoice() }
    }

    func observe(_ path: NetworkPath) {
        guard !isCancelled else { return }
        let before = self.path
        self.path = path
        guard before != path else { return }
        keep(path)
        if !choice.isFree {
            reportChoice()
        } else if before != nil, let obstacle {
            report(obstacle)
        }
    }

    /// Reports whether a network is left. The first report is when both the host and the path are known.
    private func reportChoice() {
        guard obstacle != nil, let path else { return }
        // An attempt may be under way by a network that has turned out to be metered.
        if choice.prohibitsExpensive, metered != path.metered { report(.system(.networkDown)) }
        metered = path.metered
        report(choice.allowed(path).isEmpty ? .system(.networkDown) : nil)
    }
}

extension NetworkPath {
    fileprivate var metered: [String] { interfaces.filter(\.isMetered).map(\.name) }
}

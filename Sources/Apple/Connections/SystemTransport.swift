// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
package import ReachabilityKit
package import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import Synchronization

/// A transport on the engine's thread: the kernel's TCP, the package's resolver, and the engine's observations.
package final class SystemTransport: ConnectionTransport {
    let reference: ReachabilityRef
    let port: UInt16
    let settings: ConnectionSettings
    let choice: InterfaceChoice
    private let access = Lock<EngineAccess?>(nil)
    /// The newest path that the observer of the host was told, if the choice depends on it.
    let observedPath = Lock<NetworkPath?>(nil)

    /// - Parameters:
    ///   - reference: the host, with the namespace and the routing keys of the connection.
    ///   - choice: the interfaces the connection may use.
    package init(
        to reference: ReachabilityRef, port: UInt16, settings: ConnectionSettings = ConnectionSettings(),
        over choice: InterfaceChoice = InterfaceChoice()
    ) {
        self.reference = reference
        self.port = port
        self.settings = settings
        self.choice = choice
    }

    // MARK: The thread

    package func open() throws(ConnectionFailure) {
        do throws(ReachabilityError) {
            let opened = try EngineAccess(reference.namespace)
            access.withLock { $0 = opened }
        } catch {
            throw .system(Errno(rawValue: error.errno ?? Errno.notSupported.rawValue))
        }
    }

    package func close() {
        // Released outside the lock.
        access.remove { $0.take() }
    }

    package func enqueue(_ work: @escaping @Sendable () -> Void) throws(ConnectionFailure) {
        let loop = access.withLock(\.self)?.loop
        guard let loop, loop.enqueue(work) else { throw .system(loop?.failure ?? .cancelled) }
    }

    package func whenFailed(_ report: @escaping (ConnectionFailure) -> Void) -> CancellationToken {
        engine.loop.whenEnded { if let error = $0 { report(.system(error)) } }
    }

    /// Traps before `open` and after `close`, as no work runs on the thread then.
    var engine: EngineAccess {
        guard let access = access.withLock(\.self) else { preconditionFailure("a transport was used while closed") }
        return access
    }

    package func schedule(after delay: Duration, _ work: @escaping () -> Void) -> CancellationToken {
        let loop = engine.loop
        let timer = loop.schedule(at: loop.now().advanced(by: delay), work)
        return CancellationToken { loop.cancel(timer) }
    }

    // MARK: Names

    package func resolve(_ report: @escaping @Sendable (ResolutionProgress) -> Void) -> CancellationToken {
        let loop = engine.loop
        let host: NamedHost
        switch reference.subject {
        case .name(let named): host = named
        case .target(let target):
            // Reported after this call, like the addresses of a name.
            loop.enqueue {
                report(.addresses([target.destination]))
                report(.ended(nil))
            }
            return CancellationToken {}
        }
        // A connection uses the addresses as they come, and decides itself how long to wait for more.
        let lookup = host.resolver.resolve(
            host.query, on: loop, deadline: loop.now().advanced(by: host.timeout),
            enough: { _ in false },
            progress: { addresses in report(.addresses(host.counted(addresses))) }
        ) { resolution in
            let addresses = host.counted(resolution.addresses)
            if !addresses.isEmpty { report(.addresses(addresses)) }
            report(.ended(addresses.isEmpty ? .unresolved(resolution.outcome) : nil))
        }
        return CancellationToken { lookup?.cancel() }
    }

    // MARK: Sockets

    /// Only an observed path says which network is metered.
    private var pathOfChoice: NetworkPath? {
        choice.prohibitsMetered ? observedPath.withLock(\.self) : nil
    }

    package func source(towards destination: IPAddress) -> IPAddress? {
        try? inside { [choice, reference, port, path = pathOfChoice] () throws(Errno) in
            let probe = try ConnectedProbe(destination.unmapped.family)
            if let device = try choice.device(towards: destination, reference, path), let name = InterfaceName(device) {
                try probe.bind(to: .name(name))
            }
            return try probe.connect(to: destination.unmapped, port: port)
        }
    }

    package func connect(
        to address: IPAddress, _ finished: @escaping (Result<any ConnectionStream, ConnectionFailure>) -> Void
    ) -> CancellationToken {
        do throws(Errno) {
            let end = InternetSocket.End(
                address.unmapped.scoped(to: try address.scope?.presentIndex), port: port)
            let device = try choice.device(towards: address, reference, pathOfChoice)
            let stream = SystemStream(try socket(to: end, device: device), to: end, on: engine.loop)
            if try stream.connect() {
                finished(.success(stream))
                return CancellationToken {}
            }
            try stream.watch(.writable) { [weak stream] _ in
                guard let stream else { return }
                try? stream.watch(nil) { _ in }
                if let error = stream.takeError() {
                    stream.close(isReset: false)
                    finished(.failure(.system(error)))
                } else {
                    finished(.success(stream))
                }
            }
            let confined = SentToLoop(stream)
            return CancellationToken { confined.value.close(isReset: true) }
        } catch {
            finished(.failure(.system(error)))
            return CancellationToken {}
        }
    }

    private func socket(to end: InternetSocket.End, device: String?) throws(Errno) -> OwnedDescriptor {
        let descriptor = OwnedDescriptor(
            owning: try inside { () throws(Errno) in try TCPSocket.open(end.address.family).release() })
        if let device { try InternetSocket.bind(descriptor.rawValue, toDevice: device) }
        if settings.allowsReuse { try TCPSocket.allowReuse(descriptor) }
        if let local = settings.localEnd { try InternetSocket.bind(descriptor.rawValue, to: local.inFamily(of: end)) }
        if settings.hasNoDelay { try TCPSocket.setNoDelay(descriptor) }
        if let keepalive = settings.keepalive {
            try TCPSocket.setKeepalive(
                descriptor, idleSeconds: keepalive.idleSeconds, intervalSeconds: keepalive.intervalSeconds,
                count: keepalive.count)
        }
        return descriptor
    }

    /// Runs `body` in the connection's network namespace.
    private func inside<Value>(_ body: @escaping @Sendable () throws(Errno) -> Value) throws(Errno) -> Value {
        do throws(NetlinkError) {
            return try reference.namespace.inside { () throws(NetlinkError) in
                do throws(Errno) {
                    return try body()
                } catch {
                    throw .system(.open, error)
                }
            }
        } catch {
            if case .system(_, let error) = error { throw error }
            throw .notSupported
        }
    }
}

extension InternetSocket.End {
    /// This end for a socket of the other's family. Any address of one family stands for any of the other; an address that
    /// is not of the family cannot be bound.
    fileprivate func inFamily(of other: Self) throws(Errno) -> Self {
        if address.family == other.address.family { return self }
        guard address.isUnspecified else { throw .addressNotAvailable }
        return Self(Prefix.all(other.address.family).base, port: port)
    }
}

extension Target {
    /// The address to connect to. connect(2) takes an unspecified one for this machine.
    fileprivate var destination: IPAddress {
        switch self {
        case .address(let address): address
        case .pair(_, let remote?): remote
        case .pair, .defaultPath, .defaultPathOf: .v4(IPv4Address(127, 0, 0, 1))
        }
    }
}

/// The changes of routes that matter to a connection.
extension SystemTransport {
    package func observeHost(_ report: @escaping @Sendable (ConnectionFailure?) -> Void) -> CancellationToken {
        let observer = HostObserver(choice, report) { [weak self] path in
            self?.observedPath.withLock { $0 = path }
        }
        let host = try? reference.observe { [reference] state in
            if !state.isRefused { observer.hostChanged(Self.obstacle(on: reference, after: state)) }
        }
        let path = try? choice.source.observe { observer.pathChanged($0) }
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
            return verdict.flags.rank == .none
                ? ConnectionFailure(verdict.reason, resolved: state.resolution?.outcome) : nil
        } catch {
            return .system(.networkUnreachable)
        }
    }

    package func observe(
        _ stream: any ConnectionStream, _ report: @escaping @Sendable (SocketFate.State) -> Void
    ) -> CancellationToken {
        guard let stream = stream as? SystemStream, let fate = stream.fate(in: reference.namespace) else {
            return CancellationToken {}
        }
        let remote = stream.remoteEnd.address
        let look: @Sendable (EngineCore?) -> Void = { [self] engine in
            // The path is known where a new connection's interface would be chosen by it.
            let path = observedPath.withLock(\.self)
            let choose =
                choice.isFree ? nil : { [self] in path.flatMap { choice.interface(towards: remote, reference, $0) } }
            if let state = fate.current(on: engine, choosing: choose) { report(state) }
        }
        let looks = try? fate.observeLooks(look)
        let path =
            choice.isFree
            ? nil
            : try? choice.source.observe { [self] path in
                observedPath.withLock { $0 = path }
                look(reference.namespace.sharedEngine.present?.core)
            }
        return CancellationToken {
            looks?.cancel()
            path?.cancel()
        }
    }
}

/// Combines the verdict on a host with changes of the machine's path. Those matter too: a route may exist before the
/// address to send from.
///
/// The verdict is on all networks. If the client leaves some out, it does not decide, but a change of it is news all the same:
/// the host may have a route by another network now.
private final class HostObserver: @unchecked Sendable {  // confined to the engine's thread
    private let choice: InterfaceChoice
    private let report: @Sendable (ConnectionFailure?) -> Void
    private let keep: @Sendable (NetworkPath) -> Void
    private var host = Host.notLookedUp
    private var path: NetworkPath?
    /// The metered networks of the last report.
    private var metered: [String] = []
    var isCancelled = false

    private enum Host {
        case notLookedUp
        /// The obstacle is nil if the host can be reached.
        case lookedUp(obstacle: ConnectionFailure?)
    }

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
        host = .lookedUp(obstacle: obstacle)
        if choice.isFree { report(obstacle) } else { reportChoice() }
    }

    func pathChanged(_ path: NetworkPath) {
        guard !isCancelled else { return }
        let before = self.path
        self.path = path
        keep(path)
        if !choice.isFree {
            reportChoice()
        } else if before != nil, case .lookedUp(let obstacle) = host {
            report(obstacle)
        }
    }

    /// Reports whether a network is left. The first report is when both the host and the path are known.
    private func reportChoice() {
        guard case .lookedUp = host, let path else { return }
        // An attempt may be under way by a network that has turned out to be metered.
        if choice.prohibitsMetered, metered != path.metered { report(.system(.networkDown)) }
        metered = path.metered
        report(choice.allowed(path).isEmpty ? .system(.networkDown) : nil)
    }
}

extension NetworkPath {
    fileprivate var metered: [String] { interfaces.filter(\.isMetered).map(\.name) }
}

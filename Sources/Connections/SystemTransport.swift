// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import Netlink
package import NetworkFacts
package import ReachabilityKit
import Synchronization

/// The kernel's TCP, names by the package's resolver, and the ways as the engine sees them, on the engine's thread.
package final class SystemTransport: ConnectionTransport {
    let reference: ReachabilityRef
    let port: UInt16
    let settings: ConnectionSettings
    let choice: InterfaceChoice
    private let lease = Mutex<EngineAccess?>(nil)

    /// - Parameters:
    ///   - reference: the host, as it is seen from where the connection is made.
    ///   - choice: which interfaces the connection may use.
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
            lease.withLock { $0 = opened }
        } catch {
            throw .system(Errno(rawValue: error.errno ?? Errno.notSupported.rawValue))
        }
    }

    package func close() {
        // Ended outside the lock.
        _ = lease.withLock { $0.take() }
    }

    package func enqueue(_ work: @escaping @Sendable () -> Void) {
        lease.withLock(\.self)?.loop.enqueue(work)
    }

    /// Nobody works on the thread before `open` or after `close`.
    var engine: EngineAccess {
        guard let lease = lease.withLock(\.self) else { preconditionFailure("a transport used while it is closed") }
        return lease
    }

    package func schedule(after delay: Duration, _ work: @escaping () -> Void) -> any ConnectionTask {
        let loop = engine.loop
        let token = loop.schedule(at: loop.now().advanced(by: delay), work)
        return Task { loop.cancel(token) }
    }

    // MARK: Names

    package func resolve(_ tell: @escaping @Sendable (ResolutionProgress) -> Void) -> any ConnectionTask {
        let loop = engine.loop
        let flag = Flag()
        guard case .name(let host) = reference.target else {
            // Told after this call, like the answer for a name.
            let address = reference.target.destination
            loop.enqueue {
                if !flag.isSet { tell(.addresses([address])) }
                if !flag.isSet { tell(.ended(nil)) }
            }
            return Task { flag.isSet = true }
        }
        // A connection takes the addresses as they come, and decides for itself what to wait for.
        let token = host.resolver.resolve(
            host.name, on: loop, deadline: loop.now().advanced(by: host.timeout),
            enough: { _ in false },
            progress: { addresses in if !flag.isSet { tell(.addresses(addresses)) } }
        ) { resolution in
            if !flag.isSet, !resolution.addresses.isEmpty { tell(.addresses(resolution.addresses)) }
            if !flag.isSet { tell(.ended(resolution.addresses.isEmpty ? .unresolved(resolution.outcome) : nil)) }
        }
        return Task {
            flag.isSet = true
            token.cancel()
        }
    }

    // MARK: Sockets

    package func source(towards destination: IPAddress) -> IPAddress? {
        let (address, scope) = (destination.unmapped.bytes, destination.scope?.rawValue ?? 0)
        let bytes = try? inside { [choice, reference] () throws(Errno) in
            try ConnectedProbe.source(
                towards: address, from: nil, scope: scope, device: choice.device(towards: destination, reference))
        }
        return bytes.map(IPAddress.init(bytes:))
    }

    package func connect(
        to address: IPAddress, _ finished: @escaping (Result<any ConnectionStream, ConnectionFailure>) -> Void
    ) -> any ConnectionTask {
        do throws(Errno) {
            let end = StreamSocket.End(
                address: address.unmapped.bytes, port: port, scope: address.scope?.rawValue ?? 0)
            let device = try choice.device(towards: address, reference)
            let stream = SystemStream(try socket(to: end, device: device), to: end, on: engine.loop)
            if try stream.connect() {
                finished(.success(stream))
                return Task {}
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
            return Task { stream.close(isReset: true) }
        } catch {
            finished(.failure(.system(error)))
            return Task {}
        }
    }

    private func socket(to end: StreamSocket.End, device: String?) throws(Errno) -> OwnedDescriptor {
        let isIPv6 = end.address.count == 16
        let descriptor = OwnedDescriptor(
            owning: try inside { () throws(Errno) in try StreamSocket.open(isIPv6: isIPv6).release() })
        if let device { try InternetSocket.bind(descriptor.rawValue, toDevice: device) }
        if settings.hasNoDelay { try StreamSocket.setNoDelay(descriptor) }
        if let keepalive = settings.keepalive {
            try StreamSocket.setKeepalive(
                descriptor, idleSeconds: keepalive.idleSeconds, intervalSeconds: keepalive.intervalSeconds,
                count: keepalive.count)
        }
        return descriptor
    }

    /// Does something in the network namespace of the connection.
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

extension SystemTransport {
    /// Ends what was begun.
    struct Task: ConnectionTask {
        private let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
        func cancel() { body() }
    }

    /// Whether something was cancelled. Touched on the transport's thread only.
    final class Flag: @unchecked Sendable {  // confined to the transport's thread
        var isSet = false
    }
}

extension Target {
    /// The address to connect to, where it is not a name. An unspecified one is this machine, as for connect(2).
    fileprivate var destination: IPAddress {
        switch self {
        case .address(let address): address
        case .pair(_, let remote?): remote
        case .pair, .defaultPath, .name: .v4(IPv4Address(127, 0, 0, 1))
        }
    }
}

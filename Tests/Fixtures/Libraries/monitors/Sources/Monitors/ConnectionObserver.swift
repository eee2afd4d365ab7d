// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Written as the observer of a library for operations that wait for the network: many subscribers, one monitor.

import Foundation

#if canImport(Network)
import Network
#elseif canImport(NetworkPathMonitor)
import NetworkPathMonitor
#endif

#if canImport(Network) || canImport(NetworkPathMonitor)
public enum ConnectionStatus: Hashable, Sendable { case connected, disconnected, requiresConnection }

public final class ConnectionObserver: @unchecked Sendable {
    public struct Subscription: Sendable {
        fileprivate let end: @Sendable () -> Void
        public func cancel() { end() }
    }

    private let monitor: NWPathMonitor
    private let lock = NSLock()
    private var handlers: [Int: @Sendable (ConnectionStatus) -> Void] = [:]
    private var last = 0

    public static func startingShared(monitor: NWPathMonitor = NWPathMonitor()) -> ConnectionObserver {
        let observer = ConnectionObserver(monitor)
        monitor.start(queue: DispatchQueue(label: "ConnectionObserver"))
        return observer
    }

    private init(_ monitor: NWPathMonitor) {
        self.monitor = monitor
        monitor.pathUpdateHandler = { [weak self] path in
            guard let self else { return }
            for handler in self.lock.withLock({ Array(self.handlers.values) }) {
                handler(ConnectionStatus(path.status))
            }
        }
    }

    public func subscribe(with handler: @escaping @Sendable (ConnectionStatus) -> Void) -> Subscription {
        handler(ConnectionStatus(monitor.currentPath.status))
        let key = lock.withLock {
            last += 1
            handlers[last] = handler
            return last
        }
        return Subscription { [weak self] in
            guard let self else { return }
            self.lock.withLock { self.handlers[key] = nil }
        }
    }
}

extension ConnectionStatus {
    public init(_ status: NWPath.Status) {
        switch status {
        case .satisfied: self = .connected
        case .unsatisfied: self = .disconnected
        case .requiresConnection: self = .requiresConnection
        @unknown default: self = .disconnected
        }
    }
}
#endif

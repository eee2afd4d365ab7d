// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Written as the transport of a protocol's SDK: it connects again when the network comes back, sooner by cable than by radio.

import Foundation

#if canImport(Network)
import Network
#elseif canImport(NetworkPathMonitor)
import NetworkPathMonitor
#endif

#if canImport(Network) || canImport(NetworkPathMonitor)
public actor TransportMonitor {
    public enum Quality: Sendable { case none, poor, good }

    private var monitor: NWPathMonitor?
    private var quality = Quality.none
    private let report: @Sendable (Quality) -> Void

    public init(report: @escaping @Sendable (Quality) -> Void) {
        self.report = report
    }

    public func connect() {
        guard monitor == nil else { return }
        let monitor = NWPathMonitor()
        self.monitor = monitor
        monitor.pathUpdateHandler = { path in
            Task { [weak self] in await self?.handle(path) }
        }
        monitor.start(queue: .global(qos: .utility))
    }

    public func disconnect() {
        monitor?.cancel()
        monitor = nil
    }

    public var reconnectDelay: Duration {
        switch quality {
        case .good: .milliseconds(500)
        case .poor: .seconds(2)
        case .none: .seconds(60)
        }
    }

    private func handle(_ path: NWPath) {
        // A task may come after another that began later.
        guard let current = monitor?.currentPath else { return }
        switch current.status {
        case .satisfied: quality = current.isExpensive || current.isConstrained ? .poor : .good
        case .unsatisfied, .requiresConnection: quality = .none
        @unknown default: quality = .none
        }
        report(quality)
    }
}
#endif

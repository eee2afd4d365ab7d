// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Client code, in the form clients write it.

import Network
import Observation

// A monitor on the main actor that a view starts when it appears and stops when it disappears.

@MainActor
@Observable
public final class NetworkMonitor {
    public var isConnected = true
    public var isExpensive = false

    private let monitor = NWPathMonitor()
    private let queue = DispatchQueue(label: "NetworkMonitor")

    public init() {}

    public func startMonitoring() {
        monitor.pathUpdateHandler = { [weak self] path in
            Task { @MainActor in
                self?.isConnected = path.status == .satisfied
                self?.isExpensive = path.isExpensive
            }
        }
        monitor.start(queue: queue)
    }

    public func stopMonitoring() {
        monitor.cancel()
    }
}

/// What the view shows.
@MainActor
public func banner(_ monitor: NetworkMonitor) -> String? {
    monitor.isConnected ? nil : "Offline - showing cached data"
}

// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Written as the monitor of a library that downloads models: it uses what it has on disk while there is no network, and asks
// before it loads much by a mobile network.

import Foundation

#if canImport(Network)
import Network
#elseif canImport(NetworkPathMonitor)
import NetworkPathMonitor
#endif

#if canImport(Network) || canImport(NetworkPathMonitor)
public final class DownloadMonitor: @unchecked Sendable {
    private let monitor = NWPathMonitor()
    private let queue = DispatchQueue(label: "DownloadMonitor")
    private let lock = NSLock()
    private var connected = false
    private var expensive = false
    private var constrained = false

    public static let shared = DownloadMonitor()

    public var onChange: (@Sendable (Bool) -> Void)?

    public init() {}

    public var isConnected: Bool { lock.withLock { connected } }
    public var shouldUseOfflineMode: Bool { lock.withLock { !connected || expensive || constrained } }

    public func startMonitoring() {
        monitor.pathUpdateHandler = { [weak self] path in
            guard let self else { return }
            self.lock.withLock {
                self.connected = path.status == .satisfied
                self.expensive = path.isExpensive
                self.constrained = path.isConstrained
            }
            self.onChange?(path.status == .satisfied)
        }
        monitor.start(queue: queue)
    }

    public func stopMonitoring() {
        monitor.cancel()
    }

    deinit { stopMonitoring() }
}
#endif

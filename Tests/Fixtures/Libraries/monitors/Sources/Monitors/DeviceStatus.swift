// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Written as a library that tells a user interface what the device is connected to.

import Foundation

#if canImport(Network)
import Network
#elseif canImport(NetworkPathMonitor)
import NetworkPathMonitor
#endif

#if canImport(Network) || canImport(NetworkPathMonitor)
public enum DeviceStatus: String, Sendable {
    case offline, wifi, cellular, ethernet, other

    init(_ path: NWPath) {
        guard path.status == .satisfied else {
            self = .offline
            return
        }
        if path.usesInterfaceType(.wifi) {
            self = .wifi
        } else if path.usesInterfaceType(.cellular) {
            self = .cellular
        } else if path.usesInterfaceType(.wiredEthernet) {
            self = .ethernet
        } else {
            self = .other
        }
    }

    /// The present status, and each change.
    public static func monitor() -> AsyncStream<DeviceStatus> {
        AsyncStream { continuation in
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { continuation.yield(DeviceStatus($0)) }
            continuation.onTermination = { _ in monitor.cancel() }
            monitor.start(queue: DispatchQueue(label: "DeviceStatus"))
        }
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Written as the SDK of a licence server: it validates again once the machine is online, and stops its timer meanwhile.

import Foundation

#if canImport(Network)
import Network
#elseif canImport(NetworkPathMonitor)
import NetworkPathMonitor
#endif

#if canImport(Network) || canImport(NetworkPathMonitor)
@MainActor public final class LicenseMonitor {
    private let monitor = NWPathMonitor()
    public private(set) var isOnline = true
    private let online: @Sendable () -> Void
    private let offline: @Sendable () -> Void

    public init(online: @escaping @Sendable () -> Void, offline: @escaping @Sendable () -> Void) {
        self.online = online
        self.offline = offline
        monitor.pathUpdateHandler = { [weak self] path in
            let isSatisfied = path.status == .satisfied
            Task { @MainActor in self?.change(to: isSatisfied) }
        }
        monitor.start(queue: .main)
    }

    private func change(to isOnline: Bool) {
        guard isOnline != self.isOnline else { return }
        self.isOnline = isOnline
        isOnline ? online() : offline()
    }

    deinit { monitor.cancel() }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Written as a wrapper that needs no Combine: the monitor is a sequence itself.

#if canImport(NetworkPathMonitor)
import NetworkPathMonitor
#elseif canImport(Network)
import Network
#endif

#if canImport(NetworkPathMonitor) || canImport(Network)
public struct PathSequence: Sendable {
    private let monitor: NWPathMonitor

    public init(requiring type: NWInterface.InterfaceType? = nil) {
        monitor = type.map { NWPathMonitor(requiredInterfaceType: $0) } ?? NWPathMonitor()
    }

    /// Calls `body` whenever the machine goes online or offline, until the task is cancelled.
    public func forEachChange(_ body: @Sendable (Bool) -> Void) async {
        var before: Bool?
        for await path in monitor {
            let isOnline = path.status == .satisfied
            if isOnline != before { body(isOnline) }
            before = isOnline
        }
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Written as a wrapper that needs no Combine: the monitor is a sequence itself.

#if canImport(Network) && !os(Linux)  // also in other files: a program with your library may use the product Network
import Network
#elseif canImport(NetworkPathMonitor)
import NetworkPathMonitor
#endif

#if (canImport(Network) && !os(Linux)) || canImport(NetworkPathMonitor)
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

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Network
import ReachabilityLinuxSystem
import SystemConfiguration

/// First calls of the modules with Apple's names. None has the program's own code make metadata, as an array of this package's types
/// or a comparison of states does: no fork waits for that.
enum AppleCalls {
    static let all: [FirstForks.Call] = calls("soak", "State:/Network/Global/IPv4", "State:/Network/Interface/.*")

    /// The strings are the program's own, and made before it forks.
    private static func calls(_ name: CFString, _ key: CFString, _ pattern: CFString) -> [FirstForks.Call] {
        nonisolated(unsafe) let (name, key, pattern) = (name, key, pattern)
        return [
            { NWPathMonitor().currentPath.status == .satisfied },
            {
                // No function of libdispatch works in the child of a fork.
                guard !ForkEpoch.isChild else { return true }
                let monitor = NWPathMonitor(requiredInterfaceType: .wiredEthernet)
                let told = DispatchSemaphore(value: 0)
                monitor.pathUpdateHandler = { path in if path.status == .satisfied { told.signal() } }
                monitor.start(queue: .global())
                told.wait()
                monitor.cancel()
                return true
            },
            {
                let connection = NWConnection(host: "10.0.0.7", port: 80, using: .tcp)
                return connection.queue == nil && connection.currentPath == nil
            },
            {
                let target = unsafe SCNetworkReachabilityCreateWithName(nil, "10.0.0.7")
                var flags = SCNetworkReachabilityFlags()
                return unsafe SCNetworkReachabilityGetFlags(target!, &flags) && flags.contains(.reachable)
            },
            {
                let target = unsafe SCNetworkReachabilityCreateWithName(nil, "localhost")
                var flags = SCNetworkReachabilityFlags()
                return unsafe SCNetworkReachabilityGetFlags(target!, &flags) && flags.contains(.isLocalAddress)
            },
            {
                let store = unsafe SCDynamicStoreCreate(nil, name, nil, nil)
                return unsafe SCDynamicStoreCopyValue(store, key) != nil
            },
            { unsafe SCDynamicStoreCopyKeyList(nil, pattern) != nil },
            { SCNetworkInterfaceCopyAll().count > 0 },
        ]
    }
}
